import { assertEquals } from "@std/assert";
import { testArguments } from "../../../scripts/testing/arguments.ts";
import { it, suite } from "../../helpers/suite.ts";

const NONE = { all: false, only: undefined, changed: undefined, rest: [] };

suite("the arguments of the tasks that test", () => {
  for (
    const [line, expected] of [
      ["", NONE],
      ["--all", { ...NONE, all: true }],
      ["--no-check tests/a_test.ts", { ...NONE, rest: ["--no-check", "tests/a_test.ts"] }],
      ["tests/a_test.ts --only a", { ...NONE, only: "a", rest: ["tests/a_test.ts"] }],
      ["--changed", { ...NONE, changed: "" }],
      ["--changed main --all", { ...NONE, changed: "main", all: true }],
      ["--changed --no-check", { ...NONE, changed: "", rest: ["--no-check"] }],
    ] as const
  ) {
    it(`are read: ${line || "none"}`, () => {
      assertEquals(testArguments(line.split(" ").filter((word) => word !== "")), expected);
    });
  }
});
