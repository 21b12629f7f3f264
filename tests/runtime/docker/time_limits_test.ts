import { assertEquals, assertRejects } from "@std/assert";
import {
  type EngineWait,
  SilentEngine,
  type TimeLimitOptions,
  TimeLimits,
} from "../../../runtime/docker/time_limits.ts";
import { Interrupted } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Time limits that are over when the test says so. */
class Limits {
  readonly #running: { readonly seconds: number; readonly over: AbortController }[] = [];

  readonly after: TimeLimitOptions["after"] = (seconds) => {
    const over = new AbortController();
    this.#running.push({ seconds, over });
    return over.signal;
  };

  /** What was asked for, in seconds, since it was last looked at. */
  take(): readonly number[] {
    return this.#running.splice(0).map(({ seconds }) => seconds);
  }

  /** Lets so many seconds pass. */
  pass(passed: number): void {
    for (const { seconds, over } of this.#running) if (seconds <= passed) over.abort();
  }
}

const ASK: EngineWait = { call: "GET /containers/json", effort: "ask" };
const ACT: EngineWait = { call: "POST /containers/create", effort: "act" };
const STOP: EngineWait = { call: "POST /containers/abc/stop", effort: "ask", grace: 30 };

function unanswered(timeLimits: TimeLimits, wait: EngineWait): Promise<unknown> {
  const cut = new AbortController();
  return timeLimits.during(
    wait,
    cut,
    () =>
      new Promise((_, reject) =>
        cut.signal.addEventListener("abort", () => reject(cut.signal.reason))
      ),
  );
}

async function answered(timeLimits: TimeLimits, wait: EngineWait): Promise<void> {
  await timeLimits.during(wait, new AbortController(), () => Promise.resolve());
}

suite("time limits of calls", () => {
  it("has a limit for each call, by what the engine does for it", async () => {
    const limits = new Limits();
    const timeLimits = new TimeLimits({ after: limits.after });
    const rows: readonly (readonly [EngineWait, limit: number, said: number])[] = [
      [ASK, 60, 10],
      [ACT, 600, 10],
      [STOP, 90, 40],
      [{ ...ASK, within: 8 }, 8, 10],
    ];
    for (const [wait, limit, said] of rows) {
      await answered(timeLimits, wait);
      assertEquals(limits.take(), [limit, said], wait.call);
    }
    await answered(timeLimits, { ...ACT, effort: "wait" });
    assertEquals(limits.take(), []);
  });

  it("says what does not answer, and after how long", async () => {
    const limits = new Limits();
    const call = unanswered(new TimeLimits({ after: limits.after }), ACT);
    limits.pass(600);
    const error = await assertRejects(() => call, SilentEngine);
    assertEquals(
      error.message,
      "The Docker Engine did not respond within 600 s (creating a container)",
    );
  });

  it("says after a while what mlcli waits for", async () => {
    const limits = new Limits();
    const said: string[] = [];
    const timeLimits = new TimeLimits({ after: limits.after, onWait: (text) => said.push(text) });
    const call = unanswered(timeLimits, { ...ASK, call: "GET /v1.41/info" });
    limits.pass(9);
    assertEquals(said, []);
    limits.pass(10);
    assertEquals(said, ["Waiting for the Docker Engine (identifying the engine)"]);
    limits.pass(60);
    await assertRejects(() => call, SilentEngine);
  });

  it("says it once, though several calls wait, until one is answered", async () => {
    const limits = new Limits();
    const said: string[] = [];
    const timeLimits = new TimeLimits({ after: limits.after, onWait: (text) => said.push(text) });
    // Nobody waits for these any longer once their limits are taken.
    for (const wait of [ASK, ACT, ASK]) void unanswered(timeLimits, wait);
    limits.pass(10);
    assertEquals(said, ["Waiting for the Docker Engine (listing containers)"]);
    await answered(timeLimits, ASK);
    limits.take();
    const later = unanswered(timeLimits, ACT);
    limits.pass(600);
    assertEquals(said.slice(1), ["Waiting for the Docker Engine (creating a container)"]);
    await assertRejects(() => later, SilentEngine);
  });

  it("is short once the user wants an end, also with a call that is under way", async () => {
    const limits = new Limits();
    const first = new AbortController();
    const timeLimits = new TimeLimits({ after: limits.after, interruption: first.signal });
    const calls = [ASK, ACT, STOP].map((wait) => unanswered(timeLimits, wait));
    limits.take();
    first.abort(new Interrupted("SIGINT"));
    const pressed = unanswered(timeLimits, ACT);
    // None has begun in silence; a container that is being stopped has its grace.
    const under = [5, 5, 35, 5];
    limits.pass(35);
    for (const call of [...calls, pressed]) {
      const error = await assertRejects(() => call, SilentEngine);
      // Whoever reports it sees that the user has wanted it.
      assertEquals(error.cause instanceof Interrupted, true);
    }
    assertEquals(limits.take(), under);
  });

  it("is short with an engine that left a call unanswered, until it answers again", async () => {
    const limits = new Limits();
    const first = new AbortController();
    const timeLimits = new TimeLimits({ after: limits.after, interruption: first.signal });
    const call = unanswered(timeLimits, ASK);
    limits.pass(60);
    await assertRejects(() => call, SilentEngine);
    limits.take();
    await answered(timeLimits, STOP);
    assertEquals(limits.take()[0], 5);
    await answered(timeLimits, ASK);
    assertEquals(limits.take()[0], 60);
    first.abort(new Interrupted("SIGINT"));
    const last = unanswered(timeLimits, ACT);
    limits.pass(5);
    await assertRejects(() => last, SilentEngine);
    limits.take();
    await answered(timeLimits, ACT);
    assertEquals(limits.take(), [1]);
  });
});
