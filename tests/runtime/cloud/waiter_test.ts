import { assertEquals, assertRejects } from "@std/assert";
import { AwsError, type Refusal } from "../../../runtime/aws/errors.ts";
import { Waiter } from "../../../runtime/cloud/waiter.ts";
import { fakeClock, fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

const AGAIN = "AWS is responding again";
const goesOn = (words: string): string => `${words}. The job is unaffected; mlcli retries.`;
const failure = (refusal: Refusal): () => Promise<never> => () =>
  Promise.reject(new AwsError(refusal, refusal));
const success = () => Promise.resolve(7);
const { signal } = new AbortController();

function waiterOf(notes: string[], clock = fakeClock(), timeout = Infinity): Waiter {
  const onMessage = (text: string) => notes.push(text.replace(/^note: (.*)\n$/, "$1"));
  const { messages } = fakeContext({ onMessage });
  const host = { clock, interruption: { signal, force: signal }, messages };
  return new Waiter(host, { what: "job", timeout });
}

suite("Waiter", () => {
  it("tells once that a service does not answer, and once that it does again", async () => {
    const notes: string[] = [];
    const waiter = waiterOf(notes);
    for (const refusal of ["unreachable", "failed", "unreachable"] as const) {
      assertEquals(await waiter.ask("job", failure(refusal)), undefined);
    }
    assertEquals(notes, [goesOn("unreachable")]);
    assertEquals(await waiter.ask("job", success), { answer: 7 });
    assertEquals(await waiter.ask("job", success), { answer: 7 });
    assertEquals(notes, [goesOn("unreachable"), AGAIN]);
    await waiter.ask("job", failure("failed"));
    assertEquals(notes.at(-1), goesOn("failed"));
  });

  it("tells it once of two that are away at a time, and not of one whose other answers", async () => {
    const notes: string[] = [];
    const waiter = waiterOf(notes);
    for (let round = 0; round < 2; round++) {
      await waiter.ask("job", failure("unreachable"));
      await waiter.ask("log", failure("unreachable"));
    }
    await waiter.ask("job", success);
    assertEquals(notes, [goesOn("unreachable")]);
    for (let round = 0; round < 2; round++) {
      await waiter.ask("job", success);
      await waiter.ask("log", failure("unreachable"));
    }
    assertEquals(notes, [goesOn("unreachable")]);
    await waiter.ask("log", success);
    assertEquals(notes, [goesOn("unreachable"), AGAIN]);
  });

  it("tells throttling once in all", async () => {
    const notes: string[] = [];
    const waiter = waiterOf(notes);
    for (let round = 0; round < 3; round++) {
      await waiter.ask("job", failure("throttled"));
      await waiter.ask("job", success);
    }
    assertEquals(notes, [goesOn("throttled")]);
  });

  it("says the network's own words", async () => {
    const notes: string[] = [];
    const error = new AwsError("unreachable", "No host", { quote: "dns error" });
    await waiterOf(notes).ask("job", () => Promise.reject(error));
    assertEquals(notes, [goesOn("No host (dns error)")]);
  });

  for (const refusal of ["denied", "not found", "credentials", "other", "in use"] as const) {
    it(`does not wait for what will not pass: ${refusal}`, async () => {
      const waiter = waiterOf([]);
      const error = await assertRejects(() => waiter.ask("job", failure(refusal)), AwsError);
      assertEquals(error.refusal, refusal);
    });
  }

  it("pauses twice as long each time, ten seconds in the end, two while there is news", async () => {
    const clock = fakeClock();
    const waiter = waiterOf([], clock);
    for (let round = 0; round < 8; round++) await waiter.pause();
    assertEquals(clock.pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    for (const hasNews of [true, true, false, false]) await waiter.pause(hasNews);
    assertEquals(clock.pauses.slice(8), [10_000, 2000, 2000, 4000]);
  });

  it("ends when the time is over, not later", async () => {
    const clock = fakeClock();
    const waiter = waiterOf([], clock, 1);
    while (!waiter.isOver) await waiter.pause();
    assertEquals(clock.pauses, [250, 500, 250]);
    assertEquals(waiterOf([], clock, 0).isOver, true);
  });

  it("knows why the last question had no answer", async () => {
    const waiter = waiterOf([]);
    await waiter.ask("job", failure("failed"));
    assertEquals(waiter.failure?.refusal, "failed");
    await waiter.ask("job", success);
    assertEquals(waiter.failure, undefined);
  });
});
