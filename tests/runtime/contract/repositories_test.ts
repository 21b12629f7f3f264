import { assertEquals } from "@std/assert";
import {
  isSameRegistry,
  mayLogIn,
  parseRepository,
} from "../../../runtime/contract/repositories.ts";
import { it, suite } from "../../helpers/suite.ts";

const ECR = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";

suite("names of repositories", () => {
  for (
    const [text, host, name] of [
      ["churn", undefined, "churn"],
      ["team/churn", undefined, "team/churn"],
      ["a/b/c_d.e-f__g--h", undefined, "a/b/c_d.e-f__g--h"],
      [`${ECR}/churn`, ECR, "churn"],
      [`${ECR}/team/churn`, ECR, "team/churn"],
      ["localhost:5000/churn", "localhost:5000", "churn"],
      ["localhost/churn", "localhost", "churn"],
      ["HOST/churn", "HOST", "churn"],
      ["docker.io/team/churn", "docker.io", "team/churn"],
      ["a".repeat(256), undefined, "a".repeat(256)],
    ] as const
  ) {
    it(`${text.slice(0, 60)} names one`, () => {
      assertEquals(parseRepository(text), { host, name });
    });
  }

  for (
    const text of [
      "",
      "a",
      "a".repeat(257),
      "Churn",
      "churn:v1",
      "churn@sha256:00",
      "churn/",
      "/churn",
      "-churn",
      "a..b",
      `${ECR}/`,
      `${ECR}/x`,
      "https://host.example/churn",
      "churn\nx",
    ]
  ) {
    it(`${JSON.stringify(text.slice(0, 60))} names none`, () => {
      assertEquals(parseRepository(text), undefined);
    });
  }
});

suite("registries", () => {
  for (
    const [one, other, is] of [
      [ECR, ECR, true],
      [ECR, "123456789012.dkr-ecr.eu-west-1.on.aws", true],
      [ECR, "123456789012.dkr.ecr-fips.eu-west-1.amazonaws.com", true],
      ["localhost:5000", "localhost:5000", true],
      ["localhost:5000", "localhost:5001", false],
      [ECR, "123456789012.dkr.ecr.eu-west-2.amazonaws.com", false],
      [ECR, "210987654321.dkr.ecr.eu-west-1.amazonaws.com", false],
      [ECR, "123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example", false],
      [ECR, "docker.io", false],
    ] as const
  ) {
    it(`${one} and ${other} are ${is ? "the same" : "different ones"}`, () => {
      assertEquals([isSameRegistry(one, other), isSameRegistry(other, one)], [is, is]);
    });
  }
});

suite("a login for a registry", () => {
  for (
    const [login, registry, may] of [
      [ECR, ECR, true],
      [ECR, "123456789012.dkr-ecr.eu-west-1.on.aws", true],
      [ECR, "evil.example", false],
      [ECR, "210987654321.dkr.ecr.eu-west-1.amazonaws.com", false],
      [ECR, `${ECR}.evil.example`, false],
      [ECR, `${ECR}:5000`, false],
      // An emulator's.
      ["localhost:4566", "000000000000.dkr.ecr.eu-west-1.localhost.localstack.cloud:4566", true],
    ] as const
  ) {
    it(`${may ? "may" : "may not"} go from ${login} to ${registry}`, () => {
      assertEquals(mayLogIn(login, registry), may);
    });
  }
});
