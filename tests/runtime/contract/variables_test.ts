import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  givenVariable,
  pathVariables,
  regionVariables,
  trainingVariables,
  valuesOfGiven,
  variablesInFile,
} from "../../../runtime/contract/variables.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("variables", () => {
  it("name the specification's paths, and leave SM_* to the image", () => {
    assertEquals(pathVariables(), {
      ML_MODEL_DIR: "/opt/ml/model",
      ML_INPUT_DIR: "/opt/ml/input",
      ML_OUTPUT_DIR: "/opt/ml/output",
      ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
    });
  });

  it("name the region, and a training", () => {
    assertEquals(regionVariables("eu-west-1"), { AWS_REGION: "eu-west-1" });
    assertEquals(trainingVariables({ name: "job-1", region: "cn-north-1" }), {
      TRAINING_JOB_NAME: "job-1",
      TRAINING_JOB_ARN: "arn:aws-cn:sagemaker:cn-north-1:000000000000:training-job/job-1",
    });
  });
});

const SOURCE = 'Option "--env"';
const ENV = (name: string): string | undefined => ({ HERE: "h", EMPTY: "" })[name];

suite("a variable of the user", () => {
  for (
    const [text, name, value] of [
      ["A=b", "A", "b"],
      ["A", "A", undefined],
      ["A=", "A", ""],
      ["A=b=c ", "A", "b=c "],
      ["a.b-c d=é\n", "a.b-c d", "é\n"],
      ["MLCLI_WORKERS=2", "MLCLI_WORKERS", "2"],
      ["__proto__=x", "__proto__", "x"],
    ] as const
  ) {
    it(`is ${JSON.stringify(text)}`, () => {
      const source = value === undefined ? `${SOURCE} (${name})` : SOURCE;
      assertEquals(givenVariable(text, SOURCE), { name, value, source });
    });
  }

  for (
    const [text, message] of [
      ["", `${SOURCE} must be NAME=VALUE, or NAME alone to copy the value from your shell`],
      ["=s3cret", `${SOURCE} must be NAME=VALUE, or NAME alone to copy the value from your shell`],
      [
        "A=s3cret\0",
        `${SOURCE} must be NAME=VALUE, or NAME alone to copy the value from your shell`,
      ],
      ["MLCLI_REPORT=s3cret", `${SOURCE}: MLCLI_REPORT is reserved for mlcli`],
      ["MLCLI_REPORT", `${SOURCE}: MLCLI_REPORT is reserved for mlcli`],
      [
        "MLCLI_ALLOWED_HOSTS=",
        `${SOURCE}: MLCLI_ALLOWED_HOSTS is reserved for mlcli`,
      ],
    ] as const
  ) {
    it(`is not ${JSON.stringify(text)}`, () => {
      const error = assertThrows(() => givenVariable(text, SOURCE), UsageError);
      assertEquals(error.message, message);
    });
  }
});

suite("a file of variables", () => {
  for (
    const [text, ...expected] of [
      [""],
      ["\n# A=1\n  # x\n\t\n"],
      ["A=1", ["A", "1", 1]],
      ["\uFEFFA=1\r\n\r\n  B='x' # y \nC\n", ["A", "1", 1], ["B", "'x' # y ", 3], [
        "C",
        undefined,
        4,
      ]],
      ["  D \nE= =", ["D", undefined, 1], ["E", " =", 2]],
    ] as const
  ) {
    it(`has, in ${JSON.stringify(text)}`, () => {
      assertEquals(
        variablesInFile(text, "e").map(({ name, value, source }) => [name, value, source]),
        expected.map(([name, value, line]) => [name, value, `e:${line}`]),
      );
    });
  }

  for (
    const [text, message] of [
      ["A=1\n=s3cret", "e:2 must be NAME=VALUE, or NAME alone to copy the value from your shell"],
      ["export A=s3cret", "e:1: a variable name cannot contain spaces"],
      ["A =s3cret", "e:1: a variable name cannot contain spaces"],
      ["A=1\nan s3cret line", "e:2: a variable name cannot contain spaces"],
      ["A=s3cret\0", "e:1 must be NAME=VALUE, or NAME alone to copy the value from your shell"],
      ["\n\nMLCLI_REPORT=s3cret", "e:3: MLCLI_REPORT is reserved for mlcli"],
    ] as const
  ) {
    it(`is refused with ${JSON.stringify(text)}, and shows no value`, () => {
      const error = assertThrows(() => variablesInFile(text, "e"), UsageError);
      assertEquals(error.message, message);
      assert(!`${error.hint}${error.stack}`.includes("s3cret"));
    });
  }
});

suite("the values of the user's variables", () => {
  const named = (texts: readonly string[]) => texts.map((text) => givenVariable(text, SOURCE));
  for (
    const [texts, expected] of [
      [[], {}],
      [["A=1", "B=2", "A=3"], { A: "3", B: "2" }],
      [["HERE", "EMPTY"], { HERE: "h", EMPTY: "" }],
      [["HERE=x", "HERE"], { HERE: "h" }],
    ] as const
  ) {
    it(`of ${texts}`, () => assertEquals(valuesOfGiven(named(texts), ENV), expected));
  }

  it("are not there where one is set nowhere", () => {
    const error = assertThrows(() => valuesOfGiven(named(["A=1", "OTHER"]), ENV), UsageError);
    assertEquals(
      error.message,
      'Option "--env" (OTHER) has no value, and the variable is not set in your shell',
    );
  });

  it("are not there where a line of a file, which may be one of a secret, is no name", () => {
    const lines = variablesInFile("A=1\nMIIEs3cret", "key.env");
    const error = assertThrows(() => valuesOfGiven(lines, ENV), UsageError);
    assertEquals(
      error.message,
      "key.env:2 has no value, and the variable is not set in your shell",
    );
    assertEquals(error.hint, "Set a value: NAME=VALUE");
  });
});
