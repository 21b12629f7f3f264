import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { runCloudInProcess } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED, TRAINING } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TIME = "[\\d-]+ [\\d:.]+[+-][\\d:]+";

function run(box: Box, ...args: readonly string[]) {
  return runCloudInProcess(box, ["describe", ...args]);
}

suite("mlcli describe", () => {
  it("shows what a training is and how it ended, without the values of its variables", async () => {
    await using box = await Box.open();
    const reason = "AlgorithmError: no\nsuch\x1b[2J column";
    addJob(box, "churn", [
      { status: "Training" },
      { end: { status: "Failed", reason, trainingTime: 100, billableTime: 100 } },
    ], { hosts: 2 });
    for (let step = 0; step < 2; step++) await run(box, "churn");
    const { code, stdout, stderr } = await run(box, "churn");
    assertEquals([code, stderr], [0, ""]);
    const image = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123";
    const expected = [
      "Name:           churn",
      "Kind:           training job",
      "Status:         Failed: Training job failed",
      "Reason:         AlgorithmError: no",
      "                such\\?\\[2J column",
      `Created:        ${TIME}`,
      `Started:        ${TIME}`,
      `Ended:          ${TIME}`,
      `Image:          ${image}`,
      "Role:           arn:aws:iam::123456789012:role/jobs",
      "Instances:      2 ml.m5.large",
      "Time limit:     3600 s",
      "Time:           1 min 40 s x 2 ml.m5.large = 3 min 20 s billed",
      "Input:          training s3://data/train/",
      "Output:         model s3://data/output",
      "Hyperparameter: epochs=20",
      "Variables:      API_KEY",
      "Console:        https://eu-west-1\\S+\\?region=eu-west-1#/jobs/churn",
    ].join("\n");
    assertMatch(stdout, new RegExp(`^${expected}\n$`));
  });

  it("shows where a job is that goes on", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [], { spot: true });
    const { stdout } = await run(box, "churn");
    assertMatch(stdout, /^Status: {9}InProgress: Starting: Starting the training job\n/m);
    assertMatch(stdout, /^Instances: {6}1 ml\.m5\.large, spot\n/m);
    assert(!/^(Ended|Time|Reason|Artifact):/m.test(stdout));
  });

  it("shows no message of an earlier step beside the status", async () => {
    await using box = await Box.open();
    box.faults.before = () =>
      Response.json({
        TrainingJobName: "churn",
        TrainingJobStatus: "Completed",
        SecondaryStatus: "Completed",
        SecondaryStatusTransitions: [{ Status: "Starting", StatusMessage: "Preparing" }],
      });
    const { stdout } = await run(box, "churn", "--kind", "train");
    assertMatch(stdout, /^Status: {9}Completed\n/m);
  });

  it("shows a processing", async () => {
    await using box = await Box.open();
    addJob(box, "clean", [{ end: { status: "Completed", exitMessage: "12 rows" } }], {
      kind: "processing",
    });
    await run(box, "clean");
    const { stdout } = await run(box, "clean");
    assertMatch(stdout, /^Kind: {11}processing job\nStatus: {9}Completed\nMessage: {8}12 rows\n/m);
    assertMatch(
      stdout,
      /^Input: {10}input s3:\/\/data\/raw\/\nOutput: {9}output s3:\/\/data\/clean\/\n/m,
    );
  });

  it("shows a transform, with the image and the role of its model", async () => {
    await using box = await Box.open();
    box.endpoints.addModel("churn-model", {
      PrimaryContainer: { Image: "123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123" },
      ExecutionRoleArn: "arn:aws:iam::123456789012:role/jobs",
    });
    addJob(box, "score", [{ status: "Transforming" }, ...COMPLETED], {
      kind: "transform",
      hosts: 2,
    });
    for (let step = 0; step < 2; step++) await run(box, "score");
    const { code, stdout, stderr } = await run(box, "score");
    assertEquals([code, stderr], [0, ""]);
    const lines = [
      "Kind:           transform job",
      "Status:         Completed",
      "Image:          123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123",
      "Role:           arn:aws:iam::123456789012:role/jobs",
      "Model:          churn-model",
      "Instances:      2 ml.m5.large",
      "Input:          input s3://data/batch/",
      "Output:         output s3://data/scored/",
      "Option:         content_type=text/csv",
      "Option:         split=line",
      "Variables:      API_KEY",
    ];
    for (const line of lines) assertStringIncludes(stdout, `${line}\n`);
    assertMatch(stdout, /^Time: {11}\d+ s x 2 ml\.m5\.large = \d+ s billed$/m);
    assertMatch(stdout, /#\/transform-jobs\/score$/m);
    const { options, model } = JSON.parse((await run(box, "score", "--output", "json")).stdout);
    assertEquals([options.assemble, model], ["line", "churn-model"]);
    // Without the model, or the permission to see it, the rest is shown.
    box.endpoints.models.clear();
    assertEquals(JSON.parse((await run(box, "score", "-o", "json")).stdout).image, null);
    box.faults.deny("sagemaker:DescribeModel");
    assertEquals((await run(box, "score")).code, 0);
  });

  it("is JSON for another program, what is not known null", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ end: { status: "Completed", trainingTime: 9, billableTime: 9 } }]);
    const before = JSON.parse((await run(box, "churn", "--output", "json")).stdout);
    assertEquals([before.status, before.artifact, before.ended], ["InProgress", null, null]);
    const { stdout } = await run(box, "churn", "--output", "json");
    assert(!stdout.includes("a-value-that-nobody-may-see"));
    const { created, ended, started, transitions, ...rest } = JSON.parse(stdout);
    assertMatch(created, /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/);
    assertMatch(ended, /^\d{4}-/);
    assertEquals(started, null);
    assertEquals(
      transitions.map(({ started: _, ...one }: Record<string, string>) => Object.values(one)),
      [["Starting", "Starting the training job"], ["Completed", "Training job completed"]],
    );
    assertEquals(rest, {
      name: "churn",
      kind: "train",
      arn: "arn:aws:sagemaker:eu-west-1:123456789012:training-job/churn",
      console:
        "https://eu-west-1.console.aws.amazon.com/sagemaker/home?region=eu-west-1#/jobs/churn",
      status: "Completed",
      secondary_status: "Completed",
      reason: null,
      exit_message: null,
      image: "123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123",
      role: "arn:aws:iam::123456789012:role/jobs",
      model: null,
      instance_type: "ml.m5.large",
      instance_count: 1,
      instance_groups: [],
      spot: false,
      max_run: 3_600,
      training_seconds: 9,
      billable_seconds: 9,
      inputs: [{ name: "training", uri: "s3://data/train/" }],
      outputs: [{ name: "model", uri: "s3://data/output" }],
      artifact: "s3://data/output/churn/output/model.tar.gz",
      options: {},
      hyperparameters: { epochs: "20" },
      variables: ["API_KEY"],
    });
  });

  it("shows groups of machines", async () => {
    await using box = await Box.open();
    const InstanceGroups = [
      { InstanceGroupName: "gpu", InstanceType: "ml.g5.xlarge", InstanceCount: 2 },
      { InstanceGroupName: "cpu", InstanceType: "ml.m5.large", InstanceCount: 1 },
    ];
    box.jobs.add("training", "churn", { ...TRAINING, ResourceConfig: { InstanceGroups } });
    const { stdout } = await run(box, "churn");
    assertMatch(stdout, /^Instances: +2 ml\.g5\.xlarge \+ 1 ml\.m5\.large$/m);
    const job = JSON.parse((await run(box, "churn", "--output", "json")).stdout);
    assertEquals([job.instance_type, job.instance_count], [null, 3]);
    assertEquals(job.instance_groups[1], { name: "cpu", type: "ml.m5.large", count: 1 });
  });

  it("needs a name, and one that is there", async () => {
    await using box = await Box.open();
    assertEquals((await run(box)).code, 2);
    const { code, stdout, stderr } = await run(box, "churn");
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: ResourceNotFound: job or endpoint churn\nhint: Check the name with .* mlcli searched in eu-west-1 /,
    );
  });
});
