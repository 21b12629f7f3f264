import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { Keys, runCloudInProcess } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const STOPS = "sagemaker:StopTrainingJob";

function run(box: Box, ...args: readonly string[]) {
  return runCloudInProcess(box, ["stop-job", ...args]);
}

suite("mlcli stop-job", () => {
  it("stops a training, and prints its name", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [{ status: "Training" }]);
    assertEquals(await run(box, "churn"), { code: 0, stdout: "churn\n", stderr: "" });
    assertEquals(job.status, "Stopping");
    // Once more does no harm.
    assertEquals((await run(box, "churn")).code, 0);
  });

  it("stops a processing", async () => {
    await using box = await Box.open();
    const job = addJob(box, "clean", [], { kind: "processing" });
    assertEquals(await run(box, "clean"), { code: 0, stdout: "clean\n", stderr: "" });
    assertEquals(job.status, "Stopping");
  });

  for (
    const [how, args, answer, isStopped] of [
      ["in a pipe without a question", [], undefined, true],
      ["with --yes", ["--yes"], "n", true],
      ["where a terminal agrees", [], "y", true],
      ["not where a terminal does not agree", [], "", false],
    ] as const
  ) {
    it(`stops a transform, whose outputs are lost, ${how}`, async () => {
      await using box = await Box.open();
      const job = addJob(box, "score", [], { kind: "transform" });
      const options = answer === undefined ? {} : { ask: () => Promise.resolve(answer) };
      const { code, stdout, stderr } = await runCloudInProcess(
        box,
        ["stop-job", "score", ...args],
        options,
      );
      assertEquals([code, stdout, job.status], [
        ...[0, isStopped ? "score\n" : ""],
        isStopped ? "Stopping" : "InProgress",
      ], stderr);
    });
  }

  it("stop-job says that a transform was not stopped if the user does not agree", async () => {
    await using box = await Box.open();
    addJob(box, "score", [], { kind: "transform" });
    const ask = () => Promise.resolve("n");
    const { stderr } = await runCloudInProcess(box, ["stop-job", "score"], { ask });
    assertEquals(stderr, "The job was not stopped\n");
  });

  it("stop-job does not ask before it stops a transform that has ended", async () => {
    await using box = await Box.open();
    addJob(box, "score", [{ end: { status: "Completed" } }], { kind: "transform" });
    await runCloudInProcess(box, ["describe", "score"]);
    const ask = () => Promise.reject(new Error("It asked"));
    const { code, stderr } = await runCloudInProcess(box, ["stop-job", "score"], { ask });
    assertEquals([code, stderr.split(" (")[0]], [
      0,
      "Nothing to stop: the transform job has ended",
    ]);
  });

  it("waits until it has ended, and says what it left", async () => {
    await using box = await Box.open();
    const onStop = [
      { status: "Uploading" },
      { end: { status: "Stopped", billableTime: 90 }, leavesArtifact: true },
    ] as const;
    const job = addJob(box, "churn", [{ status: "Training" }, {}, {}], { onStop });
    await runCloudInProcess(box, ["describe", "churn"]);
    assertEquals(await run(box, "churn", "--wait"), {
      code: 0,
      stdout: "churn\n",
      stderr: "Starting: Starting the training job\n" +
        "Training: Training image download completed. Training in progress.\n" +
        "Stopping: Stopping the training job\n" +
        "Uploading: Uploading generated training model\n" +
        "Stopped: Training job stopped\n" +
        "Time: 1 min 30 s x 1 ml.m5.large billed\n" +
        "Partial output: s3://data/output/churn/output/model.tar.gz\n",
    });
    assertEquals(job.status, "Stopped");
  });

  it("leaves a job that has ended as it is", async () => {
    await using box = await Box.open();
    addJob(box, "churn", COMPLETED);
    await runCloudInProcess(box, ["describe", "churn"]);
    assertEquals(await run(box, "churn", "--wait"), {
      code: 0,
      stdout: "churn\n",
      stderr: "Nothing to stop: the training job has ended (Completed)\n",
    });
    assertEquals(box.operations.includes(STOPS), false);
  });

  it("succeeds where a job ends right before it is stopped", async () => {
    await using box = await Box.open();
    // Each Describe moves it on: it has ended when the request to stop it comes.
    addJob(box, "churn", COMPLETED);
    assertEquals(await run(box, "churn"), {
      code: 0,
      stdout: "churn\n",
      stderr: "Nothing to stop: the training job has ended (Completed)\n",
    });
    assertEquals(box.operations.includes(STOPS), true);
  });

  it("fails where it may not stop it, and where there is no such job", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", []);
    box.faults.deny(STOPS);
    const denied = await run(box, "churn");
    assertEquals([denied.code, denied.stdout, job.status], [1, "", "InProgress"]);
    assertMatch(denied.stderr, /^error: AccessDeniedException: sagemaker:StopTrainingJob\n/);
    const none = await run(box, "other");
    assertEquals([none.code, none.stdout], [1, ""]);
    assertMatch(none.stderr, /^error: ResourceNotFound: job other\n/);
  });

  it("stops it though the answer is lost", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", []);
    box.faults.loseAnswer(STOPS);
    assertEquals((await run(box, "churn")).code, 0);
    assertEquals(job.status, "Stopping");
  });

  it("stop-job --wait exits at Ctrl-C with a hint, and SageMaker keeps stopping the job", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [], { onStop: [] });
    const keys = new Keys();
    box.faults.after = () => {
      if (job.status === "Stopping" && box.operations.length > 5) keys.press();
      return undefined;
    };
    const args = ["stop-job", "churn", "--wait"];
    const { code, stdout, stderr } = await runCloudInProcess(box, args, { keys });
    assertEquals([code, stdout], [130, ""]);
    assertStringIncludes(
      stderr,
      "warning: SageMaker is stopping the job\nhint: Wait for it: mlcli wait churn\n",
    );
  });
});
