import { assertEquals, assertRejects } from "@std/assert";
import { AwsError, type Refusal } from "../../../../runtime/aws/errors.ts";
import { Patience } from "../../../../runtime/cloud/jobs/patience.ts";
import { it, suite } from "../../../helpers/suite.ts";

const AGAIN = "The platform answers again.";
const goesOn = (words: string): string => `${words}. The job goes on; mlcli keeps asking.`;
const failure = (refusal: Refusal): () => Promise<never> => () =>
  Promise.reject(new AwsError(refusal, refusal));
const success = () => Promise.resolve(7);

suite("Patience", () => {
  it("tells once that a service does not answer, and once that it does again", async () => {
    const notes: string[] = [];
    const patience = new Patience((text) => notes.push(text));
    for (const refusal of ["unreachable", "failed", "unreachable"] as const) {
      assertEquals(await patience.ask("job", failure(refusal)), undefined);
    }
    assertEquals(notes, [goesOn("unreachable")]);
    assertEquals(await patience.ask("job", success), { answer: 7 });
    assertEquals(await patience.ask("job", success), { answer: 7 });
    assertEquals(notes, [goesOn("unreachable"), AGAIN]);
    await patience.ask("job", failure("failed"));
    assertEquals(notes.at(-1), goesOn("failed"));
  });

  it("tells it once of two that are away at a time, and not of one whose other answers", async () => {
    const notes: string[] = [];
    const patience = new Patience((text) => notes.push(text));
    for (let round = 0; round < 2; round++) {
      await patience.ask("job", failure("unreachable"));
      await patience.ask("log", failure("unreachable"));
    }
    await patience.ask("job", success);
    assertEquals(notes, [goesOn("unreachable")]);
    for (let round = 0; round < 2; round++) {
      await patience.ask("job", success);
      await patience.ask("log", failure("unreachable"));
    }
    assertEquals(notes, [goesOn("unreachable")]);
    await patience.ask("log", success);
    assertEquals(notes, [goesOn("unreachable"), AGAIN]);
  });

  it("tells throttling once in all", async () => {
    const notes: string[] = [];
    const patience = new Patience((text) => notes.push(text));
    for (let round = 0; round < 3; round++) {
      await patience.ask("job", failure("throttled"));
      await patience.ask("job", success);
    }
    assertEquals(notes, [goesOn("throttled")]);
  });

  it("says the network's own words", async () => {
    const notes: string[] = [];
    const error = new AwsError("unreachable", "No host", { quote: "dns error" });
    await new Patience((text) => notes.push(text)).ask("job", () => Promise.reject(error));
    assertEquals(notes, [goesOn("No host (dns error)")]);
  });

  for (const refusal of ["denied", "not found", "credentials", "other", "in use"] as const) {
    it(`does not wait for what will not pass: ${refusal}`, async () => {
      const patience = new Patience(() => {});
      const error = await assertRejects(() => patience.ask("job", failure(refusal)), AwsError);
      assertEquals(error.refusal, refusal);
    });
  }
});
