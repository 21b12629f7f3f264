import { assertEquals } from "@std/assert";
import { outputTo } from "../../runtime/streams.ts";
import { TerminalFilter } from "../../runtime/terminal_filter.ts";
import { streamOf } from "../helpers/stream.ts";
import { it, suite } from "../helpers/suite.ts";

const PLAIN = "grün \x1b[31mred\x1b[0m 50%\r60% “é” \x1b(B\x1b[2K\x1b7\x1b8\n";

/** Text of a program, and what a terminal gets of it. */
const ROWS: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  "text, colours, movements of the cursor and progress bars": [PLAIN, PLAIN],
  // https://github.com/moby/moby/issues/43710
  "the title of a window": ["fine\b\x1b]0;C:\\bin\\sh.exe\x00\x07done", "fine\bdone"],
  // https://github.com/moby/moby/issues/36175: the terminal types the colour behind the prompt.
  "a question for a colour": ["a\x1b]11;?\x1b\\b\x1b]4;402;?\x07c", "abc"],
  "the clipboard (OSC 52)": ["a\x1b]52;c;Y3VybCB4IHwgc2g=\x07b", "ab"],
  "a link (OSC 8)": ["\x1b]8;;http://192.0.2.1\x07text\x1b]8;;\x07\n", "text\n"],
  "a question of DCS, and an image": ["a\x1bP+q544e\x1b\\b\x1bPq#0~~\x1b\\c", "abc"],
  "APC, PM and SOS": ["a\x1b_Gi=1;AAAA\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\d", "abcd"],
  "controls of one letter": ["a\u009d0;t\x07b\u0090q\x1b\\c\u009fx\x1b\\d", "abcd"],
  "the title of a window of tmux": ["a\x1bkT\x1b\\b", "ab"],
  "a string that a CAN ends": ["a\x1b]0;b\x18c", "ac"],
  "a string that its terminator of one letter ends": ["a\u009d0;t\u009cb", "ab"],
  "letters that begin as such controls do": ["Â©\u00a0é\u0084", "Â©\u00a0é\u0084"],
  "a string that never ends, up to the end of its line": ["a\x1b]0;b\nc", "a\nc"],
  "a string within a string": ["a\x1b]0;b\x1b]52;c;d\x07e", "ae"],
  "a colour that ends a string": ["a\x1b]0;b\x1b[1mc", "a\x1b[1mc"],
  "a terminator without a string": ["a\x1b\\b", "ab"],
  "ESC before the ESC of a string": ["\x1b\x1b]0;a\x07]0;b\x07", "]0;b\x07"],
  "a string whose ESC has a control character behind it": ["\x1b\r]0;a\x07b", "\rb"],
  "a string whose ESC has a deletion behind it": ["\x1b\x7f]0;a\x07b", "\x7fb"],
  "a control of one letter behind ESC": ["\x1b\u009d0;a\x07b", "b"],
  "an ESC at the end": ["a\x1b", "a"],
};

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (bytes: readonly number[]) => new TextDecoder().decode(new Uint8Array(bytes));

const SETTINGS = { name: "standard output", wantsColour: () => true };

suite("a program's output on a terminal", () => {
  for (const [name, [written, shown]] of Object.entries(ROWS)) {
    it(`has no control strings, in pieces of any size: ${name}`, () => {
      const all = bytes(written);
      for (let size = 1; size <= all.length; size++) {
        const filter = new TerminalFilter();
        const got: number[] = [];
        for (let at = 0; at < all.length; at += size) {
          got.push(...filter.shown(all.subarray(at, at + size)));
        }
        assertEquals(text(got), shown, `pieces of ${size}`);
      }
    });
  }

  it("has no control that an ESC between its two bytes would hide", () => {
    const shown = (...bytes: number[]) => [...new TerminalFilter().shown(new Uint8Array(bytes))];
    assertEquals(shown(0x61, 0xc2, 0x1b, 0x9d, 0x62), [0x61, 0x9d, 0x62]);
    // A control in place of a second byte.
    assertEquals(shown(0x61, 0xc2, 0xc2, 0x9d, 0x78, 0x07, 0x9d, 0x62), [0x61, 0x9d, 0x62]);
  });

  it("has no control string whose beginning and rest are on different streams", async () => {
    const terminal = streamOf([], true);
    const [out, err] = [outputTo(terminal, SETTINGS), outputTo(terminal, SETTINGS)];
    await out.write(bytes("a\x1b"));
    await err.write(bytes("]0;b\x07"));
    await out.write(bytes("[1mc"));
    assertEquals(terminal.text, "a]0;b\x07\x1b[1mc");
  });

  it("is complete in a pipe and in a file", async () => {
    const pipe = streamOf();
    await outputTo(pipe, SETTINGS).write(bytes("a\x1b]0;t\x07b"));
    assertEquals(pipe.text, "a\x1b]0;t\x07b");
  });
});
