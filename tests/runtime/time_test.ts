import { assertEquals, assertRejects } from "@std/assert";
import { abortOf, deadlineIn, delayed, joinSignals, onAbort, pause } from "../../runtime/time.ts";
import { replaced } from "../helpers/replaced.ts";
import { outputWithCollection } from "../helpers/collection.ts";
import { it, suite } from "../helpers/suite.ts";

/** What became of a promise so far. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const pending = Promise.resolve("pending");
  return await Promise.race([promise.then(() => "fulfilled", () => "rejected"), pending]);
}

suite("abortOf", () => {
  it("fails with the reason of the signal, also of one that was aborted before", async () => {
    const stop = new AbortController();
    const promise = abortOf(stop.signal);
    assertEquals(await stateOf(promise), "pending");
    const reason = new Error("Ctrl-C");
    stop.abort(reason);
    assertEquals(await assertRejects(() => promise, Error), reason);
    assertEquals(await assertRejects(() => abortOf(stop.signal), Error), reason);
  });
});

suite("onAbort", () => {
  it("calls once when the signal is aborted, at once where it is, and not when disposed of", () => {
    const calls: string[] = [];
    const stop = new AbortController();
    using _kept = onAbort(stop.signal, () => calls.push("kept"));
    onAbort(stop.signal, () => calls.push("disposed"))[Symbol.dispose]();
    assertEquals(calls, []);
    stop.abort();
    assertEquals(calls, ["kept"]);
    using _late = onAbort(stop.signal, () => calls.push("late"));
    assertEquals(calls, ["kept", "late"]);
  });
});

suite("joinSignals", () => {
  it("is aborted with the first of them and its reason, also of one that was aborted before", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    using joined = joinSignals(one.signal, other.signal);
    assertEquals(joined.signal.aborted, false);
    const reason = new Error("Ctrl-C");
    other.abort(reason);
    one.abort(new Error("too late"));
    assertEquals(joined.signal.reason, reason);
    using late = joinSignals(new AbortController().signal, other.signal);
    assertEquals(late.signal.reason, reason);
  });

  it("listens to none of them once it is disposed of", () => {
    const stay = new AbortController();
    const listening = new Set<unknown>();
    using _counted = replaced(stay.signal, {
      addEventListener: (_: string, listener: unknown) => listening.add(listener),
      removeEventListener: (_: string, listener: unknown) => listening.delete(listener),
    });
    {
      using _joined = joinSignals(stay.signal, new AbortController().signal);
      assertEquals(listening.size, 1);
    }
    assertEquals(listening.size, 0);
  });

  it("is not lost when memory is collected", async () => {
    // With AbortSignal.any, it is on Deno 2.6.
    assertEquals(await outputWithCollection("signals_come_and_go.ts"), "arrived\n");
  });
});

suite("delayed", () => {
  it("is aborted after the other, also after one that was aborted before, with its reason", async () => {
    const stop = new AbortController();
    using late = delayed(stop.signal, 1);
    const reason = new Error("Ctrl-C");
    stop.abort(reason);
    assertEquals(late.signal.aborted, false);
    using later = delayed(stop.signal, 1);
    for (const { signal } of [late, later]) {
      assertEquals(await assertRejects(() => abortOf(signal), Error), reason);
    }
  });

  it("leaves neither a listener nor a timer once it is disposed of", () => {
    // A timer that is left fails a test.
    const stop = new AbortController();
    {
      using _before = delayed(stop.signal, 60_000);
      stop.abort();
    }
    delayed(stop.signal, 60_000)[Symbol.dispose]();
  });
});

/** Collects how long the timers are that are set. */
function timersHeard(delays: unknown[]): Disposable {
  const { setTimeout } = globalThis;
  return replaced(globalThis, {
    setTimeout: (work: () => void, delay?: number) => {
      delays.push(delay);
      return setTimeout(work, delay);
    },
  });
}

suite("pause", () => {
  it("is over when the time is", async () => {
    const stop = new AbortController();
    assertEquals(await pause(0, stop.signal), undefined);
    stop.abort();
  });

  it("ends with the signal's reason, also of one that was aborted before", async () => {
    const stop = new AbortController();
    const delays: unknown[] = [];
    using _clock = timersHeard(delays);
    const paused = pause(3_600_000, stop.signal);
    assertEquals(delays, [3_600_000]);
    assertEquals(await stateOf(paused), "pending");
    const reason = new Error("Ctrl-C");
    stop.abort(reason);
    assertEquals(await assertRejects(() => paused, Error), reason);
    assertEquals(await assertRejects(() => pause(3_600_000, stop.signal), Error), reason);
  });
});

suite("deadlineIn", () => {
  it("is over when the time is, and says which", async () => {
    using deadline = deadlineIn(0);
    assertEquals(deadline.signal.aborted, false);
    const error = await assertRejects(() => abortOf(deadline.signal), Error);
    assertEquals(error.message, "timed out after 0 s");
  });

  it("counts seconds, and is lifted when it is disposed of", () => {
    const delays: unknown[] = [];
    using _clock = timersHeard(delays);
    deadlineIn(90)[Symbol.dispose]();
    // A timer that is left fails this test: see `suite`.
    assertEquals(delays, [90_000]);
  });
});
