import { assertEquals } from "@std/assert";
import { LONGEST_LINE, prefixed } from "../../../../runtime/local/hosts/streams.ts";
import { joined } from "../../../../runtime/streams.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Each call for what comes in these pieces, one character a byte. */
async function callsFor(pieces: readonly string[], hasEnd = true): Promise<readonly string[]> {
  const calls: Uint8Array[] = [];
  const lines = prefixed("h: ", (line) => {
    calls.push(line);
    return Promise.resolve();
  });
  for (const piece of pieces) {
    const bytes = Uint8Array.from(piece, (char) => char.charCodeAt(0));
    await lines.write(bytes);
    bytes.fill(0);
  }
  if (hasEnd) await lines.end();
  return calls.map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

const LONG = "x".repeat(LONGEST_LINE);

suite("lines with their host before them", () => {
  for (
    const [what, pieces, calls] of [
      ["nothing", [], []],
      ["an empty write", [""], []],
      ["two lines in one write", ["a\nb\n"], ["h: a\n", "h: b\n"]],
      ["a line in three writes", ["a", "b", "\nc\n"], ["h: ab\n", "h: c\n"]],
      ["a last line without an end", ["a\nb"], ["h: a\n", "h: b\n"]],
      ["empty lines", ["\n\na\n"], ["h: \n", "h: \n", "h: a\n"]],
      ["a character in two writes", ["\xc3", "\xa9\n"], ["h: \xc3\xa9\n"]],
      ["what is not UTF-8", ["\xff\xfe\n\x00"], ["h: \xff\xfe\n", "h: \x00\n"]],
      ["a return in a line", ["a\rb\n"], ["h: a\rb\n"]],
      ["writes of a progress bar", ["1%\r", "2%\r"], ["h: 1%\r", "h: 2%\r"]],
      ["a return and its newline in two writes", ["a\r", "\nb\n"], ["h: a\r", "h: \n", "h: b\n"]],
      ["a line after a return", ["a\r", "b\n", "\n"], ["h: a\r", "h: b\n", "h: \n"]],
      ["a long line", [`${LONG}y`, LONG, "y\nb"], [`h: ${LONG}y`, LONG, "y\n", "h: b\n"]],
      ["a return where a piece ends", [`${LONG}\r`, "y\n"], [`h: ${LONG}\r`, "h: y\n"]],
      ["a long line without an end", [LONG], [`h: ${LONG}`, "\n"]],
    ] as const
  ) {
    it(what, async () => assertEquals(await callsFor(pieces), calls));
  }

  it("wait for their end", async () => {
    assertEquals(await callsFor(["a\nb"], false), ["h: a\n"]);
  });

  it("are the same whatever the writes are", async () => {
    const text = "ab\n\ncd\xe2\x82\xac\nlast";
    const whole = await callsFor([text]);
    for (let first = 0; first < text.length; first++) {
      for (let second = first; second < text.length; second++) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assertEquals(await callsFor(pieces), whole);
      }
    }
  });

  it("wait for a slow reader", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const calls: Uint8Array[] = [];
    const lines = prefixed("", (line) => {
      calls.push(line);
      return promise;
    });
    const work = lines.write(new TextEncoder().encode("a\nb\n"));
    assertEquals(calls.length, 1);
    resolve();
    await work;
    assertEquals(new TextDecoder().decode(joined(calls)), "a\nb\n");
  });
});
