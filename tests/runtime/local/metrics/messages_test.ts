import { assertEquals } from "@std/assert";
import { StatusLine } from "../../../../runtime/local/metrics/messages.ts";
import type { Output } from "../../../../runtime/streams.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A terminal of that width that both streams write to: carriage returns, line feeds, erasing. */
class Screen {
  readonly lines = [""];
  #column = 0;
  /** The widest that a line ever was. */
  widest = 0;

  constructor(readonly columns: number) {}

  write(text: string): void {
    // deno-lint-ignore no-control-regex
    for (const [part] of text.matchAll(/\x1b\[K|[^]/g)) {
      const row = this.lines.length - 1;
      const line = this.lines[row]!;
      if (part === "\n") {
        this.lines.push("");
        this.#column = 0;
      } else if (part === "\r") this.#column = 0;
      else if (part === "\x1b[K") this.lines[row] = line.slice(0, this.#column);
      else {
        this.lines[row] = line.slice(0, this.#column) + part + line.slice(this.#column + 1);
        this.#column++;
        this.widest = Math.max(this.widest, this.#column);
      }
    }
  }

  stream(isTerminal: boolean): Output {
    const write = (text: string): void => {
      if (isTerminal) this.write(text);
    };
    return {
      isTerminal,
      colour: false,
      columns: this.columns,
      rows: 24,
      write: (bytes) => Promise.resolve(write(new TextDecoder().decode(bytes))),
      print: write,
    };
  }
}

type Piece = readonly [stream: "out" | "err", text: string];

async function play(
  pieces: readonly Piece[],
  { columns = 80, out = true, err = true, text = "loss 0.25" } = {},
) {
  const [screen, plain] = [new Screen(columns), new Screen(columns)];
  const status = new StatusLine({ out: screen.stream(out), err: screen.stream(err) });
  const alone = { out: plain.stream(out), err: plain.stream(err) };
  status.set(text);
  const shown: string[] = [];
  for (const [stream, piece] of pieces) {
    const bytes = new TextEncoder().encode(piece);
    await status.above[stream].write(bytes);
    await alone[stream].write(bytes);
    shown.push(screen.lines.at(-1)!);
  }
  status.close();
  return { screen, plain, shown };
}

const PIECES: readonly Piece[] = [
  ["out", "epoch 1\n"],
  ["err", "a warn"],
  ["err", "ing\nnext"],
  ["out", "\r 10%"],
  ["out", "\r 20%"],
  ["out", "\n"],
  ["err", "x".repeat(100) + "\n"],
];

suite("StatusLine", () => {
  for (const columns of [80, 40]) {
    it(`stands below whole lines, and leaves nothing, in ${columns} columns`, async () => {
      const { screen, plain, shown } = await play(PIECES, { columns });
      assertEquals(shown.map((line) => line.trim()), [
        "loss 0.25",
        "a warn",
        "next",
        "10%",
        "20%",
        "loss 0.25",
        "loss 0.25",
      ]);
      assertEquals(screen.lines, plain.lines);
    });
  }

  it("is cut to the terminal's width", async () => {
    const text = "accuracy 0.123456  ".repeat(5);
    const { screen, shown } = await play([["out", "a\n"]], { columns: 40, text });
    assertEquals(shown, ["accuracy 0.123456  accuracy 0.123456…"]);
    assertEquals(screen.widest, 37);
  });

  it("is cut shorter where letters take two columns, and between letters", async () => {
    const cases = [["損失 0.5 損失 0.25", "損失 0.5 損…"], ["😀".repeat(9), `${"😀".repeat(5)}…`]];
    for (const [text, shown] of cases) {
      assertEquals((await play([["out", "a\n"]], { columns: 13, text })).shown, [shown]);
    }
  });

  it("is not there where standard error is no terminal", async () => {
    const { shown } = await play([["out", "a\n"], ["err", "b\n"]], { err: false });
    assertEquals(shown, ["", ""]);
  });

  it("ignores what goes into a file", async () => {
    const { shown } = await play([["err", "a\n"], ["out", "half a line"]], { out: false });
    assertEquals(shown, ["loss 0.25", "loss 0.25"]);
  });

  it("shows nothing where there is no text", async () => {
    assertEquals((await play([["out", "a\n"]], { text: "" })).shown, [""]);
  });
});
