import { assert, assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { explain, lastLines, removeTree, run, withLock } from "../../scripts/script.ts";
import { afterEach, beforeEach, it, suite } from "../helpers/suite.ts";

const never = new AbortController().signal;
const options = { timeout: 10_000, hint: "Do something", signal: never };

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

suite("Scripts: a lock", () => {
  let directory = "";
  beforeEach(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  });
  afterEach(() => removeTree(directory));

  it("keeps a second process out until the first one ends", async () => {
    const path = `${directory}/lock`;
    await Deno.writeTextFile(path, "");
    const holder = new Deno.Command("flock", {
      args: [path, "sh", "-c", "echo held; read line"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    let entered = false;
    const work = withLock(path, { timeout: 10_000, signal: never }, () => {
      entered = true;
      return Promise.resolve("done");
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert(!entered, "Entered while another process held the lock");
    await holder.stdin.close();
    assertEquals(await work, "done");
    await reader.cancel();
    await holder.status;
  });

  it("is free again after work that failed", async () => {
    const path = `${directory}/lock`;
    const limits = { timeout: 10_000, signal: never };
    await assertRejects(
      () => withLock(path, limits, () => Promise.reject(new Error("broken"))),
      Error,
      "broken",
    );
    assertEquals(await withLock(path, limits, () => Promise.resolve("done")), "done");
  });
});

suite("Scripts: what the user reads", () => {
  it("has the message, the quote and the hint on lines of their own", () => {
    const error = new MlcliError("It broke", { quote: "one\ntwo", hint: "Mend it" });
    assertEquals(explain(error), "error: It broke\n  one\n  two\nhint: Mend it");
  });

  it("has no stack for an error that nobody expected", () => {
    assertEquals(explain(new TypeError("x is not a function")), "error: x is not a function");
  });

  it("quotes the last 15 lines of a log that are not empty", () => {
    const log = Array.from({ length: 40 }, (_, number) => `${number}\n`).join("\n");
    assertEquals(
      lastLines(log),
      Array.from({ length: 15 }, (_, number) => 25 + number).join("\n"),
    );
  });
});
