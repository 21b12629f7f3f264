import { assertEquals, assertRejects } from "@std/assert";
import { ProgressOutput, waitingOn } from "../../../../commands/render/progress/output.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

const AUTO = { quiet: false, progress: "auto" } as const;
const PLAIN = { quiet: false, progress: "plain" } as const;
const QUIET = { quiet: true, progress: "auto" } as const;

suite("the output of progress", () => {
  it("says nothing of what is soon done, and leaves its failure as it is", async () => {
    const { err } = fakeContext({ isTerminal: true });
    using shown = new ProgressOutput(err, AUTO);
    assertEquals(await shown.during(() => "one", Promise.resolve(1)), 1);
    const failing = shown.during(() => "two", Promise.reject(new Error("no")));
    await assertRejects(() => failing, Error, "no");
    assertEquals(err.text, "");
  });

  it("passes on what others print, but for notes where it is quiet", () => {
    const printed = ["note: a\n", "warning: b\n", "c\n"];
    for (const [choice, text] of [[AUTO, printed.join("")], [QUIET, "warning: b\nc\n"]] as const) {
      const { err } = fakeContext({ isTerminal: true });
      const above = new ProgressOutput(err, choice).above();
      for (const line of printed) above.print(line);
      assertEquals(err.text, text);
    }
  });
});

/** Timers that go off when the test says so. */
function ownTimers() {
  const due = new Map<number, () => void>();
  const set = (listener: () => void): number => {
    due.set(due.size + 1, listener);
    return due.size;
  };
  const clear = (id?: number): void => void due.delete(id ?? 0);
  let now = 0;
  const globals = replaced(globalThis, {
    setTimeout: set as never,
    setInterval: set as never,
    clearTimeout: clear as never,
    clearInterval: clear as never,
  });
  const clock = replaced(performance, { now: () => now });
  return {
    due,
    pass(milliseconds: number): void {
      now += milliseconds;
      for (const listener of due.values()) listener();
    },
    [Symbol.dispose]() {
      clock[Symbol.dispose]();
      globals[Symbol.dispose]();
    },
  };
}

suite("what takes long at the end of a run", () => {
  it("is said on a terminal, with the time, and goes", async () => {
    using timers = ownTimers();
    const { err } = fakeContext({ isTerminal: true });
    const { promise, resolve } = Promise.withResolvers<number>();
    let text = "Looking";
    const done = waitingOn(err, AUTO)(() => text, promise);
    timers.pass(400);
    assertEquals(err.text, "");
    timers.pass(100);
    text = "Giving";
    timers.pass(2_000);
    resolve(3);
    assertEquals([await done, timers.due.size], [3, 0]);
    assertEquals(
      err.text,
      "\rLooking (0s)\x1b[K\r\rGiving (2s)\x1b[K\r\r\x1b[K",
    );
  });

  it("is said once in a pipe or if that is asked for, if it takes long", async () => {
    for (
      const [isLong, isTerminal, choice] of [
        [true, false, AUTO],
        [true, true, PLAIN],
        [false, false, AUTO],
      ] as const
    ) {
      using timers = ownTimers();
      const { err } = fakeContext({ isTerminal });
      const { promise, reject } = Promise.withResolvers<number>();
      const done = waitingOn(err, choice)(() => "Giving", promise);
      if (isLong) timers.pass(1_000);
      reject(new Error("no"));
      await assertRejects(() => done, Error, "no");
      assertEquals([err.text, timers.due.size], [isLong ? "Giving\n" : "", 0]);
    }
  });

  it("is not said where it is quiet", async () => {
    using timers = ownTimers();
    const { err } = fakeContext({ isTerminal: true });
    const { promise, resolve } = Promise.withResolvers<number>();
    const done = waitingOn(err, QUIET)(() => "Giving", promise);
    timers.pass(20_000);
    resolve(3);
    assertEquals([await done, err.text], [3, ""]);
  });

  it("does not fail where nobody reads", async () => {
    for (const isTerminal of [true, false]) {
      using timers = ownTimers();
      const { err } = fakeContext({ isTerminal });
      const print = (): never => {
        throw new Error("gone");
      };
      const { promise, resolve } = Promise.withResolvers<number>();
      const done = waitingOn({ ...err, rows: err.rows, print }, AUTO)(() => "Giving", promise);
      timers.pass(1_000);
      resolve(3);
      assertEquals(await done, 3);
    }
  });
});
