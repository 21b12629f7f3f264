import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { putImage } from "../../helpers/box/images.ts";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { it, suite } from "../../helpers/suite.ts";

type Request = Record<string, unknown>;

const channel = (S3Uri: string) => ({
  ChannelName: "training",
  DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri } },
});

const GROUP = { InstanceGroupName: "a", InstanceType: "ml.m5.large", InstanceCount: 1 };

const machines = (resources: Request): Request => ({
  ResourceConfig: { ...resources, VolumeSizeInGB: 30 },
});

/** A box with an image and data, and requests for jobs on them. */
async function prepared(): Promise<{ box: Box; training: Request; processing: Request }> {
  const box = await Box.open();
  const digest = await putImage(box.ecr, box.ecr.store.add("app"), { tag: "latest" });
  box.s3.createBucket("data");
  box.s3.createBucket("far", { region: "us-east-1" });
  for (const bucket of ["data", "far"]) await box.s3.put(bucket, "train/a.csv", "1\n");
  const image = `${box.ecr.front.host}/app@${digest}`;
  const resources = { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 };
  return {
    box,
    training: {
      TrainingJobName: "train-1",
      AlgorithmSpecification: { TrainingImage: image, TrainingInputMode: "File" },
      RoleArn: EXECUTION_ROLE,
      InputDataConfig: [channel("s3://data/train/")],
      OutputDataConfig: { S3OutputPath: "s3://data/output" },
      ResourceConfig: resources,
      StoppingCondition: { MaxRuntimeInSeconds: 86_400 },
    },
    processing: {
      ProcessingJobName: "process-1",
      AppSpecification: { ImageUri: image, ContainerArguments: ["process", "a.py"] },
      ProcessingResources: { ClusterConfig: resources },
      RoleArn: EXECUTION_ROLE,
    },
  };
}

suite("the box refuses to start a job for", () => {
  /** What is changed in a training, and the words. */
  const rows: readonly (readonly [string, Request, RegExp])[] = [
    [
      "a hyperparameter with a line break",
      { HyperParameters: { a: "1\n2" } },
      /at 'hyperParameters.a.member' failed to satisfy constraint: .* pattern: \.\*/,
    ],
    [
      "data that is not there",
      { InputDataConfig: [channel("s3://data/none/")] },
      /^No S3 objects found under S3 URL "s3:\/\/data\/none\/" given in input data source\. .*\(eu-west-1\), .* has "s3:ListBucket" permissions on bucket "data"\.$/,
    ],
    [
      "data in another region",
      { InputDataConfig: [channel("s3://far/train/")] },
      /^No S3 objects found under S3 URL "s3:\/\/far\/train\/"/,
    ],
    [
      "two channels of one name",
      { InputDataConfig: [channel("s3://data/train/"), channel("s3://data/train/")] },
      /^Duplicate channel names: \[training, training\]$/,
    ],
    [
      "machines and groups",
      machines({ InstanceCount: 1, InstanceGroups: [GROUP] }),
      /^Either InstanceType and InstanceCount are required, or InstanceGroups$/,
    ],
    ["twin groups", machines({ InstanceGroups: [GROUP, GROUP] }), /group names: \[a, a\]$/],
    [
      "more than 28 days",
      { StoppingCondition: { MaxRuntimeInSeconds: 2_419_201 } },
      /MaxRuntimeInSeconds. It must be less than or equal to 2419200/,
    ],
    [
      "a longest wait without spot",
      { StoppingCondition: { MaxRuntimeInSeconds: 1, MaxWaitTimeInSeconds: 2 } },
      /MaxWaitTimeInSeconds/,
    ],
    [
      "spot with a wait that is shorter than the run",
      {
        EnableManagedSpotTraining: true,
        StoppingCondition: { MaxRuntimeInSeconds: 2, MaxWaitTimeInSeconds: 1 },
      },
      /greater than or equal to MaxRuntimeInSeconds/,
    ],
  ];
  for (const [name, change, words] of rows) {
    it(name, async () => {
      const { box, training } = await prepared();
      await using _box = box;
      const { error, body } = await ask(box, "sagemaker", "CreateTrainingJob", {
        ...training,
        ...change,
      });
      assertEquals(error, "ValidationException");
      assertMatch(body.message, words);
      assertEquals(box.jobs.all, []);
    });
  }

  const at = (name: string, LocalPath: string) => ({
    InputName: name,
    S3Input: { S3Uri: "s3://data/train/", LocalPath, S3DataType: "S3Prefix" },
  });
  for (
    const [what, inputs, words] of [
      [
        "eleven inputs",
        Array.from({ length: 11 }, (_, n) => at(`${n}`, `/opt/ml/processing/${n}`)),
        /10/,
      ],
      ["a path elsewhere", [at("a", "/data")], /^LocalPath must begin with/],
      ["a long path", [at("a", `/opt/ml/processing/${"x".repeat(240)}`)], /256/],
      [
        "one path twice",
        [at("a", "/opt/ml/processing/x"), at("b", "/opt/ml/processing/x")],
        /unique/,
      ],
      [
        "one name twice",
        [at("a", "/opt/ml/processing/x"), at("a", "/opt/ml/processing/y")],
        /Dupl/,
      ],
    ] as const
  ) {
    it(`a processing with ${what}`, async () => {
      const { box, processing } = await prepared();
      await using _box = box;
      const { error, body } = await ask(box, "sagemaker", "CreateProcessingJob", {
        ...processing,
        ProcessingInputs: inputs,
      });
      assertEquals(error, "ValidationException");
      assertMatch(body.message, words);
    });
  }

  it("more machines than the account may have", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    const groups = [GROUP, { ...GROUP, InstanceGroupName: "b", InstanceCount: 20 }];
    const request = { ...training, ...machines({ InstanceGroups: groups }) };
    const { error, body } = await ask(box, "sagemaker", "CreateTrainingJob", request);
    assertEquals(error, "ResourceLimitExceeded");
    assertMatch(body.message, /is 20 Instances, .* request delta of 21 Instances\./);
  });

  it("a name that was given before", async () => {
    const { box, training, processing } = await prepared();
    await using _box = box;
    await ask(box, "sagemaker", "CreateTrainingJob", training);
    const again = await ask(box, "sagemaker", "CreateTrainingJob", training);
    assertEquals(again.error, "ResourceInUse");
    assertMatch(again.body.message, /^Training job names must be unique within an AWS account/);
    const other = { ...processing, ProcessingJobName: "train-1" };
    assertEquals((await ask(box, "sagemaker", "CreateProcessingJob", other)).status, 200);
  });

  it("what the box does not have, which fails the test", async () => {
    const { box, training } = await prepared();
    const AlgorithmSpecification = {
      ...training.AlgorithmSpecification as Request,
      TrainingInputMode: "Pipe",
    };
    const { status } = await ask(box, "sagemaker", "CreateTrainingJob", {
      ...training,
      AlgorithmSpecification,
    });
    assertEquals(status >= 500, true);
    await assertRejects(
      () => box[Symbol.asyncDispose](),
      Error,
      "The box has no TrainingInputMode Pipe",
    );
  });
});
