import { assertEquals, assertThrows } from "@std/assert";
import { instructionsOf } from "../../../runtime/app/dockerfile/instructions.ts";
import { builtInstructions } from "../../../runtime/app/dockerfile/stages.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { withoutSecrets } from "../../../runtime/image/secret_mounts.ts";
import { it, suite } from "../../helpers/suite.ts";

function sent(dockerfile: string, context?: string) {
  const built = builtInstructions(instructionsOf(dockerfile), {});
  return withoutSecrets(dockerfile, built, {
    ...{ app: "flats", options: ["--target gpu"], dockerfile: "d/Dockerfile", context },
  });
}

suite("withoutSecrets", () => {
  const optional: readonly (readonly [title: string, dockerfile: string, text: string])[] = [
    ["a secret", "FROM a\nRUN --mount=type=secret,id=t x", "FROM a\nRUN  x"],
    // https://github.com/docker/build-push-action/issues/701
    [
      "a secret in a line of its own",
      "# syntax = docker/dockerfile:1.3\nFROM a\nRUN --mount=type=secret,id=JFROG_PASS \\\n  cat y",
      "# syntax = docker/dockerfile:1.3\nFROM a\nRUN  \\\n  cat y",
    ],
    // https://github.com/docker/buildx/issues/3285
    ["a secret as a variable", "FROM a\nRUN --mount=type=secret,id=T,env=T x", "FROM a\nRUN  x"],
    [
      "a secret that is not required",
      "FROM a\nRUN --mount=type=secret,required=0 x",
      "FROM a\nRUN  x",
    ],
    [
      "a secret below a comment that names it",
      "FROM a\nRUN \\\n  # --mount=type=secret,id=a\n  --mount=type=secret,id=a \\\n  x",
      "FROM a\nRUN \\\n  # --mount=type=secret,id=a\n   \\\n  x",
    ],
    [
      "a secret whose option begins another one",
      "FROM a\nRUN --mount=type=cache,target=/ab --mount=type=secret,id=ab --mount=type=secret,id=a x",
      "FROM a\nRUN --mount=type=cache,target=/ab   x",
    ],
    [
      "a secret beside a cache",
      "FROM a\nRUN --mount=type=cache,target=/c --mount=id=t,type=secret x",
      "FROM a\nRUN --mount=type=cache,target=/c  x",
    ],
  ];
  for (const [title, dockerfile, text] of optional) {
    it(`withoutSecrets removes ${title}, with a note`, () => {
      const line = dockerfile.split("\n").findIndex((line) => line.startsWith("RUN")) + 1;
      const note = `Building without the optional secrets in d/Dockerfile, line ${line}: mlcli ` +
        "build cannot pass them";
      assertEquals(sent(dockerfile), { text, note });
    });
  }

  const required: readonly (readonly [flag: string, option: string])[] = [
    // https://github.com/astral-sh/uv/issues/13071
    ["--mount=type=secret,id=gitlab,required", "--secret id=gitlab,src=FILE"],
    ["--mount=type=secret,target=/a/tok,required=true", "--secret id=tok,src=FILE"],
    // https://github.com/docker/docker-py/issues/3178
    ["--mount=type=ssh", "--ssh default"],
    ["--mount=type=ssh,id=git,required=false", "--ssh git"],
    ["--mount=type=secret,required,id=a;rm", "--secret 'id=a;rm,src=FILE'"],
  ];
  for (const [flag, option] of required) {
    it(`withoutSecrets rejects ${flag}, and shows how to build with docker`, () => {
      const dockerfile = `FROM a\nRUN ${flag} x`;
      const error = assertThrows(() => sent(dockerfile, "d"), MlcliError);
      assertEquals(error.message, "mlcli build cannot pass secrets or SSH keys to RUN");
      assertEquals(error.quote, `d/Dockerfile:2: RUN ${flag}`);
      assertEquals(
        error.hint,
        "Build the image with docker and run it:\n" +
          `  docker build ${option} --target gpu -t flats-docker -f d/Dockerfile d\n` +
          "  mlcli local train --image flats-docker",
      );
    });
  }

  it("withoutSecrets shows how to build a base image with docker for the app's own Dockerfile", () => {
    const error = assertThrows(() => sent("FROM a\nRUN --mount=type=ssh x"), MlcliError);
    assertEquals(
      error.hint,
      "Move these steps to base.Dockerfile, and use its image as the base image:\n" +
        "  docker build --ssh default -t flats-base -f base.Dockerfile .\n" +
        "  mlcli build --base-image flats-base",
    );
  });

  it("withoutSecrets rejects an option on several lines, which it cannot remove", () => {
    const error = assertThrows(
      () => sent("FROM a\nRUN --mount=type=secret,\\\nid=a x"),
      MlcliError,
    );
    assertEquals(
      error.message,
      "Cannot remove --mount=type=secret,id=a from line 2 of the Dockerfile",
    );
  });

  it("withoutSecrets keeps Dockerfiles without secrets, and stages that are not built", () => {
    assertEquals(sent("FROM a\nRUN --mount=type=cache,target=/c x"), undefined);
    assertEquals(sent("FROM a AS b\nRUN --mount=type=ssh x\nFROM c\nRUN y"), undefined);
    assertEquals(sent("FROM a\nLABEL --mount=type=ssh"), undefined);
    assertThrows(() => sent("FROM a AS b\nRUN --mount=type=ssh x\nFROM b\nRUN y"), MlcliError);
  });
});
