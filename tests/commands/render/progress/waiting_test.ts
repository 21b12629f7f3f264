import { assertEquals, assertRejects } from "@std/assert";
import { WaitingProgress } from "../../../../commands/render/progress/waiting.ts";
import { Messages, type ProgressChoice } from "../../../../runtime/messages.ts";
import { fakeContext, type FakeContextOptions } from "../../../helpers/fake_context.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Timers that go off when the test passes time. */
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
    now: () => now,
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

/** Progress on a fake clock and a fake terminal or pipe. */
function makeProgress(
  timers: Pick<ReturnType<typeof ownTimers>, "now">,
  terminal: Pick<FakeContextOptions, "isTerminal">,
  choice: Partial<ProgressChoice> = {},
) {
  const { err, clock } = fakeContext(terminal);
  const messages = new Messages(err, choice);
  const context = { messages, clock: { ...clock, now: timers.now } };
  return { err, messages, context };
}

const PLAIN = { quiet: false, progress: "plain" } as const;

suite("WaitingProgress.during", () => {
  it("during() shows nothing for short work, and throws its error", async () => {
    const { err, clock, messages } = fakeContext({ isTerminal: true });
    const waiting = new WaitingProgress({ messages, clock });
    assertEquals(await waiting.during(() => "one", Promise.resolve(1)), 1);
    const failing = waiting.during(() => "two", Promise.reject(new Error("no")));
    await assertRejects(() => failing, Error, "no");
    assertEquals(err.text, "");
  });

  it("during() shows long work with its time on a terminal, and removes it", async () => {
    using timers = ownTimers();
    const { err, context } = makeProgress(timers, { isTerminal: true });
    const { promise, resolve } = Promise.withResolvers<number>();
    let text = "Looking";
    const done = new WaitingProgress(context).during(() => text, promise);
    timers.pass(400);
    assertEquals(err.text, "");
    timers.pass(100);
    text = "Giving";
    timers.pass(2_000);
    resolve(3);
    assertEquals([await done, timers.due.size], [3, 0]);
    assertEquals(err.text, "\rLooking (0s)\x1b[K\r\rGiving (2s)\x1b[K\r\r\x1b[K");
  });

  for (
    const [name, isLong, terminal, choice, isInPipes, text] of [
      ["prints a line for long work in a pipe if a line is wanted", true, {}, {}, true, "Giving\n"],
      [
        "prints a line for long work with --progress plain if a line is wanted",
        true,
        { isTerminal: true },
        PLAIN,
        true,
        "Giving\n",
      ],
      ["prints nothing for short work in a pipe", false, {}, {}, true, ""],
      ["prints nothing for long work in a pipe if no line is wanted", true, {}, {}, false, ""],
      ["prints nothing with --quiet", true, { isTerminal: true }, { quiet: true }, true, ""],
    ] as const
  ) {
    it(`${name}, and throws its error`, async () => {
      using timers = ownTimers();
      const { err, context } = makeProgress(timers, terminal, choice);
      const { promise, reject } = Promise.withResolvers<number>();
      const done = new WaitingProgress(context, isInPipes).during(() => "Giving", promise);
      if (isLong) timers.pass(20_000);
      reject(new Error("no"));
      await assertRejects(() => done, Error, "no");
      assertEquals([err.text, timers.due.size], [text, 0]);
    });
  }

  it("during() does not fail if standard error cannot be written", async () => {
    for (const isTerminal of [true, false]) {
      using timers = ownTimers();
      const { err, context } = makeProgress(timers, { isTerminal });
      const print = (): never => {
        throw new Error("gone");
      };
      const messages = new Messages({ ...err, rows: err.rows, print }).ignoringFailures();
      const { promise, resolve } = Promise.withResolvers<number>();
      const waiting = new WaitingProgress({ ...context, messages }, true);
      const done = waiting.during(() => "Giving", promise);
      timers.pass(1_000);
      resolve(3);
      assertEquals(await done, 3);
    }
  });
});

suite("WaitingProgress.show", () => {
  it("show() shows a text at once, with the time since the wait began, until a state is printed", () => {
    using timers = ownTimers();
    const { err, messages, context } = makeProgress(timers, { isTerminal: true });
    const waiting = new WaitingProgress(context);
    waiting.show("Training", 60_000);
    timers.pass(60_000);
    messages.state("Done");
    timers.pass(1_000);
    assertEquals(
      err.text,
      "\rTraining (1m)\x1b[K\r\rTraining (2m)\x1b[K\r\r\x1b[KDone\n",
    );
    messages[Symbol.dispose]();
  });

  it("show() shows a text again after other live lines", async () => {
    using timers = ownTimers();
    const { err, messages, context } = makeProgress(timers, { isTerminal: true });
    const waiting = new WaitingProgress(context);
    waiting.show("a");
    await waiting.during(() => "b", Promise.resolve());
    waiting.show("c");
    assertEquals(err.text, "\ra (0s)\x1b[K\r\r\x1b[K\rc (0s)\x1b[K\r");
    messages[Symbol.dispose]();
  });
});
