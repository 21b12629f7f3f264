import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import { Box } from "../../../helpers/box/box.ts";
import type { JobEnd } from "../../../helpers/box/jobs/job.ts";
import { startCloud } from "../../../helpers/cloud.ts";
import { Keys, runCloudInProcess, runInProcess } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED, type JobOptions } from "../../../helpers/jobs.ts";
import { resultOf } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

const ARTIFACT = "s3://data/output/churn/output/model.tar.gz";
const GOES_ON = "warning: The job keeps running\nhint: See its log: mlcli logs churn --follow. " +
  "Wait for it: mlcli wait churn. Stop it: mlcli stop-job churn\n";

/** Waits for a job of that end. */
async function waitFor(
  end: JobEnd,
  { log = [], leavesArtifact, prepare = () => {}, ...options }: JobOptions & {
    readonly log?: readonly string[];
    readonly leavesArtifact?: boolean;
    readonly prepare?: (box: Box) => void;
  } = {},
) {
  await using box = await Box.open();
  addJob(box, "churn", [{ status: "Training", log }, { end, leavesArtifact }], options);
  prepare(box);
  return await runCloudInProcess(box, ["wait", "churn"]);
}

suite("mlcli wait", () => {
  it("prints the artifact of a training; its states and the time billed on standard error", async () => {
    const end = { status: "Completed", trainingTime: 500, billableTime: 200 } as const;
    assertEquals(await waitFor(end, { hosts: 2 }), {
      code: 0,
      stdout: `${ARTIFACT}\n`,
      stderr: "Starting: Starting the training job\n" +
        "Training: Training image download completed. Training in progress.\n" +
        "Completed: Training job completed\n" +
        "Time: 3 min 20 s x 2 ml.m5.large = 6 min 40 s billed\n",
    });
  });

  it("prints where a processing left its output, and its last word", async () => {
    const end = { status: "Completed", exitMessage: "12 rows\x1b[2J" } as const;
    const { code, stdout, stderr } = await waitFor(end, { kind: "processing" });
    assertEquals([code, stdout], [0, "s3://data/clean/\n"]);
    assertMatch(
      stderr,
      /^InProgress\nCompleted\nTime: \d+ s x 1 ml\.m5\.large\nExit message: 12 rows\?\[2J\n$/,
    );
  });

  it("shows a failure: the whole reason, the end of the log, the likely cause", async () => {
    const log = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    const reason = "AlgorithmError: Exception during training:\nTraceback: killed, exit code: 137";
    const end = { status: "Failed", reason, billableTime: 60 } as const;
    const { code, stdout, stderr } = await waitFor(end, { log });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      "Time: 1 min x 1 ml.m5.large billed\n" +
        "error: Training job churn failed\n" +
        "  AlgorithmError: Exception during training:\n" +
        "  Traceback: killed, exit code: 137\n" +
        "  \n" +
        "  Last log lines:\n" +
        "  line 11\n",
    );
    assertStringIncludes(stderr, "  line 60\nhint: The job probably ran out of memory");
    assertStringIncludes(stderr, "See the job's whole log: mlcli logs churn\n");
    assert(!stderr.includes("line 10\n"));
  });

  it("shows a traceback once, that of the log", async () => {
    const log = [
      "Traceback (most recent call last):",
      '  File "training.py", line 7',
      "KeyError: 3",
    ];
    const reason = `AlgorithmError: KeyError: 3\n\n${log.join("\n")}, exit code: 1`;
    const { stderr } = await waitFor({ status: "Failed", reason }, { log });
    assertEquals(stderr.split("Traceback").length, 2);
    assertStringIncludes(
      stderr,
      " failed\n  AlgorithmError: KeyError: 3\n  \n  Last log lines:\n",
    );
    const elsewhere = await waitFor({ status: "Failed", reason }, { log: ["epoch 1"] });
    assertStringIncludes(elsewhere.stderr, "  KeyError: 3, exit code: 1\n");
  });

  it("names the host that failed first, with its last lines and its cause", async () => {
    const end = { status: "Failed", reason: "AlgorithmError: ValueError: no rows" } as const;
    const { code, stderr } = await waitFor(end, {
      hosts: 2,
      prepare: (box) => {
        const put = (stream: string, timestamp: number, ...lines: string[]) => {
          const events = lines.map((message) => ({ message, timestamp }));
          box.logs.put("/aws/sagemaker/TrainingJobs", `churn/${stream}`, events);
        };
        // Before it was started again.
        put("algo-1-1600000000", 1, "ValueError: no rows");
        put("algo-1-1700000000", 2_000, "CUDA out of memory", "Connection closed by peer");
        put(
          "algo-2-1700000000",
          1_000,
          "Traceback (most recent call last):",
          "ValueError: no rows",
        );
      },
    });
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "  AlgorithmError: ValueError: no rows\n  \n  algo-2 failed first:\n" +
        "  Traceback (most recent call last):\n  ValueError: no rows\nhint: The code itself failed",
    );
  });

  it("says so where a failed job wrote nothing, or its log may not be read", async () => {
    const end = { status: "Failed", reason: "ClientError: Something new" } as const;
    const silent = await waitFor(end);
    assertStringIncludes(
      silent.stderr,
      "  ClientError: Something new\nhint: The job wrote no log\n",
    );
    const denied = await waitFor(end, {
      log: ["one"],
      prepare: (box) => box.faults.deny("logs:*"),
    });
    assertEquals(denied.code, 1);
    assertStringIncludes(
      denied.stderr,
      "  ClientError: Something new\nhint: The log of the job cannot be read\n",
    );
    const none = await waitFor({ status: "Failed" });
    assertStringIncludes(none.stderr, "  SageMaker gave no reason.\n");
  });

  it("prints what a stopped training left, and fails", async () => {
    const { code, stdout, stderr } = await waitFor({ status: "Stopped" }, { leavesArtifact: true });
    assertEquals([code, stdout], [1, `${ARTIFACT}\n`]);
    assertStringIncludes(
      stderr,
      "error: Training job churn was stopped\n" +
        "hint: Standard output shows the S3 URI of the job's unfinished model. " +
        "See the job's details: mlcli describe churn\n",
    );
  });

  it("prints nothing where a stopped training left nothing, whatever address SageMaker names", async () => {
    const { code, stdout, stderr } = await waitFor({ status: "Stopped" });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      "hint: The stopped job saved no model. See the job's details: mlcli describe churn\n",
    );
  });

  it("prints nothing of a training that never began, though nobody may look", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ status: "Pending" }, { end: { status: "Stopped" } }]);
    box.faults.deny("s3:*");
    box.faults.after = async ({ operation }, answer) => {
      if (operation !== "DescribeTrainingJob") return undefined;
      const { TrainingStartTime: _, ...job } = await answer.json();
      return jsonAnswer(job);
    };
    const { stdout, stderr } = await runCloudInProcess(box, ["wait", "churn"]);
    assertEquals(stdout, "");
    assertStringIncludes(stderr, "hint: The stopped job saved no model.");
  });

  it("takes SageMaker's word for an artifact where nobody may look", async () => {
    const prepare = (box: Box) => box.faults.deny("s3:*");
    assertEquals((await waitFor({ status: "Stopped" }, { prepare })).stdout, `${ARTIFACT}\n`);
  });

  const ends = [
    [
      "MaxRuntimeExceeded",
      "reached its time limit (3600 s)",
      "To allow more time, raise --max-run.",
    ],
    [
      "MaxWaitTimeExceeded",
      "was stopped, because it waited too long for spot instances",
      "Raise --max-wait",
    ],
    [
      "Interrupted",
      "was interrupted: AWS reclaimed the spot instance",
      "If the job used --checkpoint-s3-dir",
    ],
  ] as const;
  for (const [secondary, words, remedy] of ends) {
    it(`says what ended a training: ${secondary}`, async () => {
      const { code, stdout, stderr } = await waitFor(
        { status: "Stopped", secondary },
        { leavesArtifact: true },
      );
      assertEquals([code, stdout], [1, `${ARTIFACT}\n`]);
      assertStringIncludes(stderr, `error: Training job churn ${words}\nhint: ${remedy}`);
    });
  }

  it("wait keeps waiting if the network is down, and if SageMaker throttles requests", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{}, {}, {}, {}, {}, {}, {}, ...COMPLETED]);
    const env = { AWS_MAX_ATTEMPTS: "1", AWS_RETRY_MODE: "standard" };
    let count = 0;
    box.faults.before = ({ operation }) => {
      if (operation !== "DescribeTrainingJob") return undefined;
      if (++count === 2) box.faults.loseAnswer("sagemaker:DescribeTrainingJob", 3);
      if (count === 6) box.faults.throttle("sagemaker:DescribeTrainingJob", 3);
      return undefined;
    };
    const { code, stdout, stderr } = await runCloudInProcess(box, ["wait", "churn"], { env });
    assertEquals([code, stdout], [0, `${ARTIFACT}\n`]);
    const notes = stderr.split("\n").filter((line) =>
      /^note: (Cannot reach )?AWS|was throttled/.test(line)
    );
    assertEquals(notes.length, 3, stderr);
    assertMatch(
      notes[0]!,
      /^note: Cannot reach AWS at 127\.0\.0\.1:\d+ \(.*\)\. The job is unaffected; /,
    );
    assertEquals(notes[1], "note: AWS is responding again");
    assertMatch(
      notes[2]!,
      /^note: sagemaker:\w+ was throttled \(1 attempt\)\. The job is unaffected; /,
    );
  });

  it("does not wait for a platform that has never answered", async () => {
    const { code, stderr } = await runInProcess(["wait", "churn"], {
      cwd: "/",
      cloud: {
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
        AWS_REGION: "eu-west-1",
        AWS_ACCESS_KEY_ID: "AKIDNOBODY",
        AWS_SECRET_ACCESS_KEY: "no-secret-of-anybody-at-all-00000000001",
        AWS_MAX_ATTEMPTS: "1",
      },
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot reach AWS at 127\.0\.0\.1:1\n/);
  });

  it("asks for the job of a name, whichever kind it is", async () => {
    await using box = await Box.open();
    addJob(box, "both", COMPLETED);
    addJob(box, "both", COMPLETED, { kind: "processing" });
    const run = (...args: string[]) => runCloudInProcess(box, ["wait", ...args]);
    assertEquals(await run("both"), {
      code: 1,
      stdout: "",
      stderr: 'error: Several jobs are named "both"\n  training job: InProgress\n' +
        "  processing job: InProgress\nhint: Choose one with --kind train or --kind process\n",
    });
    assertEquals((await run("both", "--kind", "process")).stdout, "s3://data/clean/\n");
    assertEquals(
      (await run("both", "--kind", "train")).stdout,
      "s3://data/output/both/output/model.tar.gz\n",
    );
    assertEquals(await run("neither", "--region", "eu-west-1"), {
      code: 1,
      stdout: "",
      stderr: "error: ResourceNotFound: job or endpoint neither\nhint: Check the name with " +
        "mlcli list-jobs and mlcli list-endpoints, or choose another region with --region. " +
        "mlcli searched in eu-west-1 (--region).\n",
    });
    const wrong = await run("no_name");
    assertEquals(wrong.code, 2);
    assertMatch(wrong.stderr, /^error: Invalid job name: "no_name"\n/);
  });

  it("needs the permission for the job's own kind alone", async () => {
    await using box = await Box.open();
    addJob(box, "churn", COMPLETED);
    box.faults.deny("sagemaker:DescribeProcessingJob");
    const run = (name: string) => runCloudInProcess(box, ["wait", name]);
    assertEquals((await run("churn")).code, 0);
    const { stderr } = await run("other");
    assertMatch(stderr, /^error: ResourceNotFound: job or endpoint other\n/);
    assertMatch(
      stderr,
      /could not be searched: AccessDeniedException: sagemaker:DescribeProcessingJob\./,
    );
    for (const kind of ["TrainingJob", "TransformJob", "Endpoint"]) {
      box.faults.deny(`sagemaker:Describe${kind}`);
    }
    assertMatch((await run("churn")).stderr, /^error: AccessDeniedException: sagemaker:DescribeTr/);
  });

  it("shows the running time on a terminal", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ status: "Training" }, ...COMPLETED]);
    const { stderr } = await runCloudInProcess(box, ["wait", "churn"], { isTerminal: true });
    // deno-lint-ignore no-control-regex
    assertMatch(stderr, /\rTraining \(\d+s\)\x1b\[K\r\r\x1b\[KCompleted: /);
  });

  it("ends at Ctrl-C with nothing on standard output; the job goes on", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", []);
    const keys = new Keys();
    box.faults.after = () => {
      if (box.operations.length > 5) keys.press();
      return undefined;
    };
    assertEquals(await runCloudInProcess(box, ["wait", "churn"], { keys }), {
      code: 130,
      stdout: "",
      stderr: `Starting: Starting the training job\n${GOES_ON}`,
    });
    assertEquals(job.status, "InProgress");
  });

  it("is a program that a signal ends", async () => {
    await using box = await Box.open();
    addJob(box, "churn", []);
    const child = startCloud(box, ["wait", "churn"]);
    let isSent = false;
    box.faults.after = () => {
      if (box.operations.length > 5 && !isSent) {
        isSent = true;
        child.kill("SIGINT");
      }
      return undefined;
    };
    assertEquals(await resultOf(child), {
      code: 130,
      stdout: "",
      stderr: `Starting: Starting the training job\n${GOES_ON}`,
    });
  });
});
