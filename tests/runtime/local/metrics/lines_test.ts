import { assertEquals } from "@std/assert";
import { Lines } from "../../../../runtime/local/metrics/metrics.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The lines of these pieces. */
function linesOf(pieces: readonly (string | Uint8Array)[]): string[] {
  const ear = new Lines();
  const heard = pieces.map((piece) => [
    ...ear.hear(typeof piece === "string" ? new TextEncoder().encode(piece) : piece),
  ]);
  return [...heard.flat(), ...ear.end()];
}

suite("Lines", () => {
  const rows: readonly (readonly [
    name: string,
    pieces: readonly (string | Uint8Array)[],
    lines: readonly string[],
  ])[] = [
    ["whole", ["a\nb\n"], ["a", "b"]],
    ["in pieces", ["a", "b\nc", "\n", "d"], ["ab", "c", "d"]],
    ["of Windows", ["a\r", "\nb\r\n"], ["a", "b"]],
    ["of a progress bar", ["\r 10% loss=2", "\r 20% loss=1\n"], [" 10% loss=2", " 20% loss=1"]],
    ["in colour", ["\x1b[1mloss\x1b[0m=\x1b[32m1\x1b[39m\n"], ["loss=1"]],
    ["with a letter in two pieces", [new Uint8Array([0xc3]), new Uint8Array([0xa9, 10])], ["é"]],
    ["of bytes that are no text", [new Uint8Array([0xff, 0xfe, 10])], ["��"]],
    ["too long", ["x".repeat(3000), "x".repeat(3000), "\nok\n"], ["x".repeat(4096), "ok"]],
    ["none", ["\n\n\r"], []],
  ];
  for (const [name, pieces, lines] of rows) {
    it(name, () => assertEquals(linesOf(pieces), [...lines]));
  }
});
