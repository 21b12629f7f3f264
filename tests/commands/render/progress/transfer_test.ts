import { assertEquals } from "@std/assert";
import { Shown } from "../../../../commands/render/progress/shown.ts";
import {
  ShownTransfer,
  type TransferState,
} from "../../../../commands/render/progress/transfer.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

const MB = 1_000_000;
const AUTO = { quiet: false, progress: "auto" } as const;

/** What a terminal shows at last, or what was printed, after these. */
function shownAfter(
  states: readonly (readonly [seconds: number, state: TransferState])[],
  terminal: { readonly isTerminal?: boolean; readonly columns?: number; readonly rows?: number },
  choice: { readonly quiet: boolean; readonly progress: "auto" | "plain" } = AUTO,
): readonly string[] {
  let now = 0;
  const { err } = fakeContext(terminal);
  using shown = new Shown(err, choice);
  const transfer = new ShownTransfer(shown, () => now);
  for (const [seconds, state] of states) {
    now = seconds * 1000;
    transfer.reached(state);
  }
  // deno-lint-ignore no-control-regex
  return err.text.split(/\r?\n/).map((line) => line.replace(/\r|\x1b\[K/g, ""));
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
