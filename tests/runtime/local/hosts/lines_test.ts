import { assertEquals } from "@std/assert";
import { LONGEST_LINE, prefixed } from "../../../../runtime/local/hosts/streams.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Each call for what comes in these pieces, one character a byte. */
async function callsFor(pieces: readonly string[]): Promise<readonly string[]> {
  const calls: string[] = [];
  const lines = prefixed("h: ", (line) => {
    calls.push(Array.from(line, (byte) => String.fromCharCode(byte)).join(""));
    return Promise.resolve();
  });
  for (const piece of pieces) {
    const bytes = Uint8Array.from(piece, (char) => char.charCodeAt(0));
    await lines.write(bytes);
    bytes.fill(0);
  }
  await lines.end();
  return calls;
}

const LONG = "x".repeat(LONGEST_LINE);

suite("lines with their host before them", () => {
  for (
    const [what, pieces, calls] of [
      ["nothing", [""], []],
      ["lines in one write", ["a\n\nb\n"], ["h: a\n", "h: \n", "h: b\n"]],
      ["a line in three writes", ["a", "b", "\nc\n"], ["h: ab\n", "h: c\n"]],
      ["a last line without an end", ["a\nb"], ["h: a\n", "h: b\n"]],
      ["a character in two writes", ["\xc3", "\xa9\n"], ["h: \xc3\xa9\n"]],
      ["what is not UTF-8", ["\xff\xfe\n\x00"], ["h: \xff\xfe\n", "h: \x00\n"]],
      ["a return in a line", ["a\rb\n"], ["h: a\rb\n"]],
      ["writes of a progress bar", ["1%\r", "2%\r"], ["h: 1%\r", "h: 2%\r"]],
      ["a bar that begins with returns", ["\r1%", "\r2%", "\n"], ["h: \r", "h: 1%\r", "h: 2%\n"]],
      ["a return and its newline in two writes", ["a\r", "\nb\n"], ["h: a\r", "h: \n", "h: b\n"]],
      ["a long line", [`${LONG}y`, LONG, "y\nb"], [`h: ${LONG}y`, LONG, "y\n", "h: b\n"]],
      ["a return where a piece ends", [`${LONG}\r`, "y\n"], [`h: ${LONG}\r`, "h: y\n"]],
      ["a long line without an end", [LONG], [`h: ${LONG}`, "\n"]],
    ] as const
  ) {
    it(what, async () => assertEquals(await callsFor(pieces), calls));
  }

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
    let calls = 0;
    const lines = prefixed("", () => {
      calls++;
      return promise;
    });
    const work = lines.write(new TextEncoder().encode("a\nb\n"));
    assertEquals(calls, 1);
    resolve();
    await work;
    assertEquals(calls, 2);
  });
});
