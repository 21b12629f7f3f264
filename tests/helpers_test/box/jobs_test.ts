import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { it, suite } from "../../helpers/suite.ts";

type Request = Record<string, unknown>;

/** A box with an image and data, and requests for jobs on them. */
async function prepared(): Promise<{ box: Box; training: Request; processing: Request }> {
  const box = await Box.open();
  const digest = await putImage(box.ecr, box.ecr.store.add("app"), { tag: "latest" });
  box.s3.createBucket("data");
  await box.s3.put("data", "train/a.csv", "1\n");
  const image = `${box.ecr.front.host}/app@${digest}`;
  const resources = { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 };
  return {
    box,
    training: {
      TrainingJobName: "train-1",
      AlgorithmSpecification: { TrainingImage: image, TrainingInputMode: "File" },
      RoleArn: EXECUTION_ROLE,
      InputDataConfig: [{
        ChannelName: "training",
        DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: "s3://data/train/" } },
      }],
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

suite("the box's jobs: as a test wrote them down", () => {
  it("go on with each Describe, and leave an artifact where nothing else is said", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    const created = await ask(box, "sagemaker", "CreateTrainingJob", training);
    assertEquals(created.body, {
      TrainingJobArn: "arn:aws:sagemaker:eu-west-1:123456789012:training-job/train-1",
    });
    const seen: string[] = [];
    const name = { TrainingJobName: "train-1" };
    for (let round = 0; round < 5; round++) {
      const { body } = await ask(box, "sagemaker", "DescribeTrainingJob", name);
      seen.push(`${body.TrainingJobStatus} ${body.SecondaryStatus}`);
    }
    assertEquals(seen, [
      "InProgress Starting",
      "InProgress Downloading",
      "InProgress Training",
      "InProgress Uploading",
      "Completed Completed",
    ]);
    const { body } = await ask(box, "sagemaker", "DescribeTrainingJob", name);
    assertEquals(
      body.SecondaryStatusTransitions.map((one: Request) => one.StatusMessage),
      [
        "Starting the training job",
        "Downloading input data",
        "Training image download completed. Training in progress.",
        "Uploading generated training model",
        "Training job completed",
      ],
    );
    const artifact = "s3://data/output/train-1/output/model.tar.gz";
    assertEquals(body.ModelArtifacts, { S3ModelArtifacts: artifact });
    assertEquals(box.s3.keys("data", "output/"), ["output/train-1/output/model.tar.gz"]);
  });

  it("say what they are told to, print lines, and fail", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    const reason = "AlgorithmError: no such column, exit code: 1";
    box.jobs.script("train-*", [
      { status: "Starting", message: "Launching requested ML instances" },
      { status: "Training", log: ["epoch 1", "epoch 2"] },
      { log: { "algo-2": ["from the other host"] }, end: { status: "Failed", reason } },
    ]);
    await ask(box, "sagemaker", "CreateTrainingJob", training);
    const describe = async () =>
      (await ask(box, "sagemaker", "DescribeTrainingJob", { TrainingJobName: "train-1" })).body;
    await describe();
    const second = await describe();
    assertEquals(second.SecondaryStatusTransitions.length, 1);
    assertEquals(
      second.SecondaryStatusTransitions[0].StatusMessage,
      "Launching requested ML instances",
    );
    await describe();
    const job = box.jobs.only("training");
    assertEquals(box.logs.messages("/aws/sagemaker/TrainingJobs", job.logStream("algo-1")), [
      "epoch 1",
      "epoch 2",
    ]);
    const last = await describe();
    assertEquals([last.TrainingJobStatus, last.FailureReason], ["Failed", reason]);
    assertEquals(last.ModelArtifacts, undefined);
    assertEquals(box.s3.keys("data", "output/"), []);
    assertEquals(box.logs.messages("/aws/sagemaker/TrainingJobs", job.logStream("algo-2")), [
      "from the other host",
    ]);
  });

  it("stop when they are asked to, and then cannot be stopped again", async () => {
    const { box, training, processing } = await prepared();
    await using _box = box;
    const rows = [
      ["Training", training, "train-1"],
      ["Processing", processing, "process-1"],
    ] as const;
    for (const [word, request, name] of rows) {
      const asked = { [`${word}JobName`]: name };
      await ask(box, "sagemaker", `Create${word}Job`, request);
      assertEquals((await ask(box, "sagemaker", `Stop${word}Job`, asked)).status, 200);
      const first = await ask(box, "sagemaker", `Describe${word}Job`, asked);
      assertEquals(first.body[`${word}JobStatus`], "Stopping");
      const then = await ask(box, "sagemaker", `Describe${word}Job`, asked);
      assertEquals(then.body[`${word}JobStatus`], "Stopped");
      const { error, body } = await ask(box, "sagemaker", `Stop${word}Job`, asked);
      assertEquals(error, "ValidationException");
      assertMatch(
        body.message,
        /^The request was rejected because the .* job is in status Stopped/,
      );
    }
  });

  it("tell 1,024 characters of a reason", async () => {
    await using box = await Box.open();
    const job = box.jobs.add("training", "long");
    job.end({ status: "Failed", reason: "x".repeat(2_000) });
    const asked = { TrainingJobName: "long" };
    const { body } = await ask(box, "sagemaker", "DescribeTrainingJob", asked);
    assertEquals(body.FailureReason.length, 1_024);
  });

  it("of spot instances bill less than they took", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    box.jobs.script("*", [{ end: { status: "Completed", trainingTime: 100 } }]);
    await ask(box, "sagemaker", "CreateTrainingJob", {
      ...training,
      EnableManagedSpotTraining: true,
      StoppingCondition: { MaxRuntimeInSeconds: 10, MaxWaitTimeInSeconds: 20 },
    });
    const job = box.jobs.only("training");
    await box.jobs.advance(job);
    assertEquals([job.trainingTime, job.billableTime], [100, 30]);
  });
});

suite("the box's jobs: without a machine", () => {
  it("say that there is none, and fail", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    box.faults.outOfCapacity();
    await ask(box, "sagemaker", "CreateTrainingJob", training);
    const job = box.jobs.only("training");
    await box.jobs.advance(job);
    assertEquals(
      job.transitions.at(-1)!.StatusMessage,
      "Insufficient capacity error from EC2 while launching instances, retrying!",
    );
    await box.jobs.advance(job);
    assertEquals(job.status, "Failed");
    assertMatch(job.failureReason!, /^CapacityError: Unable to provision requested ML compute/);
  });
});

suite("the box's jobs: what is refused", () => {
  const role = "arn:aws:iam::123456789012:role/unknown";
  /** What is changed in a training, the code, and the words. */
  const rows: readonly (readonly [string, Request, string, RegExp])[] = [
    [
      "a name with an underscore",
      { TrainingJobName: "a_b" },
      "ValidationException",
      /^1 validation error detected: Value 'a_b' at 'trainingJobName' failed to satisfy constraint: Member must satisfy regular expression pattern: /,
    ],
    [
      "no role",
      { RoleArn: undefined },
      "ValidationException",
      /Value null at 'roleArn' failed to satisfy constraint: Member must not be null/,
    ],
    [
      "a role that does not trust SageMaker",
      { RoleArn: role },
      "ValidationException",
      /^Could not assume role arn:aws:iam::123456789012:role\/unknown\. Please ensure that the role exists and allows principal 'sagemaker.amazonaws.com' to assume the role\.$/,
    ],
    [
      "an instance type that there is not",
      { ResourceConfig: { InstanceType: "ml.m5.tiny", InstanceCount: 1, VolumeSizeInGB: 1 } },
      "ValidationException",
      /Value 'ml.m5.tiny' at 'resourceConfig.instanceType' failed .* enum value set: \[ml\./,
    ],
    [
      "a hyperparameter with a line break",
      { HyperParameters: { a: "1\n2" } },
      "ValidationException",
      /at 'hyperParameters.a.member' failed to satisfy constraint: .* pattern: \.\*/,
    ],
    [
      "data that is not there",
      {
        InputDataConfig: [{
          ChannelName: "training",
          DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: "s3://data/none/" } },
        }],
      },
      "ValidationException",
      /^No S3 objects found under S3 URL "s3:\/\/data\/none\/" given in input data source\. .*\(eu-west-1\), .* has "s3:ListBucket" permissions on bucket "data"\.$/,
    ],
    [
      "more than 28 days",
      { StoppingCondition: { MaxRuntimeInSeconds: 2_419_201 } },
      "ValidationException",
      /MaxRuntimeInSeconds. It must be less than or equal to 2419200/,
    ],
    [
      "a longest wait without spot",
      { StoppingCondition: { MaxRuntimeInSeconds: 1, MaxWaitTimeInSeconds: 2 } },
      "ValidationException",
      /MaxWaitTimeInSeconds/,
    ],
    [
      "spot with a wait that is shorter than the run",
      {
        EnableManagedSpotTraining: true,
        StoppingCondition: { MaxRuntimeInSeconds: 2, MaxWaitTimeInSeconds: 1 },
      },
      "ValidationException",
      /greater than or equal to MaxRuntimeInSeconds/,
    ],
  ];
  for (const [name, change, code, words] of rows) {
    it(name, async () => {
      const { box, training } = await prepared();
      await using _box = box;
      const { error, body } = await ask(box, "sagemaker", "CreateTrainingJob", {
        ...training,
        ...change,
      });
      assertEquals(error, code);
      assertMatch(body.message, words);
      assertEquals(box.jobs.all, []);
    });
  }

  it("data in another region", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    box.s3.createBucket("far", { region: "us-east-1" });
    await box.s3.put("far", "train/a.csv", "1\n");
    const [channel] = training.InputDataConfig as [Request];
    const S3DataSource = { S3DataType: "S3Prefix", S3Uri: "s3://far/train/" };
    const { body } = await ask(box, "sagemaker", "CreateTrainingJob", {
      ...training,
      InputDataConfig: [{ ...channel, DataSource: { S3DataSource } }],
    });
    assertMatch(body.message, /^No S3 objects found under S3 URL "s3:\/\/far\/train\/"/);
  });

  it("two channels of one name", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    const [channel] = training.InputDataConfig as [Request];
    const { body } = await ask(box, "sagemaker", "CreateTrainingJob", {
      ...training,
      InputDataConfig: [channel, channel],
    });
    assertEquals(body.message, "Duplicate channel names: [training, training]");
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

  it("an image of OCI's format, and one that is not there", async () => {
    const { box, processing } = await prepared();
    await using _box = box;
    const app = box.ecr.store.repositories.get("app")!;
    const digest = await putImage(box.ecr, app, { tag: "oci", format: "oci" });
    const platform = { os: "linux", architecture: "amd64" };
    await putIndex(box.ecr, app, [indexed(app, digest, platform)], { tag: "index" });
    const words = [
      ["app:oci", /^Unsupported manifest media type application\/vnd\.oci\.image\.manifest/],
      ["app:index", /^Unsupported manifest media type application\/vnd\.oci\.image\.index/],
      ["app:none", /^Requested image \S+\/app:none not found\.$/],
      ["other:latest", /^Cannot find repository: other in registry ID: 123456789012/],
    ] as const;
    for (const [image, expected] of words) {
      const { error, body } = await ask(box, "sagemaker", "CreateProcessingJob", {
        ...processing,
        AppSpecification: { ImageUri: `${box.ecr.front.host}/${image}` },
      });
      assertEquals(error, "ValidationException");
      assertMatch(body.message, expected);
    }
  });

  it("what IAM denies: the role, and tags", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    box.faults.deny("iam:PassRole", EXECUTION_ROLE);
    const passed = await ask(box, "sagemaker", "CreateTrainingJob", training);
    assertEquals(passed.error, "AccessDeniedException");
    assertMatch(passed.body.Message, /is not authorized to perform: iam:PassRole on resource: /);
    box.faults.allowAll();
    box.faults.deny("sagemaker:AddTags");
    const tagged = { ...training, Tags: [{ Key: "team", Value: "a" }] };
    const denied = await ask(box, "sagemaker", "CreateTrainingJob", tagged);
    assertMatch(denied.body.Message, /perform: sagemaker:AddTags on resource: \S+\/train-1/);
    assertEquals((await ask(box, "sagemaker", "CreateTrainingJob", training)).status, 200);
  });

  it("what the account has no quota for", async () => {
    const { box, training, processing } = await prepared();
    await using _box = box;
    box.faults.quota("ml.m5.large");
    const rows = [["Training", training], ["Processing", processing]] as const;
    for (const [word, request] of rows) {
      const { error, body } = await ask(box, "sagemaker", `Create${word}Job`, request);
      assertEquals(error, "ResourceLimitExceeded");
      const usage = `'ml.m5.large for ${word.toLowerCase()} job usage' is 0 Instances`;
      assertEquals(body.message.includes(usage), true);
    }
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

  it("jobs that there are not", async () => {
    await using box = await Box.open();
    const training = { TrainingJobName: "none" };
    const described = await ask(box, "sagemaker", "DescribeTrainingJob", training);
    assertEquals(described.body, {
      __type: "ValidationException",
      message: "Requested resource not found.",
    });
    const processing = { ProcessingJobName: "none" };
    const stopped = await ask(box, "sagemaker", "StopProcessingJob", processing);
    assertEquals(stopped.body.message, "Could not find requested job with name: none");
  });
});

suite("the box's jobs: lists", () => {
  it("come in pages of ten, oldest first, or as asked for", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 12; index++) box.jobs.add("training", `job-${index}`);
    box.jobs.add("processing", "other");
    const names = async (input: Request) => {
      const { body } = await ask(box, "sagemaker", "ListTrainingJobs", input);
      const summaries: Request[] = body.TrainingJobSummaries;
      return { names: summaries.map((one) => one.TrainingJobName), next: body.NextToken };
    };
    const first = await names({});
    assertEquals(first.names.length, 10);
    assertEquals(first.names[0], "job-0");
    const second = await names({ NextToken: first.next });
    assertEquals(second, { names: ["job-10", "job-11"], next: undefined });
    const newest = await names({ SortOrder: "Descending", MaxResults: 1 });
    assertEquals(newest.names, ["job-11"]);
    assertEquals((await names({ NameContains: "B-11" })).names, ["job-11"]);
  });

  it("of trainings by status may have empty pages before the last", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 3; index++) box.jobs.add("training", `job-${index}`);
    box.jobs.find("training", "job-2")!.end({ status: "Failed", reason: "no" });
    const input = { MaxResults: 2, StatusEquals: "Failed" };
    const first = (await ask(box, "sagemaker", "ListTrainingJobs", input)).body;
    assertEquals(first.TrainingJobSummaries, []);
    const { NextToken } = first;
    const second = (await ask(box, "sagemaker", "ListTrainingJobs", { ...input, NextToken })).body;
    assertEquals(second.TrainingJobSummaries[0].TrainingJobName, "job-2");
  });

  it("of tags have those of the request and those that were added", async () => {
    const { box, training } = await prepared();
    await using _box = box;
    const Tags = [{ Key: "team", Value: "a" }];
    const created = await ask(box, "sagemaker", "CreateTrainingJob", { ...training, Tags });
    const ResourceArn = created.body.TrainingJobArn;
    const more = [{ Key: "cost", Value: "b" }];
    await ask(box, "sagemaker", "AddTags", { ResourceArn, Tags: more });
    const { body } = await ask(box, "sagemaker", "ListTags", { ResourceArn });
    assertEquals(body.Tags, [...Tags, ...more]);
  });
});
