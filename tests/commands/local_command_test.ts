import { assertEquals, assertMatch } from "@std/assert";
import { withLocalCommand } from "../../commands/local_command.ts";
import { AwsError, NotConfigured } from "../../runtime/aws/errors.ts";
import type { MlcliError } from "../../runtime/errors.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the hint of a cloud command without credentials", () => {
  const error = new NotConfigured("No AWS credentials found", { hint: "Run aws configure." });
  const rows: readonly (readonly [name: string, hint: string])[] = [
    ...["train", "process", "deploy", "transform", "list-jobs", "logs"].map((name) =>
      [name, `Run aws configure. To use this machine instead of AWS: mlcli local ${name}`] as const
    ),
    ...["list-endpoints", "push", "constructor"].map((name) =>
      [name, "Run aws configure."] as const
    ),
  ];
  for (const [name, hint] of rows) {
    const words = hint.includes("local") ? "names the local command" : "names no local command";
    it(`${words} for ${name}`, () => {
      const { message, hint: actual } = withLocalCommand(error, [name]) as MlcliError;
      assertEquals({ message, hint: actual }, { message: "No AWS credentials found", hint });
    });
  }

  it("names no local command for another error, or below local", () => {
    const denied = new AwsError("denied", "AccessDenied");
    assertEquals(withLocalCommand(denied, ["train"]), denied);
    assertEquals(withLocalCommand(error, ["local", "train"]), error);
  });

  it("mlcli list-jobs prints the local command if it finds no credentials", async () => {
    await using directory = await makeDirectory();
    const cloud = { HOME: directory.path, AWS_EC2_METADATA_DISABLED: "true" };
    const { code, stderr } = await runInProcess(["list-jobs"], { cwd: directory.path, cloud });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: No .*\nhint: .* instead of AWS: mlcli local list-jobs\n$/);
  });
});
