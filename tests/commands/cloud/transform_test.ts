import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { transformHost } from "../../helpers/box/jobs/job.ts";
import { EXECUTION_ROLE, type JobStep } from "../../helpers/box/jobs/job_store.ts";
import { callsIn, changesOf, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { Keys } from "../../helpers/in_process.ts";
import { BUCKET, CONFIGURATION, type JobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

const DATA = `s3://${BUCKET}/app/data`;
const least = (data: string, type = "ml.m5.large"): readonly string[] => [
  ...["transform", "-i", data, "-e", type],
];
const LEAST = least(DATA);
/** With a model that is made for the job. */
const MADE = [...LEAST, "-m", MODEL];

/** What a dry run would send to create the job. */
// deno-lint-ignore no-explicit-any -- JSON as it was printed
function jobIn(stdout: string): any {
  return JSON.parse(stdout).at(-1).input;
}

function models({ box }: JobApp): readonly string[] {
  return [...box.endpoints.models.keys()];
}

suite("transform", () => {
  it("makes a model for the job, prints where the outputs are, and deletes the model", async () => {
    await using job = await makeDeployApp();
    const { code, stdout, stderr } = await job.run(MADE);
    const { name, request, tags } = job.box.jobs.only("transform");
    assertEquals([code, stdout], [0, `s3://${BUCKET}/app/output/${name}/\n`], stderr);
    assertEquals(request.ModelName, name);
    assertEquals(tags.get("mlcli.app"), job.app.name);
    assertStringIncludes(stderr, `Creating model ${name} for this job only\n`);
    assertStringIncludes(stderr, `Creating transform job ${name} in eu-west-1 (AWS_REGION)\n`);
    assertStringIncludes(stderr, `Deleted model ${name}, which was created for this job\n`);
    assertEquals(models(job), []);
    assertEquals(changesOf(job), [
      "sagemaker:CreateModel",
      "sagemaker:CreateTransformJob",
      "sagemaker:DeleteModel",
    ]);
  });

  it("prints both calls with --dry-run, and changes nothing", async () => {
    await using job = await makeDeployApp();
    const more = [
      ...["--dry-run", "--env", "TOKEN=very-secret", "--tag", "team=a", "--kms-key", "k"],
      ...["--subnet", "subnet-1", "--security-group", "sg-1", "--network-isolation", "-c", "1"],
      ...["--max-payload", "2", "--max-concurrency", "4", "--strategy", "multi", "--join", "input"],
      ...["--input-filter", "$[1:]", "--output-filter", "$[0,-1]", "--invocation-retries", "0"],
      ...["-o", `s3://${BUCKET}/scored`],
    ];
    const { code, stdout, stderr } = await job.run([...MADE, ...more]);
    assertEquals(code, 0, stderr);
    assertEquals(changesOf(job), []);
    const { actions, model } = callsIn(stdout);
    assertEquals(actions, ["sagemaker:CreateModel", "sagemaker:CreateTransformJob"]);
    const { Tags, ...input } = jobIn(stdout);
    const { Tags: modelTags, ...itsModel } = model;
    const name = input.TransformJobName;
    assertEquals(itsModel, {
      ModelName: name,
      PrimaryContainer: { Image: job.image, ModelDataUrl: MODEL },
      ExecutionRoleArn: EXECUTION_ROLE,
      VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
      EnableNetworkIsolation: true,
    });
    const tag = (tags: { Key: string; Value: string }[], key: string) =>
      tags.find(({ Key }) => Key === key)?.Value;
    assertEquals([tag(modelTags, "mlcli.job"), tag(Tags, "mlcli.job")], [name, undefined]);
    assertEquals([tag(modelTags, "team"), tag(Tags, "team")], ["a", "a"]);
    assertEquals(input, {
      TransformJobName: name,
      ModelName: name,
      MaxConcurrentTransforms: 4,
      MaxPayloadInMB: 2,
      BatchStrategy: "MultiRecord",
      ModelClientConfig: { InvocationsTimeoutInSeconds: 600, InvocationsMaxRetries: 0 },
      Environment: { TOKEN: "***" },
      TransformInput: {
        DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: `${DATA}/` } },
        ContentType: "text/csv",
        CompressionType: "None",
        SplitType: "Line",
      },
      TransformOutput: {
        S3OutputPath: `s3://${BUCKET}/scored/`,
        Accept: "text/csv",
        AssembleWith: "Line",
        KmsKeyId: "k",
      },
      TransformResources: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeKmsKeyId: "k" },
      DataProcessing: { InputFilter: "$[1:]", OutputFilter: "$[0,-1]", JoinSource: "Input" },
    });
  });

  it("takes options from the app's file, and sends what it says itself", async () => {
    const transform = {
      ...{ input_s3_location: DATA, model: MODEL, ec2_type: "ml.m5.xlarge", split: "none" },
      ...{ content_type: "application/json" },
    };
    await using job = await makeDeployApp({ configuration: { ...CONFIGURATION, transform } });
    const { code, stderr } = await job.run(["transform"]);
    assertEquals(code, 0, stderr);
    const { request } = job.box.jobs.only("transform");
    assertEquals(request.TransformInput.ContentType, "application/json");
    assertEquals(request.TransformInput.SplitType, "None");
    assertEquals(request.TransformOutput.Accept, undefined);
    assertEquals(request.TransformResources.InstanceType, "ml.m5.xlarge");
  });

  it("takes the artifact of a training job", async () => {
    await using job = await makeDeployApp();
    const trained = await job.run(["train", "-i", DATA, "-e", "ml.m5.large"]);
    const { name } = job.box.jobs.only("training");
    const { stdout, stderr } = await job.run([...LEAST, "--job", name, "--dry-run"]);
    const { PrimaryContainer } = callsIn(stdout).model;
    assertEquals(PrimaryContainer.ModelDataUrl, trained.stdout.trim(), stderr);
    const none = await job.run([...LEAST, "--job", "none"]);
    assertMatch(none.stderr, /^error: ResourceNotFound: training job none\n/);
  });

  it("takes a model that is there, or that an endpoint serves, and makes none", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop", { model: "their-model" });
    const { image } = job;
    job.box.endpoints.addModel("their-model", {
      PrimaryContainer: { Image: image, ModelDataUrl: MODEL },
      ExecutionRoleArn: EXECUTION_ROLE,
    });
    for (const args of [["-m", "their-model"], ["--endpoint", "shop"]]) {
      job.box.jobs.all.length = 0;
      job.box.requests.length = 0;
      const { code, stderr } = await job.run([...LEAST, ...args]);
      assertEquals(code, 0, stderr);
      assertEquals(job.box.jobs.only("transform").request.ModelName, "their-model");
      assertEquals(changesOf(job), ["sagemaker:CreateTransformJob"]);
    }
    assertEquals(models(job), ["their-model"]);
  });

  const notThere = [...least(`s3://${BUCKET}/none`), "-m", MODEL];
  const odd = [...least(`s3://${BUCKET}/odd`), "-m", MODEL];
  const graviton = [...least(DATA, "ml.m7g.large"), "-m", "m"];
  const variables = Array.from({ length: 17 }, (_, n) => `--env=V${n}=1`);
  const refused: readonly (readonly [string, readonly string[], code: number, words: RegExp])[] = [
    ["no machine", ["transform", "-i", DATA, "-m", "m"], 2, /"--ec2-type".*\n.*local transform/],
    ["no model", LEAST, 2, /^error: Missing required option "--model"\n.*--job.*--endpoint/],
    ["a file of this machine", least("id.csv"), 2, /upload-data.*local transform/],
    ["two models", [...MADE, "--job", "j"], 2, /"--model" and "--job" cannot be used together/],
    ["Graviton", graviton, 2, /not support Graviton.*\nhint: .*ml\.m5\.large/],
    ["what is a new model's", [...LEAST, "-m", "m", "--network-isolation"], 2, /has no effect on/],
    ["no such model", [...LEAST, "-m", "none"], 1, /^error: ResourceNotFound: model none\n/],
    ["no data", notThere, 1, /^error: No data at /m],
    ["no archive", [...LEAST, "-m", `s3://${BUCKET}/a.tar.gz`], 1, /Model archive not found/],
    ["data of no known type", odd, 2, /"--content-type"/],
    [
      "17 variables",
      [...MADE, ...variables],
      1,
      /more than 16 environment variables \(found 17\)/,
    ],
    ["an endpoint of several models", [...LEAST, "--endpoint", "shop"], 1, /several models/],
  ];
  for (const [what, args, code, words] of refused) {
    it(`refuses ${what} before anything is made`, async () => {
      await using job = await makeDeployApp();
      const { box } = job;
      await box.s3.put(BUCKET, "odd/a.weird", "1");
      box.endpoints.add("shop");
      const EndpointConfigName = box.endpoints.endpoint("shop").current!.configuration.name;
      const ProductionVariants = [{ ModelName: "a" }, { ModelName: "b" }];
      box.faults.before = ({ operation }) =>
        operation === "DescribeEndpointConfig"
          ? Response.json({ EndpointConfigName, ProductionVariants })
          : undefined;
      const result = await job.run(args);
      assertEquals([result.code, result.stdout, changesOf(job)], [code, "", []], result.stderr);
      assertMatch(result.stderr, words);
    });
  }

  it("says what to do about a model that SageMaker takes for no transform", async () => {
    await using job = await makeDeployApp();
    const source = { S3Uri: "s3://b/", S3DataType: "S3Prefix", CompressionType: "None" };
    job.box.endpoints.addModel("m", {
      PrimaryContainer: { Image: job.image, ModelDataSource: { S3DataSource: source } },
    });
    const { code, stderr } = await job.run([...LEAST, "-m", "m"]);
    assertEquals([code, job.box.jobs.all], [1, []]);
    assertMatch(stderr, /doesn't support .*\nhint: Pack the model \(tar -czf/);
  });

  it("shows both logs, and says which object failed and why", async () => {
    await using job = await makeDeployApp();
    const object = `${BUCKET}/app/data/a.csv`;
    const at = "2026-03-01T09:30:00.123:[sagemaker logs]:";
    const log = {
      [transformHost()]: ["10.0.0.1 POST /invocations 400"],
      [`${transformHost()}/data-log`]: [
        `${at} MaxConcurrentTransforms=1, MaxPayloadInMB=6, BatchStrategy=MULTI_RECORD`,
        `${at} ${object}: ClientError: 400`,
        `${at} ${object}: no column\x1b[2J "id"`,
      ],
    };
    const reason = "ClientError: See job logs for more information";
    job.box.jobs.script(`${job.app.name}-*`, [{ log, end: { status: "Failed", reason } }]);
    const { code, stdout, stderr } = await job.run(MADE);
    const { name } = job.box.jobs.only("transform");
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^10\.0\.0\.1 POST/m);
    assertMatch(stderr, /^data-log: .*MaxConcurrentTransforms=1/m);
    assertStringIncludes(stderr, `error: Transform job ${name} failed\n`);
    assertStringIncludes(stderr, `s3://${object}: HTTP 400: no column "id"\n`);
    assertMatch(stderr, /\nhint: To find the failing record, send the data to a local server/);
    assertEquals(models(job), []);
    // As told once more, without the log.
    const again = await job.run(["wait", name]);
    assertStringIncludes(again.stderr, `s3://${object}: HTTP 400`);
    assertStringIncludes(again.stderr, `other objects, if any: mlcli download-output ${name}.`);
    const quiet = await job.run([...MADE, "-q"]);
    assertMatch(quiet.stderr, /Last log lines:\n +10\.0\.0\.1 POST/);
    assertMatch(quiet.stderr, /\nhint: .*See the job's whole log: mlcli logs \S+\n/);
  });

  it("deletes its model also where the job cannot be created", async () => {
    await using job = await makeDeployApp();
    job.box.faults.quotas.add("ml.m5.large");
    const { code, stderr } = await job.run(MADE);
    assertEquals([code, models(job)], [1, []], stderr);
    assertMatch(stderr, /service limit/);
  });

  it("transform continues without mlcli's tags if it has no permission to set tags", async () => {
    await using job = await makeDeployApp();
    job.box.faults.deny("sagemaker:AddTags");
    const { code, stderr } = await job.run(MADE);
    assertEquals([code, models(job)], [0, []], stderr);
    assertMatch(
      stderr,
      /^note: The model has no mlcli tags, .*\n[^]*^note: The transform job has no mlcli tags/m,
    );
  });

  it("transform prints the command that deletes a model whose tag does not name the job", async () => {
    await using job = await makeDeployApp();
    const { box } = job;
    const byHand = /^note: Kept model .*\nhint: .* aws sagemaker delete-model --model-name /m;
    const tagged = (await job.run([...MADE, "--no-wait"])).stdout.trim();
    box.faults.deny("sagemaker:AddTags");
    const untagged = await job.run([...MADE, "--no-wait"]);
    assertMatch(untagged.stderr, byHand);
    assertMatch((await job.run(["wait", untagged.stdout.trim()])).stderr, byHand);
    box.faults.deny("sagemaker:ListTags");
    assertMatch((await job.run(["wait", tagged])).stderr, byHand);
    box.endpoints.models.delete(tagged);
    assertEquals((await job.run(["wait", tagged])).stderr.includes("Model"), false);
  });

  it("names the model that it may not delete", async () => {
    await using job = await makeDeployApp();
    job.box.faults.deny("sagemaker:DeleteModel");
    const { code, stderr } = await job.run(MADE);
    assertEquals([code, models(job).length], [0, 1]);
    assertStringIncludes(stderr, `aws sagemaker delete-model --model-name ${models(job)[0]}`);
  });

  for (
    const [command, ...more] of [["wait"], ["stop-job"], ["stop-job", "--wait"]] as const
  ) {
    const isRunning = more.length > 0;
    const when = isRunning ? "" : ", where it has ended";
    it(`leaves its model with --no-wait to ${[command, ...more].join(" ")}${when}`, async () => {
      await using job = await makeDeployApp();
      const steps: readonly JobStep[] = isRunning ? [{}, {}, {}] : [];
      job.box.jobs.script(`${job.app.name}-*`, [...steps, { end: { status: "Completed" } }]);
      const { stdout, stderr } = await job.run([...MADE, "--no-wait"]);
      const name = stdout.trim();
      assertEquals([models(job), job.box.jobs.only("transform").name], [[name], name]);
      assertMatch(
        stderr,
        /only for this job: mlcli wait or the next mlcli transform deletes it after the job\n/,
      );
      if (isRunning) {
        const stopped = await job.run(["stop-job", name]);
        assertMatch(
          stopped.stderr,
          /only for this job: mlcli wait or the next mlcli transform deletes it after the job\n/,
        );
      }
      const end = await job.run([command, name, ...more]);
      assertEquals([end.code, models(job)], [0, []], end.stderr);
    });
  }

  it("deletes what earlier transforms have left, and nothing else", async () => {
    await using job = await makeDeployApp();
    const ended = (await job.run([...MADE, "--no-wait"])).stdout.trim();
    job.box.jobs.find("transform", ended)!.end({ status: "Completed" });
    const running = (await job.run([...MADE, "--no-wait"])).stdout.trim();
    job.box.jobs.redirect(job.box.jobs.find("transform", running)!, []);
    const other = `${job.app.name}-2026-03-01-09-30-00-123`;
    const old = `${job.app.name}-2026-03-01-09-30-00-124`;
    const { endpoints } = job.box;
    const Tags = [{ Key: "mlcli.job", Value: old }];
    endpoints.addModel(other, { PrimaryContainer: { Image: job.image } });
    endpoints.addModel(old, { PrimaryContainer: { Image: job.image }, Tags });
    // Whoever made it may be about to create its job.
    assertEquals((await job.run([...MADE, "--no-wait"])).code, 0);
    assert(models(job).includes(old));
    Object.assign(endpoints.models.get(old)!, { creationTime: 1 });
    const { code, stderr } = await job.run(MADE);
    assertEquals(code, 0, stderr);
    const left = models(job);
    const isLeft = [ended, running, other, old].map((name) => left.includes(name));
    assertEquals(isLeft, [false, true, true, false]);
    assertStringIncludes(stderr, `Deleted model ${old}, whose job has ended\n`);
    job.box.faults.deny("sagemaker:ListModels");
    assertEquals((await job.run([...MADE, "--no-wait"])).code, 0);
  });

  it("transform warns after Ctrl-C that the job keeps running and that its model still exists", async () => {
    await using job = await makeDeployApp();
    const keys = new Keys();
    job.box.jobs.script(`${job.app.name}-*`, []);
    job.box.faults.after = ({ operation }) => {
      if (operation === "DescribeTransformJob") keys.press();
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(MADE, { keys });
    const { name } = job.box.jobs.only("transform");
    assertEquals([code, stdout, models(job)], [130, "", [name]]);
    assertStringIncludes(stderr, `mlcli wait ${name}`);
    assertStringIncludes(stderr, `warning: Model ${name} exists only for this job: `);
  });

  it("warns of what is mostly a mistake", async () => {
    await using job = await makeDeployApp();
    await job.box.s3.put(BUCKET, "app/data/a.csv", `id,price\n${"1,2\n".repeat(20_000)}`);
    const { code, stderr } = await job.run([...MADE, "-qc2", "--dry-run", `-o${DATA}/scored`]);
    assertEquals(code, 0);
    assertMatch(stderr, /^warning: s3:\/\/.*\/a\.csv, line 1 looks like a header/m);
    assertMatch(
      stderr,
      /^warning: The outputs are written into the input .*\nhint: Use another output .*: -o /m,
    );
    assertMatch(stderr, /Only 1 of 2 instances will get data/);
  });
});
