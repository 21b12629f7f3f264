import { assertEquals } from "@std/assert";
import {
  Pace,
  TransferProgress,
  type TransferState,
} from "../../../../commands/render/progress/transfer.ts";
import { Messages } from "../../../../runtime/messages.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

const MB = 1_000_000;
const AUTO = { quiet: false, progress: "auto" } as const;

/** Returns the last lines on a terminal, or the printed lines in a pipe, after these states. */
function shownAfter(
  states: readonly (readonly [seconds: number, state: TransferState])[],
  terminal: { readonly isTerminal?: boolean; readonly columns?: number; readonly rows?: number },
  choice: { readonly quiet: boolean; readonly progress: "auto" | "plain" } = AUTO,
): readonly string[] {
  let now = 0;
  using _clock = replaced(performance, { now: () => now });
  const { err, clock } = fakeContext(terminal);
  using messages = new Messages(err, choice);
  const transfer = new TransferProgress({ messages, clock: { ...clock, now: () => now } });
  if (states[0]![0] > 0) transfer.reached({ bytes: 0, total: undefined });
  for (const [seconds, state] of states) {
    now = seconds * 1000;
    transfer.reached(state);
  }
  // deno-lint-ignore no-control-regex
  const last = err.text.split(/^\r0 bytes\x1b\[K\r/).at(-1)!;
  // deno-lint-ignore no-control-regex
  return last.split(/\r?\n/).map((line) => line.replace(/\r|\x1b\[K/g, ""));
}

suite("bytes on their way", () => {
  const state: TransferState = {
    bytes: 10 * MB,
    skipped: 5 * MB,
    total: 25 * MB,
    more: ["2 of 5 layers"],
    below: ["  a 1 of 2", "  b 2 of 3", "  c"],
  };
  for (
    const [name, seconds, terminal, expected] of [
      ["at first", 0, { columns: 80 }, [
        "15.0 MB of 25.0 MB, 2 of 5 layers",
        ...state.below!,
      ]],
      ["later", 5, { columns: 80 }, [
        "15.0 MB of 25.0 MB, 3s left, 2.0 MB/s, 2 of 5 layers",
        ...state.below!,
      ]],
      ["on 40 columns", 5, { columns: 40 }, [
        "15.0 MB of 25.0 MB, 3s left, 2.0 MB/s",
        ...state.below!,
      ]],
      ["on few lines", 5, { columns: 80, rows: 3 }, [
        "15.0 MB of 25.0 MB, 3s left, 2.0 MB/s, 2 of 5 layers",
        "  a 1 of 2",
      ]],
    ] as const
  ) {
    it(`on a terminal, ${name}`, () => {
      assertEquals(shownAfter([[seconds, state]], { isTerminal: true, ...terminal }), expected);
    });
  }

  it("of which nobody knows how many", () => {
    const states = [[2, { bytes: 4 * MB, total: undefined }]] as const;
    assertEquals(shownAfter(states, { isTerminal: true }), ["4.0 MB, 2.0 MB/s"]);
  });

  const often = [1, 5, 9, 11, 12, 21].map((seconds) =>
    [seconds, { bytes: seconds * MB, total: 30 * MB }] as const
  );
  it("in a pipe, every ten seconds", () => {
    assertEquals(shownAfter(often, {}), [
      "11.0 MB of 30.0 MB, 19s left, 1.0 MB/s",
      "21.0 MB of 30.0 MB, 9s left, 1.0 MB/s",
      "",
    ]);
  });

  it("a long transfer on a terminal is one line that is redrawn", () => {
    assertEquals(shownAfter(often.slice(-1), { isTerminal: true }), [
      "21.0 MB of 30.0 MB, 9s left, 1.0 MB/s",
    ]);
  });

  it("on a terminal with --progress plain, the same", () => {
    const plain = { quiet: false, progress: "plain" } as const;
    assertEquals(shownAfter(often, { isTerminal: true }, plain), shownAfter(often, {}));
  });

  it("with --quiet, nothing", () => {
    for (const isTerminal of [true, false]) {
      assertEquals(shownAfter(often, { isTerminal }, { ...AUTO, quiet: true }), [""]);
    }
  });
});

/** The pace after these: at a time in seconds, so much is done. */
function paceAfter(
  samples: readonly (readonly [seconds: number, amount: number])[],
  end: number,
): Pace {
  let now = 0;
  const pace = new Pace(() => now * 1000);
  for (const [seconds, amount] of samples) {
    now = seconds;
    pace.reached(amount);
  }
  now = end;
  return pace;
}

suite("a transfer", () => {
  it("TransferProgress shows no transfer after a printed state, unless the transfer continues", () => {
    const { err, clock } = fakeContext({ isTerminal: true });
    using messages = new Messages(err);
    const transfer = new TransferProgress({ messages, clock });
    transfer.reached({ bytes: MB, total: MB });
    messages.state("Received everything");
    const draw = "\r1.0 MB of 1.0 MB\x1b[K\r";
    const text = `${draw}\r\x1b[KReceived everything\n`;
    assertEquals(err.text, text);
    using _clock = replaced(performance, { now: () => Infinity });
    transfer.reached({ bytes: MB, total: MB });
    assertEquals(err.text, text + draw);
  });
});

suite("a pace", () => {
  const even = Array.from({ length: 3000 }, (_, index) => [index / 100, index] as const);
  for (
    const [name, samples, end, rate, left] of [
      ["is not known in the first second", [[0.5, 100]], 0.9, undefined, undefined],
      ["is what was done in the time", [[1, 50], [2, 100]], 2, 50, 2000],
      ["is that of the last ten seconds", [[1, 1000], [2, 1000], [12, 1100]], 12, 10, 10_000],
      ["becomes less while nothing happens", [[1, 100]], 5, 20, 5000],
      ["without progress has no end", [[1, 0], [2, 0]], 2, 0, undefined],
      ["of many small steps", even, 30, 1000 / 10, 1000],
    ] as const
  ) {
    it(name, () => {
      const pace = paceAfter(samples, end);
      const tens = (value: number | undefined) => value && Math.round(value / 10) * 10;
      assertEquals([tens(pace.rate), tens(pace.left(100))], [rate, left]);
    });
  }
});
