import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { lastLines, run } from "../../scripts/process.ts";
import { it, suite } from "../helpers/suite.ts";

const options = { timeout: 10_000, hint: "Do something", signal: new AbortController().signal };

suite("Scripts: other programs", () => {
  it("run to their end and return their standard output", async () => {
    assertEquals(await run(["sh", "-c", "echo out; echo err >&2"], options), "out\n");
  });

  it("fail with their status and the end of their output", async () => {
    const error = await assertRejects(
      () => run(["sh", "-c", "echo out; echo err >&2; exit 3"], options),
      MlcliError,
      "ended with 3",
    );
    assertEquals(error.quote, "out\nerr");
    assertEquals(error.hint, "Do something");
  });

  it("fail with a hint when they are not there", async () => {
    const error = await assertRejects(() => run(["no-such-program"], options), MlcliError);
    assertEquals(error.hint, "Do something");
  });

  it("are killed when they take too long", async () => {
    const error = await assertRejects(
      () => run(["sleep", "60"], { ...options, timeout: 50 }),
      MlcliError,
    );
    assertEquals(error.message, "sleep 60 took longer than 50 ms");
  });

  it("are killed when the script is interrupted", async () => {
    const interruption = new AbortController();
    const running = run(["sleep", "60"], { ...options, signal: interruption.signal });
    interruption.abort(new Error("Interrupted"));
    await assertRejects(() => running, Error, "Interrupted");
  });
});

suite("lastLines", () => {
  it("quotes the last 15 lines of a log that are not empty", () => {
    const log = Array.from({ length: 40 }, (_, number) => `${number}\n`).join("\n");
    assertEquals(
      lastLines(log),
      Array.from({ length: 15 }, (_, number) => 25 + number).join("\n"),
    );
  });
});
