import { assert, assertEquals, assertMatch } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { runCloud } from "../../../helpers/cloud.ts";
import { Keys, runCloudInProcess } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED, lines } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/TrainingJobs";

/** Runs a command line against the box. */
function run(box: Box, ...args: readonly string[]) {
  return runCloudInProcess(box, ["logs", ...args]);
}

/** The same as they are printed. */
function text(prefix: string, from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix} ${from + index}\n`).join(
    "",
  );
}

suite("mlcli logs", () => {
  it("prints the log of a job, of however many pages, some of them empty", async () => {
    await using box = await Box.open();
    addJob(box, "churn", []);
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("line", 10));
    box.logs.put(GROUP, "churn-2/algo-1-1700000000", lines("other", 3));
    box.logs.eventsInPage = 3;
    box.logs.emptyPages = 2;
    assertEquals(await run(box, "churn"), { code: 0, stdout: text("line", 1, 10), stderr: "" });
  });

  it("prints those of several machines in the order of time, with their names", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [], { hosts: 2 });
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("one", 3, 1_000));
    box.logs.put(GROUP, "churn/algo-2-1700000000", lines("two", 3, 1_500));
    box.logs.streamsInPage = 1;
    box.logs.eventsInPage = 2;
    const { stdout } = await run(box, "churn");
    assertEquals(
      stdout,
      [1, 2, 3].map((number) => `algo-1: one ${number}\nalgo-2: two ${number}\n`).join(""),
    );
    const shown = await runCloudInProcess(box, ["logs", "churn", "--tail", "2"], {
      colour: true,
    });
    assertEquals(
      shown.stdout,
      "\x1b[36malgo-1\x1b[39m: one 3\n\x1b[33malgo-2\x1b[39m: two 3\n",
    );
  });

  it("finds the log of a processing job", async () => {
    await using box = await Box.open();
    addJob(box, "clean", [], { kind: "processing" });
    box.logs.put("/aws/sagemaker/ProcessingJobs", "clean/algo-1-1700000000", ["hello"]);
    assertEquals((await run(box, "clean")).stdout, "hello\n");
  });

  it("prints lines that a terminal does not obey, a progress bar as it ended", async () => {
    await using box = await Box.open();
    addJob(box, "churn", []);
    box.logs.put(GROUP, "churn/algo-1-1700000000", [
      "\r10%|#\r100%|##########",
      "\x1b[31mred\x1b[0m\x1b]0;title\x07",
      "a\x1bcb",
      "two\nlines\n",
    ]);
    assertEquals((await run(box, "churn")).stdout, "100%|##########\nred\nab\ntwo\nlines\n");
  });

  it("prints the last lines, read from the end", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [], { hosts: 2 });
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("one", 100, 1_000));
    box.logs.put(GROUP, "churn/algo-2-1700000000", lines("two", 2, 98_500));
    box.logs.eventsInPage = 2;
    const { stdout } = await run(box, "churn", "--tail", "5");
    assertEquals(
      stdout,
      "algo-1: one 98\nalgo-2: two 1\nalgo-1: one 99\nalgo-2: two 2\nalgo-1: one 100\n",
    );
    // Of the hundred lines, not more than some pages.
    assert(box.operations.filter((name) => name === "logs:GetLogEvents").length < 10);
    assertEquals(await run(box, "churn", "--tail", "0"), { code: 0, stdout: "", stderr: "" });
    const all = await run(box, "churn", "--tail", "200");
    assertEquals(all.stdout.split("\n").length, 103);
  });

  it("leaves out what is older than --since", async () => {
    await using box = await Box.open();
    addJob(box, "churn", []);
    const now = Date.now();
    box.logs.put(GROUP, "churn/algo-1-1700000000", [
      { timestamp: now - 7_200_000, message: "two hours ago" },
      { timestamp: now - 60_000, message: "a minute ago" },
    ]);
    assertEquals((await run(box, "churn", "--since", "1h")).stdout, "a minute ago\n");
    assertEquals((await run(box, "churn", "--since", "1d")).stdout.split("\n").length, 3);
    const time = new Date(now - 61_000).toISOString();
    assertEquals(
      (await run(box, "churn", "--since", time, "--tail", "9")).stdout,
      "a minute ago\n",
    );
    const none = await run(box, "churn", "--since", "5s");
    assertEquals(none.stdout, "");
    assertEquals(none.stderr, "No log lines since the given time: the job is InProgress\n");
    const wrong = await run(box, "churn", "--since", "yesterday");
    assertEquals(wrong.code, 2);
    assertMatch(wrong.stderr, /^error: Option "--since" must be a duration such as 30s, 10m/);
  });

  it("says so where a job has written nothing", async () => {
    await using box = await Box.open();
    addJob(box, "churn", COMPLETED);
    assertEquals(await run(box, "churn"), {
      code: 0,
      stdout: "",
      stderr: "No log lines yet: the job is InProgress\n",
    });
    assertEquals((await run(box, "churn")).stderr, "No log lines: the job is Completed\n");
  });

  it("follows a job until it has ended: hosts that come later, lines that come after the end", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [
      { status: "Training" },
      { log: ["one"] },
      { log: { "algo-1": ["two"], "algo-2": ["first"] } },
      { end: { status: "Failed", reason: "AlgorithmError: no\nsuch column, exit code: 1" } },
    ], { hosts: 2 });
    let rounds = 0;
    box.faults.before = ({ operation }) => {
      if (operation !== "DescribeLogStreams" || !job.hasEnded) return undefined;
      if (++rounds === 3) box.logs.put(GROUP, job.logStream("algo-2"), ["late"]);
      return undefined;
    };
    assertEquals(await run(box, "churn", "--follow"), {
      code: 0,
      stdout: "algo-1: one\nalgo-1: two\nalgo-2: first\nalgo-2: late\n",
      stderr: "The training job has ended: Failed: AlgorithmError: no\nsuch column, exit code: 1\n",
    });
  });

  it("does not tell a traceback again that the log has", async () => {
    await using box = await Box.open();
    const log = ["Traceback (most recent call last):", "KeyError: 3"];
    const reason = `AlgorithmError: KeyError: 3\n\n${log.join("\n")}, exit code: 1`;
    addJob(box, "churn", [{ log }, { end: { status: "Failed", reason } }]);
    const { stdout, stderr } = await run(box, "churn", "--follow");
    assertEquals(stdout, `${log.join("\n")}\n`);
    assertEquals(stderr, "The training job has ended: Failed: AlgorithmError: KeyError: 3\n");
  });

  it("follows from the last lines on, none twice and none left out", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{}, { log: ["new 1"] }, { log: ["new 2"] }, ...COMPLETED]);
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("old", 10));
    box.logs.eventsInPage = 1;
    const { stdout, stderr } = await run(box, "churn", "--follow", "--tail", "2");
    assertEquals(stdout, "old 9\nold 10\nnew 1\nnew 2\n");
    assertEquals(stderr, "The training job has ended: Completed\n");
  });

  it("goes on where a request failed, none twice and none left out", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{}, {}, {}, ...COMPLETED], { hosts: 2 });
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("one", 4, 1_000));
    box.logs.put(GROUP, "churn/algo-2-1700000000", lines("two", 4, 1_500));
    box.logs.eventsInPage = 1;
    let count = 0;
    box.faults.before = ({ operation }) =>
      operation === "GetLogEvents" && ++count % 2 === 0
        ? new Response("{}", { status: 503 })
        : undefined;
    const { stdout } = await runCloudInProcess(box, ["logs", "churn", "--follow"], {
      env: { AWS_MAX_ATTEMPTS: "1" },
    });
    assertEquals(stdout.split("\n").filter((line) => line.startsWith("algo-1")), [
      ...[1, 2, 3, 4].map((number) => `algo-1: one ${number}`),
    ]);
    assertEquals(stdout.split("\n").length, 9);
  });

  it("fails where the log may not be read: it is what was asked for", async () => {
    await using box = await Box.open();
    addJob(box, "churn", COMPLETED);
    box.logs.put(GROUP, "churn/algo-1-1700000000", ["secret"]);
    box.faults.deny("logs:GetLogEvents");
    for (const options of [[], ["--follow"]]) {
      const { code, stdout, stderr } = await run(box, "churn", ...options);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /error: AccessDeniedException: logs:GetLogEvents\n/);
    }
  });

  it("logs --follow exits at Ctrl-C with a hint, and the job keeps running", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [{ log: ["one"] }]);
    const keys = new Keys();
    box.faults.after = ({ operation }) => {
      if (operation === "GetLogEvents") keys.press();
      return undefined;
    };
    const args = ["logs", "churn", "-f", "--region", "eu-west-1"];
    const { code, stderr } = await runCloudInProcess(box, args, { keys });
    assertEquals(code, 130);
    assertEquals(
      stderr,
      "warning: The job keeps running\nhint: See its log: mlcli logs churn --follow --region eu-west-1. " +
        "Wait for it: mlcli wait churn --region eu-west-1. " +
        "Stop it: mlcli stop-job churn --region eu-west-1\n",
    );
    assertEquals(job.status, "InProgress");
  });

  it("hands on a long log in pieces, each soon forgotten", async () => {
    await using box = await Box.open();
    addJob(box, "churn", []);
    const count = 30_000;
    box.logs.put(GROUP, "churn/algo-1-1700000000", lines("line of some length", count));
    let [pieces, longest] = [0, 0];
    const { stdout } = await runCloudInProcess(box, ["logs", "churn"], {
      onOutput(piece) {
        pieces++;
        longest = Math.max(longest, piece.length);
      },
    });
    assertEquals(stdout, text("line of some length", 1, count));
    assert(pieces > 10 && longest < 100_000, `${pieces} pieces, the longest ${longest}`);
  });

  it("is a program: from a pipe, and with connections that end after each answer", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ log: ["one"] }, { log: ["two"] }, ...COMPLETED]);
    box.faults.closeConnections();
    assertEquals(await runCloud(box, ["logs", "churn", "--follow"]), {
      code: 0,
      stdout: "one\ntwo\n",
      stderr: "The training job has ended: Completed\n",
    });
  });
});
