import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { MlcliError, OutputClosed } from "../../runtime/errors.ts";
import { outputTo, standardInput, WriteQueue } from "../../runtime/streams.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { replaced } from "../helpers/replaced.ts";
import { streamOf, type Taking } from "../helpers/stream.ts";
import { it, suite } from "../helpers/suite.ts";

const NAME = { name: "standard output", wantsColour: (isTerminal: boolean) => isTerminal };

suite("an output's height", () => {
  const rows = [
    ["a terminal of 50 lines", true, 50, "xterm", 50],
    ["a terminal that says 0", true, 0, undefined, 24],
    ["a terminal that can draw nothing again", true, 50, "dumb", 0],
    ["no terminal", false, 50, "xterm", 0],
  ] as const;
  for (const [name, isTerminal, lines, term, expected] of rows) {
    it(`${name}: ${expected}`, () => {
      using _deno = replaced(Deno, { consoleSize: () => ({ columns: 80, rows: lines }) });
      using _env = replaced(Deno.env, { get: (key: string) => key === "TERM" ? term : undefined });
      assertEquals(outputTo(streamOf([], isTerminal), NAME).rows, expected);
    });
  }
});

suite("an output's width", () => {
  const rows = [
    ["a terminal of 120 columns", true, 120, 120],
    ["a terminal that says 0", true, 0, 80],
    ["no terminal", false, 120, 80],
  ] as const;
  for (const [name, isTerminal, columns, expected] of rows) {
    it(`${name}: ${expected}`, () => {
      using _deno = replaced(Deno, { consoleSize: () => ({ columns, rows: 24 }) });
      assertEquals(outputTo(streamOf([], isTerminal), NAME).columns, expected);
    });
  }

  it("the size of a terminal that is gone is 80 columns and 24 rows", () => {
    using _deno = replaced(Deno, {
      consoleSize: () => {
        throw new Error("Input/output error");
      },
    });
    const { columns, rows } = outputTo(streamOf([], true), NAME);
    assertEquals([columns, rows], [80, 24]);
  });

  it("changes with the terminal", () => {
    let columns = 100;
    using _deno = replaced(Deno, { consoleSize: () => ({ columns, rows: 24 }) });
    const output = outputTo(streamOf([], true), NAME);
    assertEquals(output.columns, 100);
    columns = 60;
    assertEquals(output.columns, 60);
  });
});

const TEXT = "grün\nand more\n";
const FULL = new Deno.errors.WouldBlock("(os error 11)");

/** What the stream does, and what becomes of `TEXT`. */
const WRITES: readonly (readonly [name: string, turns: readonly Taking[], error?: Error])[] = [
  ["takes all", []],
  ["takes it in pieces, characters in two", [3, 1, 0, 2]],
  ["has no room for a while", [FULL, 2, FULL, FULL]],
  ["is closed", [new Deno.errors.BrokenPipe()], new OutputClosed()],
  ["is closed after some", [2, new Deno.errors.BrokenPipe()], new OutputClosed()],
  [
    "has no room at all",
    [2, new Error("No space left on device (os error 28)")],
    new MlcliError("Cannot write to standard output: No space left on device"),
  ],
];

suite("print and write", () => {
  for (const [name, turns, error] of WRITES) {
    it(`${name}: ${error?.message ?? "all is written, in order"}`, async () => {
      const [printed, written] = [streamOf(turns), streamOf(turns)];
      const print = () => outputTo(printed, NAME).print(TEXT);
      const output = outputTo(written, NAME);
      const write = () => output.write(new TextEncoder().encode(TEXT));
      if (error) {
        const thrown = [assertThrows(print, Error), await assertRejects(write, Error)];
        for (const each of thrown) {
          assertEquals([each.name, each.message], [error.name, error.message]);
          if (each instanceof MlcliError) assertEquals(each.cause, turns.at(-1));
        }
      } else {
        print();
        await write();
        assertEquals([printed.text, written.text], [TEXT, TEXT]);
      }
    });
  }

  it("an empty text writes nothing", async () => {
    const stream = streamOf([new Error("Written")]);
    outputTo(stream, NAME).print("");
    await outputTo(stream, NAME).write(new Uint8Array());
  });

  it("it waits until somebody takes what was written", async () => {
    const room = Promise.withResolvers<number>();
    const output = outputTo({ ...streamOf(), write: () => room.promise }, NAME);
    let isTaken = false;
    const written = output.write(new Uint8Array(1)).then(() => assertEquals(isTaken, true));
    isTaken = true;
    room.resolve(1);
    await written;
  });
});

/** More than any reader is sure to have room for. */
const LONG = "x".repeat(5_000);

suite("print to a reader who does not read", () => {
  /** Takes nothing until it is told to. */
  function unread() {
    const room = Promise.withResolvers<void>();
    const stream = streamOf();
    const write = async (bytes: Uint8Array) => (await room.promise, stream.writeSync(bytes));
    return { stream, room, output: outputTo({ ...streamOf(), write }, NAME) };
  }

  it("does not wait: signals are heard", async () => {
    const { stream, room, output } = unread();
    output.print(LONG);
    output.print("the end");
    assertEquals(stream.text, "");
    room.resolve();
    await output.written?.();
    assertEquals(stream.text, `${LONG}the end`);
  });

  it("keeps the order of two streams, and of what is written", async () => {
    const { stream, room } = unread();
    const queue = new WriteQueue();
    const write = async (bytes: Uint8Array) => (await room.promise, stream.writeSync(bytes));
    const [out, err] = [1, 2].map(() => outputTo({ ...stream, write }, { ...NAME, queue }));
    out?.print(LONG);
    err?.print("(note)");
    const written = err?.write(new TextEncoder().encode("(last)"));
    room.resolve();
    await written;
    assertEquals(stream.text, `${LONG}(note)(last)`);
  });

  it("says later that it failed", async () => {
    const { room, output } = unread();
    output.print(LONG);
    room.reject(new Deno.errors.BrokenPipe());
    await assertRejects(async () => await output.written?.(), OutputClosed);
    assertThrows(() => output.print("more"), OutputClosed);
    await assertRejects(() => output.write(new Uint8Array(1)), OutputClosed);
  });
});

/** Reads of a stream that has these pieces, or fails. */
function readsOf(
  turns: readonly (string | Error)[],
): (buffer: Uint8Array) => Promise<number | null> {
  const left = [...turns];
  return (buffer) => {
    const turn = left.shift();
    if (turn instanceof Error) return Promise.reject(turn);
    if (turn === undefined) return Promise.resolve(null);
    return Promise.resolve(new TextEncoder().encodeInto(turn, buffer).written);
  };
}

suite("standardInput", () => {
  it("reads the pieces as they come, each of its own, also empty ones", async () => {
    using _stdin = replaced(Deno.stdin, { read: readsOf(["one", "", "three"]) });
    const pieces = await Array.fromAsync(standardInput().read());
    assertEquals(pieces.map((piece) => new TextDecoder().decode(piece)), ["one", "", "three"]);
  });

  it("says why it cannot be read", async () => {
    const cause = new Error("Is a directory (os error 21)");
    using _stdin = replaced(Deno.stdin, { read: readsOf(["one", cause]) });
    const error = await assertRejects(() => Array.fromAsync(standardInput().read()), MlcliError);
    assertEquals([error.message, error.cause], [
      "Cannot read standard input: Is a directory",
      cause,
    ]);
  });

  it("knows whether it is a terminal", () => {
    for (const isTerminal of [true, false]) {
      using _stdin = replaced(Deno.stdin, { isTerminal: () => isTerminal });
      assertEquals(standardInput().isTerminal, isTerminal);
    }
  });

  it("waits for the next piece", async () => {
    const next = Promise.withResolvers<number | null>();
    using _stdin = replaced(Deno.stdin, { read: () => next.promise });
    const input = standardInput();
    const pieces = input.read();
    const piece = pieces.next();
    next.resolve(5);
    assertEquals((await piece).value?.length, 5);
    await pieces.return();
  });

  it("reads a file to its end, and closes it", async () => {
    await using directory = await makeDirectory({ large: "x".repeat(65_536 + 1), empty: "" });
    for (const [name, lengths] of [["large", [65_536, 1]], ["empty", []]] as const) {
      const pieces = await Array.fromAsync(standardInput().readFile(join(directory.path, name)));
      assertEquals(pieces.map((piece) => piece.length), [...lengths]);
    }
    const missing = standardInput().readFile(join(directory.path, "missing"));
    await assertRejects(() => missing.next(), Deno.errors.NotFound);
  });

  it("fails with the opening of a file", async () => {
    using _deno = replaced(Deno, { open: () => Promise.reject(new Error("Enough")) });
    const input = standardInput();
    await assertRejects(() => input.readFile("/").next(), Error, "Enough");
  });
});
