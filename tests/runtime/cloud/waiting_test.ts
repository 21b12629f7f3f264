import { assertEquals, assertRejects } from "@std/assert";
import { AwsError, type Refusal } from "../../../runtime/aws/errors.ts";
import { type Waiting, waiting, waitUntil } from "../../../runtime/cloud/waiting.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What came of a wait for "done", on a clock that only a pause moves. */
interface Waited {
  readonly pauses: readonly number[];
  /** What was shown meanwhile. */
  readonly shown: readonly string[];
}

/** Waits for answers that come one after the other, the last one for ever. */
async function wait(answers: readonly (string | AwsError)[], timeout: number): Promise<Waited> {
  const pauses: number[] = [];
  const shown: string[] = [];
  const left = [...answers];
  let time = 0;
  const clock: Waiting = {
    timeout,
    now: () => time,
    pause(milliseconds) {
      pauses.push(milliseconds);
      time += milliseconds;
      return Promise.resolve();
    },
  };
  const words = (latest: string | AwsError) => latest instanceof AwsError ? latest.message : latest;
  await waitUntil<string>({
    ask() {
      const answer = left.length > 1 ? left.shift()! : left[0]!;
      return answer instanceof AwsError ? Promise.reject(answer) : Promise.resolve(answer);
    },
    isOver: (answer) => answer === "done",
    onWait: (latest) => shown.push(words(latest)),
    tooLong: (latest) => new AwsError("other", `Too long: ${words(latest)}`),
  }, clock);
  return { pauses, shown };
}

suite("waitUntil", () => {
  it("asks soon at first, then twice as late each time, every ten seconds in the end", async () => {
    const { pauses, shown } = await wait([...Array(8).fill("not yet"), "done"], 1800);
    assertEquals(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    assertEquals(shown.length, 8);
  });

  it("neither pauses nor shows anything where it is over", async () => {
    assertEquals(await wait(["done"], 0), { pauses: [], shown: [] });
  });

  it("ends when the time is over, not later", async () => {
    const error = await assertRejects(() => wait(["not yet"], 1), AwsError);
    assertEquals(error.message, "Too long: not yet");
    // 250 and 500 have passed of a second.
    assertEquals((await wait(["a", "b", "c", "done"], 1)).pauses, [250, 500, 250]);
  });

  const refusals: readonly (readonly [refusal: Refusal, passes: boolean])[] = [
    ["failed", true],
    ["throttled", true],
    ["unreachable", true],
    ["denied", false],
    ["not found", false],
    ["credentials", false],
    ["in progress", false],
    ["other", false],
  ];
  for (const [refusal, passes] of refusals) {
    it(`${passes ? "asks again" : "gives up"} where the answer is "${refusal}"`, async () => {
      const failure = new AwsError(refusal, "No answer");
      if (passes) {
        assertEquals((await wait([failure, "done"], 1800)).shown, ["No answer"]);
        const error = await assertRejects(() => wait([failure], 1), AwsError);
        assertEquals(error.message, "Too long: No answer");
      } else {
        assertEquals(await assertRejects(() => wait([failure], 1800), AwsError), failure);
      }
    });
  }
});

suite("waiting", () => {
  it("ends at once when the user stops it", async () => {
    const stop = new AbortController();
    const { pause } = waiting(1800, stop.signal);
    const paused = pause(3_600_000);
    stop.abort(new Error("Ctrl-C"));
    await assertRejects(() => paused, Error, "Ctrl-C");
    await assertRejects(() => pause(3_600_000), Error, "Ctrl-C");
  });

  it("goes by a clock that only goes forward", () => {
    const { timeout, now } = waiting(5, new AbortController().signal);
    const [before, between, after] = [performance.now(), now(), performance.now()];
    assertEquals([timeout, before <= between, between <= after], [5, true, true]);
  });
});
