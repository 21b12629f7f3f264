import { assertEquals } from "@std/assert";
import { fit } from "../../runtime/cells.ts";
import { type LiveLine, showLive } from "../../runtime/live_lines.ts";
import { Messages } from "../../runtime/messages.ts";
import { NOWHERE, type Output } from "../../runtime/streams.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { replaced } from "../helpers/replaced.ts";
import { it, suite } from "../helpers/suite.ts";

const TERMINAL: Output = { ...NOWHERE, isTerminal: true, rows: 24 };

/** Draws frames one after the other, and returns the writes. */
function writesOf(
  frames: readonly (readonly LiveLine[])[],
  columnsOf: (frame: number) => number = () => 80,
  colour = false,
): readonly string[] {
  const writes: string[] = [];
  let at = 0;
  const err: Output = {
    ...TERMINAL,
    colour,
    get columns() {
      return columnsOf(at);
    },
    print: (text) => void writes.push(text),
  };
  using messages = new Messages(err);
  const lines = showLive(messages, () => frames[at]!);
  for (; at < frames.length; at++) lines!.draw();
  return writes;
}

/** A timer that goes off when the test says so. */
function ownTimer() {
  let listener: (() => void) | undefined;
  const globals = replaced(globalThis, {
    setInterval: ((tick: () => void) => (listener = tick, 1)) as never,
    clearInterval: (() => listener = undefined) as never,
  });
  return {
    tick: () => listener!(),
    get isCleared() {
      return listener === undefined;
    },
    [Symbol.dispose]: () => globals[Symbol.dispose](),
  };
}

const lines = (...texts: readonly string[]) => texts.map((text) => ({ text }));

suite("live lines", () => {
  it("live lines that have not changed are not drawn again", () => {
    assertEquals(writesOf([lines("a"), lines("a"), lines("b")]).length, 3);
  });

  it("live lines are drawn over those before, in one write", () => {
    assertEquals(writesOf([lines("a", "b"), lines("c", "d", "e"), lines("f"), []]), [
      "\ra\x1b[K\r\nb\x1b[K\r",
      "\r\x1b[1Ac\x1b[K\r\nd\x1b[K\r\ne\x1b[K\r",
      "\r\x1b[2Af\x1b[K\x1b[J\r",
      "\r\x1b[K",
    ]);
  });

  it("live lines replace the rows that a narrowed terminal has wrapped them to", () => {
    const [, second] = writesOf(
      [lines("12345678", "模型模", ""), lines("a")],
      (frame) => frame === 0 ? 10 : 4,
    );
    // Two rows each; the cursor is in the fifth.
    assertEquals(second, "\r\x1b[4Aa\x1b[K\x1b[J\r");
  });

  it("live lines are drawn ten times a second at most", () => {
    let now = 0;
    using _clock = replaced(performance, { now: () => now });
    const { err } = fakeContext({ isTerminal: true });
    using messages = new Messages(err);
    const live = showLive(messages, () => lines(`${now}`))!;
    for (now of [0, 99, 100, 199, 200]) live.changed();
    const drawn = [0, 100, 200].map((time) => `\r${time}\x1b[K\r`);
    assertEquals(err.text, drawn.join(""));
  });

  it("live lines are not drawn over output that is being written", async () => {
    using timer = ownTimer();
    const { promise, resolve } = Promise.withResolvers<void>();
    let text = "";
    const print = (more: string): void => void (text += more);
    using messages = new Messages({ ...TERMINAL, print, write: () => promise });
    showLive(messages, () => lines("a"));
    const writing = messages.stream.write(new TextEncoder().encode("output\n"));
    timer.tick();
    assertEquals(text, "");
    resolve();
    await writing;
    assertEquals(text, "\ra\x1b[K\r");
  });

  it("live lines do not make mlcli fail when the terminal is gone, and are no longer drawn", () => {
    using timer = ownTimer();
    const print = (): never => {
      throw new Error("gone");
    };
    using messages = new Messages({ ...TERMINAL, print });
    showLive(messages, () => lines("a"));
    timer.tick();
    assertEquals(timer.isCleared, true);
  });

  it("live lines are painted only if colour is wanted", () => {
    const frame = [{ text: "a", paint: (text: string) => `<${text}>` }];
    assertEquals(writesOf([frame], undefined, true)[0], "\r<a>\x1b[K\r");
    assertEquals(writesOf([frame])[0], "\ra\x1b[K\r");
  });

  it("live lines get the size of the terminal without its last row and column", () => {
    using messages = new Messages({ ...TERMINAL, columns: 40 });
    let size: unknown;
    showLive(messages, (room) => (size = room, []))!.draw();
    assertEquals(size, { columns: 39, rows: 23 });
  });

  for (
    const [where, rows, choice] of [
      ["in a pipe or on a dumb terminal", 0, {}],
      ["with --quiet", 24, { quiet: true }],
      ["with --progress plain", 24, { progress: "plain" }],
    ] as const
  ) {
    it(`live lines are not shown ${where}`, () => {
      using messages = new Messages({ ...TERMINAL, rows }, choice);
      assertEquals(showLive(messages, () => lines("a")), undefined);
    });
  }

  it("a message is printed above the live lines", () => {
    const { err } = fakeContext({ isTerminal: true });
    using messages = new Messages(err);
    showLive(messages, () => lines("a", "b"))!.draw();
    messages.note("c");
    const drawn = "\ra\x1b[K\r\nb\x1b[K\r";
    assertEquals(err.text, `${drawn}\r\x1b[1A\x1b[Jnote: c\n${drawn}`);
  });

  it("a message after live lines of messages that ignore failures begins no new line", () => {
    const { err } = fakeContext({ isTerminal: true });
    using messages = new Messages(err);
    const ignoring = messages.ignoringFailures();
    showLive(ignoring, () => lines("a"))!.draw();
    ignoring.showBelow(undefined);
    messages.note("b");
    assertEquals(err.text, "\ra\x1b[K\r\r\x1b[Knote: b\n");
  });

  it("new live lines replace the others", () => {
    const { err } = fakeContext({ isTerminal: true });
    using messages = new Messages(err);
    const first = showLive(messages, () => lines("a"))!;
    first.draw();
    showLive(messages, () => lines("b"))!.draw();
    first.draw();
    assertEquals([first.isOver, err.text], [true, "\ra\x1b[K\r\r\x1b[K\rb\x1b[K\r"]);
  });
});

/** A terminal of some width that both streams write to: carriage returns, line feeds, erasing. */
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
      rows: isTerminal ? 24 : 0,
      write: (bytes) => Promise.resolve(write(new TextDecoder().decode(bytes))),
      print: write,
    };
  }
}

type Piece = readonly [stream: "out" | "err", text: string];

/** Writes a program's output above a live line, and returns the last line of the screen after each piece. */
async function play(
  pieces: readonly Piece[],
  { columns = 80, out = true, err = true, text = "loss 0.25" } = {},
) {
  const [screen, plain] = [new Screen(columns), new Screen(columns)];
  const messages = new Messages(screen.stream(err));
  const streams = { out: messages.above(screen.stream(out)), err: messages.stream };
  const alone = { out: plain.stream(out), err: plain.stream(err) };
  showLive(messages, ({ columns }) => text === "" ? [] : [{ text: fit(text, columns) }]);
  const shown: string[] = [];
  for (const [stream, piece] of pieces) {
    const bytes = new TextEncoder().encode(piece);
    await streams[stream].write(bytes);
    await alone[stream].write(bytes);
    shown.push(screen.lines.at(-1)!);
  }
  messages[Symbol.dispose]();
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

suite("a live line below a program's output", () => {
  for (const columns of [80, 40]) {
    it(`a live line stands below whole lines, and leaves nothing, in ${columns} columns`, async () => {
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

  it("a live line is cut to the terminal's width", async () => {
    const text = "accuracy 0.123456  ".repeat(5);
    const { screen, shown } = await play([["out", "a\n"]], { columns: 40, text });
    assertEquals(shown, ["accuracy 0.123456  accuracy 0.123456…"]);
    assertEquals(screen.widest, 37);
  });

  it("a live line is cut shorter if letters take two columns, and between letters", async () => {
    const cases = [["損失 0.5 損失 0.25", "損失 0.5 損…"], ["😀".repeat(9), `${"😀".repeat(5)}…`]];
    for (const [text, shown] of cases) {
      assertEquals((await play([["out", "a\n"]], { columns: 13, text })).shown, [shown]);
    }
  });

  it("a live line is not shown if standard error is not a terminal", async () => {
    const { shown } = await play([["out", "a\n"], ["err", "b\n"]], { err: false });
    assertEquals(shown, ["", ""]);
  });

  it("a live line ignores output that goes into a file", async () => {
    const { shown } = await play([["err", "a\n"], ["out", "half a line"]], { out: false });
    assertEquals(shown, ["loss 0.25", "loss 0.25"]);
  });

  it("a live line without text shows nothing", async () => {
    assertEquals((await play([["out", "a\n"]], { text: "" })).shown, [""]);
  });

  it("a message after an empty write is not printed below an empty line", async () => {
    const { err } = fakeContext();
    using messages = new Messages(err);
    await messages.stream.write(new Uint8Array());
    messages.stream.print("");
    messages.warning("whole");
    assertEquals(err.text, "warning: whole\n");
  });

  it("a message does not continue an unfinished line of the program", async () => {
    for (const isTerminal of [true, false]) {
      const { err } = fakeContext({ isTerminal });
      using messages = new Messages(err);
      await messages.stream.write(new TextEncoder().encode("half"));
      messages.ignoringFailures().warning("whole");
      assertEquals(err.text, "half\nwarning: whole\n");
    }
  });
});
