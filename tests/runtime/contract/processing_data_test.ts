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

/** Of `raw` and `raw:words`: the first at its own path, the second below /opt/ml/processing. */
function dataOf(side: Side, texts: readonly string[]): readonly ProcessingData[] {
  return texts.map((text) => {
    const [name = "", path] = text.split(":");
    return name === ""
      ? plainData(side)
      : { name, path: path ? `/opt/ml/processing/${path}` : `${plainData(side).path}/${name}` };
  });
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const both = (one: string, other: string) => {
  const at = (text: string) => text.replace(/ (.*)/, " (/opt/ml/processing/$1)");
  return `The paths of ${at(one)} and ${at(other)} overlap`;
};

suite("data of a processing job", () => {
  const rows: readonly (readonly [
    what: string,
    inputs: readonly string[],
    outputs: readonly string[],
    hasCode: boolean,
    refused?: string,
  ])[] = [
    ["ten each", many(10), many(10), false],
    ["nine inputs with code", many(9), [], true],
    ["code inside of the one input", [""], [""], true],
    ["an input called code without code", ["code"], [], false],
    ["one name on both sides", ["a"], ["a"], false],
    ["paths of which one begins like the other", ["a:x", "b:xy"], [], false],
    ["eleven inputs", many(11), [], false, "A processing job accepts up to 10 inputs, but got 11"],
    ["eleven outputs", [], many(11), true, "A processing job accepts up to 10 outputs, but got 11"],
    [
      "ten inputs with code",
      many(10),
      [],
      true,
      "accepts up to 9 inputs besides the code, but got 10",
    ],
    ["two of one name", ["a:x", "a:y"], [], false, 'Two inputs have the name "a"'],
    ["two outputs of one name", [], ["a:x", "a:y"], false, 'Two outputs have the name "a"'],
    ["one path twice", ["a:x", "b:x"], [], false, both("a x", "b x")],
    ["one in another", [], ["a:x/y", "b:x"], false, both("a x/y", "b x")],
    ["an output in an input", [""], ["b:input/x"], false, both("input input", "b input/x")],
    ["one beside all", ["", "a"], [], false, both("input input", "a input/a")],
    ["code", ["code"], [], true, 'Input name "code" is reserved for code'],
    ["entrypoint", ["entrypoint"], [], true, 'Input name "entrypoint" is reserved for code'],
    [
      "an output in the code",
      [],
      ["a:input/code/x"],
      true,
      both("a input/code/x", "code input/code"),
    ],
  ];
  for (const [what, inputs, outputs, hasCode, refused] of rows) {
    it(`may${refused === undefined ? "" : " not"} be ${what}`, () => {
      const check = () => checkData(dataOf("input", inputs), dataOf("output", outputs), hasCode);
      if (refused === undefined) check();
      else assertThrows(check, UsageError, refused);
    });
  }
});
