import { assertEquals } from "@std/assert";
import { tableText } from "../../../commands/render/table.ts";
import { it, suite } from "../../helpers/suite.ts";

const HEADINGS = ["APP", "STATE"];
const ROWS = [["a", "running"], ["longer", "up"]];
const paint = (field: string, column: number): string => column === 1 ? `<${field}>` : field;

suite("a table", () => {
  for (
    const [where, output, text] of [
      ["a pipe", { isTerminal: false, colour: false }, "a  running\nlonger  up\n"],
      ["a pipe with colour", { isTerminal: false, colour: true }, "a  <running>\nlonger  <up>\n"],
      [
        "a terminal without colour",
        { isTerminal: true, colour: false },
        "APP     STATE\na       running\nlonger  up\n",
      ],
      [
        "a terminal with colour",
        { isTerminal: true, colour: true },
        "\x1b[1mAPP\x1b[22m     \x1b[1mSTATE\x1b[22m\na       <running>\nlonger  <up>\n",
      ],
    ] as const
  ) {
    it(`in ${where}`, () => assertEquals(tableText(HEADINGS, ROWS, output, paint), text));
  }

  it("without rows has no heading", () => {
    assertEquals(tableText(HEADINGS, [], { isTerminal: true, colour: true }), "");
  });
});
