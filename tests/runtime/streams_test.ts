import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MlcliError, OutputClosed } from "../../runtime/errors.ts";
import { outputTo } from "../../runtime/streams.ts";
import { it, suite } from "../helpers/suite.ts";

/** A stream that takes what its turns say: so many bytes at most, or an error. */
function stream(turns: readonly (number | Error)[], isTerminal = false) {
  const left = [...turns];
  const taken: number[] = [];
  let attempts = 0;
  const take = (bytes: Uint8Array): number => {
    attempts++;
    const turn = left.shift() ?? Infinity;
    if (turn instanceof Error) throw turn;
    const some = bytes.subarray(0, turn);
    taken.push(...some);
    return some.length;
  };
  return {
    isTerminal: () => isTerminal,
    writeSync: take,
    // deno-lint-ignore require-await -- a refusal is a rejection
    write: async (bytes: Uint8Array) => take(bytes),
    text: () => new TextDecoder().decode(new Uint8Array(taken)),
    attempts: () => attempts,
  };
}

const NAME = { name: "standard output", noColour: false };
const full = (): Error =>
  new Deno.errors.WouldBlock("Resource temporarily unavailable (os error 11)");
const gone = (): Error => new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
const disk = (): Error => new Error("No space left on device (os error 28)");

const TEXT = "Zeile für Zeile\n".repeat(20);

suite("what is written", () => {
  const turns: readonly (readonly [title: string, turns: readonly (number | Error)[]])[] = [
    ["a stream that takes all", []],
    ["one that takes it in pieces", [1, 7, 100, 3]],
    ["one that has no room at first", [full(), full()]],
    ["one that has no room in between", [10, full(), 5, full(), full(), 1]],
    ["one that takes nothing at times", [0, 3, 0]],
  ];
  for (const [title, list] of turns) {
    it(`arrives whole and in order on ${title}`, async () => {
      const printed = stream(list);
      outputTo(printed, NAME).print(TEXT);
      assertEquals(printed.text(), TEXT);
      const written = stream(list);
      const output = outputTo(written, NAME);
      const writing = output.write(new TextEncoder().encode(TEXT));
      assertEquals(output.isWaiting, true);
      await writing;
      assertEquals([written.text(), output.isWaiting], [TEXT, false]);
    });
  }

  for (
    const [title, error, Kind, message] of [
      ["nobody reads", gone, OutputClosed, "The output was closed"],
      [
        "the disk is full",
        disk,
        MlcliError,
        "Cannot write to standard output: No space left on device",
      ],
    ] as const
  ) {
    it(`is given up where ${title}`, async () => {
      for (const before of [[], [3], [full()]]) {
        const printed = stream([...before, error()]);
        assertThrows(() => outputTo(printed, NAME).print(TEXT), Kind as typeof Error, message);
        assertEquals(printed.attempts(), before.length + 1);
        const written = stream([...before, error()]);
        const output = outputTo(written, NAME);
        await assertRejects(
          () => output.write(new TextEncoder().encode(TEXT)),
          Kind as typeof Error,
          message,
        );
        assertEquals([written.attempts(), output.isWaiting], [before.length + 1, false]);
      }
    });
  }

  it("is nothing where there is nothing", async () => {
    const empty = stream([disk()]);
    outputTo(empty, NAME).print("");
    await outputTo(empty, NAME).write(new Uint8Array());
    assertEquals(empty.attempts(), 0);
  });
});

suite("a stream that is no terminal", () => {
  it("has 80 columns and no colour", () => {
    const { isTerminal, columns, colour } = outputTo(stream([]), NAME);
    assertEquals({ isTerminal, columns, colour }, {
      isTerminal: false,
      columns: 80,
      colour: false,
    });
  });

  it("has no colour on a terminal either where it is refused", () => {
    const { isTerminal, colour } = outputTo(stream([], true), { ...NAME, noColour: true });
    assertEquals({ isTerminal, colour }, { isTerminal: true, colour: false });
  });
});
