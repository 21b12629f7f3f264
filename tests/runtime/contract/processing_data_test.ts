import { assertEquals, assertThrows } from "@std/assert";
import {
  checkData,
  parseData,
  plainData,
  type ProcessingData,
  type Side,
} from "../../../runtime/contract/processing_data.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const INPUT = "/opt/ml/processing/input";
const OUTPUT = "/opt/ml/processing/output";

suite("what is given as data of a processing job", () => {
  const rows: readonly (readonly [Side, string, name: string, path: string, string | undefined])[] =
    [
      ["input", "data", "input", INPUT, "data"],
      ["input", "raw=data", "raw", `${INPUT}/raw`, "data"],
      ["input", "raw=a=b", "raw", `${INPUT}/raw`, "a=b"],
      ["input", "raw=", "raw", `${INPUT}/raw`, ""],
      ["input", "raw:/opt/ml/processing/x/y=data", "raw", "/opt/ml/processing/x/y", "data"],
      ["input", "raw=s3://b/k", "raw", `${INPUT}/raw`, "s3://b/k"],
      ["input", "s3://b/a=b", "input", INPUT, "s3://b/a=b"],
      ["input", "./a=b", "input", INPUT, "./a=b"],
      ["input", "a/b=c", "input", INPUT, "a/b=c"],
      ["input", "..=c", "input", INPUT, "..=c"],
      ["input", "=c", "input", INPUT, "=c"],
      ["input", "C:\\data", "input", INPUT, "C:\\data"],
      ["input", `${"x".repeat(65)}=c`, "input", INPUT, `${"x".repeat(65)}=c`],
      ["output", "clean", "clean", `${OUTPUT}/clean`, undefined],
      ["output", "clean=dir", "clean", `${OUTPUT}/clean`, "dir"],
      ["output", "clean:/opt/ml/processing/c", "clean", "/opt/ml/processing/c", undefined],
      ["output", "./clean", "output", OUTPUT, "./clean"],
      ["output", "/data/clean", "output", OUTPUT, "/data/clean"],
      ["output", "a/b", "output", OUTPUT, "a/b"],
      ["output", ".", "output", OUTPUT, "."],
      ["output", "C:/data", "output", OUTPUT, "C:/data"],
      ["output", "s3://b/k", "output", OUTPUT, "s3://b/k"],
    ];
  for (const [side, text, name, path, place] of rows) {
    it(`is read: ${side} ${text.slice(0, 30)}`, () => {
      assertEquals(parseData(text, side, "It"), { name, path, place });
    });
  }

  for (
    const path of [
      ...["/opt/ml/processing", "/opt/ml/processing/", "/opt/ml/processing/a/", "/data"],
      ...["/opt/ml/processing/../x", "/opt/ml/processing/a//b", "/opt/ml/processing/./a"],
      ...["/opt/ml/processings/a", "/opt/ml/processing/a\nb"],
      `/opt/ml/processing/${"x".repeat(238)}`,
    ]
  ) {
    it(`has no path ${JSON.stringify(path.slice(0, 40))}`, () => {
      const { message } = assertThrows(() => parseData(`a:${path}=d`, "input", "It"), UsageError);
      assertEquals(message, `It must have a path below /opt/ml/processing, but has ${path}`);
    });
  }

  it("has a path of 256 characters", () => {
    const path = `/opt/ml/processing/${"x".repeat(237)}`;
    assertEquals(parseData(`a:${path}=d`, "input", "It").path, path);
  });
});

function many(count: number, side: Side): readonly ProcessingData[] {
  return Array.from({ length: count }, (_, index) => named(`n${index}`, side));
}

function named(name: string, side: Side): ProcessingData {
  return { name, path: `${plainData(side).path}/${name}` };
}

function at(name: string, path: string): ProcessingData {
  return { name, path: `/opt/ml/processing/${path}` };
}

suite("data of a processing job", () => {
  type Row = readonly [
    string,
    readonly ProcessingData[],
    readonly ProcessingData[],
    hasCode: boolean,
  ];
  const taken: readonly Row[] = [
    ["ten each", many(10, "input"), many(10, "output"), false],
    ["nine inputs with code", many(9, "input"), [], true],
    ["code inside of the one input", [plainData("input")], [plainData("output")], true],
    ["an input called code without code", [named("code", "input")], [], false],
    ["one name on both sides", [named("a", "input")], [named("a", "output")], false],
    ["paths of which one begins like the other", [at("a", "x"), at("b", "xy")], [], false],
  ];
  for (const [what, inputs, outputs, hasCode] of taken) {
    it(`may be ${what}`, () => checkData(inputs, outputs, hasCode));
  }

  const refused: readonly (readonly [...Row, message: string])[] = [
    [
      "eleven inputs",
      many(11, "input"),
      [],
      false,
      "A processing job has 10 inputs at most: these are 11",
    ],
    [
      "eleven outputs",
      [],
      many(11, "output"),
      false,
      "A processing job has 10 outputs at most: these are 11",
    ],
    [
      "ten inputs with code",
      many(10, "input"),
      [],
      true,
      "A processing job has 9 inputs at most beside the code: these are 10",
    ],
    ["two of one name", [at("a", "x"), at("a", "y")], [], false, 'Two inputs are called "a".'],
    [
      "two outputs of one name",
      [],
      [at("a", "x"), at("a", "y")],
      false,
      'Two outputs are called "a".',
    ],
    [
      "one path twice",
      [at("a", "x"), at("b", "x")],
      [],
      false,
      "a (/opt/ml/processing/x) and b (/opt/ml/processing/x) lie in one another",
    ],
    [
      "one in another",
      [],
      [at("a", "x/y"), at("b", "x")],
      false,
      "a (/opt/ml/processing/x/y) and b (/opt/ml/processing/x) lie in one another",
    ],
    [
      "an output in an input",
      [plainData("input")],
      [at("b", "input/x")],
      false,
      `input (${INPUT}) and b (${INPUT}/x) lie in one another`,
    ],
    [
      "one beside one without a name",
      [plainData("input"), named("a", "input")],
      [],
      false,
      `input (${INPUT}) and a (${INPUT}/a) lie in one another`,
    ],
    ["code", [named("code", "input")], [], true, "The input code is for code, and not for data"],
    [
      "entrypoint",
      [named("entrypoint", "input")],
      [],
      true,
      "The input entrypoint is for code, and not for data",
    ],
    [
      "an output in the code",
      [],
      [at("a", "input/code/x")],
      true,
      `a (${INPUT}/code/x) and code (${INPUT}/code) lie in one another`,
    ],
  ];
  for (const [what, inputs, outputs, hasCode, message] of refused) {
    it(`may not be ${what}`, () => {
      assertEquals(
        assertThrows(() => checkData(inputs, outputs, hasCode), UsageError).message,
        message,
      );
    });
  }
});
