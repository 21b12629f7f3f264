import { assertEquals, assertMatch } from "@std/assert";
import { transformHost } from "../../helpers/box/jobs/job.ts";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, type Fields, Hosting } from "./hosting.ts";

const SOURCE = (S3Uri: string): Fields => ({
  DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri } },
});
const LINES = { ContentType: "text/csv", SplitType: "Line" };
const INPUT: Fields = { ...SOURCE("s3://data/batch/"), ...LINES };
const OUTPUT = { S3OutputPath: "s3://data/out/", Accept: "text/csv", AssembleWith: "Line" };
const REQUEST: Fields = {
  TransformJobName: "job",
  ModelName: "m",
  TransformInput: INPUT,
  TransformOutput: OUTPUT,
  TransformResources: { InstanceType: "ml.m5.large", InstanceCount: 1 },
};

/** A change of what is asked for. */
const input = (more: Fields): Fields => ({ TransformInput: { ...INPUT, ...more } });
const output = (more: Fields): Fields => ({ TransformOutput: { ...OUTPUT, ...more } });
const machine = (InstanceType: string): Fields => ({
  TransformResources: { InstanceType, InstanceCount: 1 },
});
const filter = (DataProcessing: Fields): Fields => ({ DataProcessing });

/** A box with a model `m`, and data. */
async function prepared(): Promise<Hosting> {
  const hosting = await Hosting.open("c");
  await hosting.box.s3.put("data", "batch/a.csv", "1\n");
  return hosting;
}

suite("the box refuses to start a transform", () => {
  const rows: readonly (readonly [what: string, change: Fields, words: RegExp])[] = [
    ["of no model", { ModelName: "None" }, /^Could not find model ".*:model\/none"\.$/],
    [
      "of data that is not there",
      input(SOURCE("s3://data/none/")),
      /^No S3 objects found under S3 URL "s3:\/\/data\/none\/"/,
    ],
    ["on Graviton", machine("ml.m6g.large"), /enum value set/],
    ["on a size that endpoints alone have", machine("ml.c5.large"), /enum value set/],
    ["with payloads above 100", { MaxPayloadInMB: 101 }, /^MaxPayloadInMB must be/],
    [
      "with more than 100 MB at once",
      { MaxPayloadInMB: 20, MaxConcurrentTransforms: 6 },
      /MaxConcurrentTransforms \* MaxPayloadInMB/,
    ],
    ["with more than 100 MB at once by default", { MaxConcurrentTransforms: 17 }, /100 MB/],
    [
      "with a strategy but without a split",
      { BatchStrategy: "SingleRecord", ...input({ SplitType: "None" }) },
      /^BatchStrategy requires SplitType/,
    ],
    [
      "with an underscore in a name",
      {
        ...input({ ContentType: "application/jsonlines" }),
        ...output({ Accept: "application/jsonlines" }),
        ...filter({ OutputFilter: "$['account_id','SageMakerOutput']" }),
      },
      /^Invalid OutputFilter: "\$\['account_id','SageMakerOutput'\]"\. Unexpected "_" in JsonPath\. Supported operators for "application\/jsonlines" are \['\$', '\[',/,
    ],
    ["with names in CSV", filter({ InputFilter: "$.id" }), /Unexpected "i"/],
    ["with a filter that does not begin with $", filter({ InputFilter: "[1]" }), /"\["/],
    [
      "with filters, and answers of another type",
      { ...output({ Accept: "application/json" }), ...filter({ JoinSource: "Input" }) },
      /ContentType and Accept to be the same/,
    ],
    [
      "with filters of CSV that is not split",
      {
        ...input({ SplitType: "None" }),
        ...output({ AssembleWith: "None" }),
        ...filter({ JoinSource: "Input" }),
      },
      /SplitType and AssembleWith/,
    ],
  ];
  for (const [what, change, words] of rows) {
    it(what, async () => {
      await using hosting = await prepared();
      const refusal = await hosting.refused("CreateTransformJob", { ...REQUEST, ...change });
      const [, code, message] = /^(\w+): (.*)$/s.exec(refusal)!;
      assertEquals(code, "ValidationException");
      assertMatch(message!.replace(/^\d+ validation errors? detected: /, ""), words);
      assertEquals(hosting.box.jobs.all, []);
    });
  }

  it("of a model whose artifact is no archive, without a quota, or without AddTags", async () => {
    await using hosting = await prepared();
    const { box } = hosting;
    await box.s3.put("data", "model/a", "x");
    const S3DataSource = {
      ...{ S3Uri: "s3://data/model/", S3DataType: "S3Prefix", CompressionType: "None" },
    };
    await hosting.done("CreateModel", {
      ...hosting.model({ ModelName: "open" }),
      PrimaryContainer: { Image: hosting.image, ModelDataSource: { S3DataSource } },
    });
    const ask = (more: Fields): Promise<string> =>
      hosting.refused("CreateTransformJob", { ...REQUEST, ...more });
    assertMatch(await ask({ ModelName: "open" }), /Batch currently doesn't support .*DataSource/);
    box.faults.quota("ml.m5.large");
    assertMatch(await ask({}), /^ResourceLimitExceeded: .*'ml.m5.large for transform job usage'/);
    box.faults.deny("sagemaker:AddTags", `${ARN}:transform-job/*`);
    assertMatch(await ask({ Tags: [{ Key: "a", Value: "b" }] }), /^AccessDenied.*AddTags/);
  });
});

suite("a transform of the box that does not run", () => {
  it("goes on as the test says, in its own log streams", async () => {
    await using hosting = await prepared();
    const { box } = hosting;
    const host = transformHost();
    const log = { [host]: ["up"], [`${host}/data-log`]: ["data/a.csv: ClientError: 400"] };
    box.jobs.script("job", [{ status: "Downloading", log }, {
      end: { status: "Failed", reason: "ClientError: See job logs for more information" },
    }]);
    const request = { ...REQUEST, Tags: [{ Key: "app", Value: "churn" }] };
    const { TransformJobArn } = await hosting.done("CreateTransformJob", request);
    assertEquals(TransformJobArn, `${ARN}:transform-job/job`);
    const describe = (): Promise<Fields> =>
      hosting.done("DescribeTransformJob", { TransformJobName: "job" });
    assertEquals((await describe()).TransformJobStatus, "InProgress");
    await describe();
    const { Tags: _, ...expected } = request;
    const told = await describe();
    assertEquals({ ...told, ...expected }, told);
    assertEquals(told.TransformJobStatus, "Failed");
    assertEquals(told.FailureReason, "ClientError: See job logs for more information");
    assertEquals(told.TransformEndTime >= told.TransformStartTime, true);
    const job = box.jobs.only("transform");
    assertEquals(
      box.logs.streams("/aws/sagemaker/TransformJobs").map(({ name }) => name),
      [job.logStream(host), `${job.logStream(host)}/data-log`],
    );
    assertEquals(
      (await hosting.done("ListTags", { ResourceArn: job.arn })).Tags,
      [{ Key: "app", Value: "churn" }],
    );
  });

  it("is listed, the newest first, and stops", async () => {
    await using hosting = await prepared();
    for (const name of ["one", "two"]) {
      await hosting.done("CreateTransformJob", { ...REQUEST, TransformJobName: name });
    }
    const listed = await hosting.done("ListTransformJobs");
    assertEquals(
      listed.TransformJobSummaries.map((one: Fields) => one.TransformJobName),
      ["two", "one"],
    );
    await hosting.done("StopTransformJob", { TransformJobName: "one" });
    const { status } = hosting.box.jobs.find("transform", "one")!;
    assertEquals(status, "Stopping");
  });

  it("has a model that is listed by its name", async () => {
    await using hosting = await prepared();
    const all = [{ ModelName: "m", ModelArn: `${ARN}:model/m` }];
    const { Models } = await hosting.done("ListModels", { NameContains: "M" });
    assertEquals(Models.map(({ CreationTime: _, ...model }: Fields) => model), all);
  });
});
