import { assertEquals, assertRejects } from "@std/assert";
import { ProgressLine, waitingOn } from "../../../../commands/render/progress/line.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("a line of progress", () => {
  it("takes the place of the one before, and goes", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 10 });
    using line = new ProgressLine(err);
    line.show("one");
    line.show("longer than the terminal");
    line.clear();
    line.clear();
    assertEquals(err.text, "\rone\x1b[K\r\rlonger t…\x1b[K\r\r\x1b[K");
  });

  it("goes when it is disposed of", () => {
    const { err } = fakeContext({ isTerminal: true });
    {
      using line = new ProgressLine(err);
      line.show("one");
    }
    assertEquals(err.text, "\rone\x1b[K\r\r\x1b[K");
  });

  it("is not shown in a pipe", async () => {
    const { err } = fakeContext();
    using line = new ProgressLine(err);
    line.show("one");
    assertEquals(await line.during("two", Promise.resolve(3)), 3);
    assertEquals(err.text, "");
  });

  it("is not shown for what is soon done, and leaves its failure as it is", async () => {
    const { err } = fakeContext({ isTerminal: true });
    using line = new ProgressLine(err);
    assertEquals(await line.during("one", Promise.resolve(1)), 1);
    await assertRejects(() => line.during("two", Promise.reject(new Error("no"))), Error, "no");
    assertEquals(err.text, "");
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
    const done = waitingOn(err)(() => text, promise);
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

  it("is said once in a pipe, if it takes long", async () => {
    for (const isLong of [true, false]) {
      using timers = ownTimers();
      const { err } = fakeContext();
      const { promise, reject } = Promise.withResolvers<number>();
      const done = waitingOn(err)(() => "Giving", promise);
      if (isLong) timers.pass(1_000);
      reject(new Error("no"));
      await assertRejects(() => done, Error, "no");
      assertEquals([err.text, timers.due.size], [isLong ? "Giving\n" : "", 0]);
    }
  });

  it("does not fail where nobody reads", async () => {
    for (const isTerminal of [true, false]) {
      using timers = ownTimers();
      const { err } = fakeContext({ isTerminal });
      const print = (): never => {
        throw new Error("gone");
      };
      const { promise, resolve } = Promise.withResolvers<number>();
      const done = waitingOn({ ...err, rows: err.rows, print })(() => "Giving", promise);
      timers.pass(1_000);
      resolve(3);
      assertEquals(await done, 3);
    }
  });
});
