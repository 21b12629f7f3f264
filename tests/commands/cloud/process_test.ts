import { assert, assertEquals, assertMatch } from "@std/assert";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { changesOf } from "../../helpers/deploy_app.ts";
import { done, type FakeEngine, fakeEngine, pong } from "../../helpers/fake_engine.ts";
import { BUCKET, CONFIGURATION, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The least that a processing job is told. */
const LEAST = ["process", "-f", "p.py", "-e", "ml.m5.large"];

/** What a dry run prints, for one call. */
// deno-lint-ignore no-explicit-any -- JSON as it was printed
function inputIn(stdout: string): any {
  const [{ action, input }, ...more] = JSON.parse(stdout);
  assertEquals([action, more], ["sagemaker:CreateProcessingJob", []]);
  return input;
}

/**
 * An engine with the image that is pushed.
 *
 * @param mode of what lies where the script should; none where nothing does.
 * @param labels of the image.
 */
function engineWith(
  { app, image }: JobApp,
  mode: number | undefined,
  labels: Readonly<Record<string, string>> = { "mlcli.harness": "1" },
  left: readonly unknown[] = [],
): Promise<FakeEngine> {
  const Id = image.slice(image.indexOf("@") + 1);
  const details = {
    Id,
    Created: "",
    Os: "linux",
    Architecture: "amd64",
    Config: { Labels: labels },
  };
  const stat = { "x-docker-container-path-stat": btoa(JSON.stringify({ mode })) };
  return fakeEngine({
    "GET /_ping": () => pong("1.41"),
    [`GET /images/${app.name}%3Alatest/json`]: () => Response.json(details),
    "GET /containers/json": () => Response.json(left),
    "POST /containers/create": () => Response.json({ Id: "c1" }, { status: 201 }),
    "HEAD /containers/c1/archive": () =>
      new Response(null, mode === undefined ? { status: 404 } : { headers: stat }),
    "DELETE /containers/c1": () => done(),
    "DELETE /containers/dead": () => done(),
  });
}

suite("process", () => {
  it("looks for the script in the image, by a container that never starts", async () => {
    await using job = await makeJobApp();
    await using engine = await engineWith(job, 0o644);
    const { code, stderr } = await job.run([...LEAST, "--dry-run"], { engine });
    assertEquals([code, stderr], [0, ""]);
    assertEquals(
      engine.calls.filter(({ call }) => call.includes("/containers/")).map((
        { call, query },
      ) => [call, query["path"]]),
      [
        ["GET /containers/json", undefined],
        ["POST /containers/create", undefined],
        ["HEAD /containers/c1/archive", "/opt/program/processing/p.py"],
        ["DELETE /containers/c1", undefined],
      ],
    );
  });

  it("removes such a container that a killed mlcli left, and nobody else's", async () => {
    await using job = await makeJobApp();
    const child = new Deno.Command("true").spawn();
    await child.status;
    const of = (Id: string, name: string, pid: number) => ({
      Id,
      Names: [`/${name}`],
      State: "created",
      Labels: { "mlcli.role": "look", "mlcli.owner": `${pid} ${Deno.hostname()}` },
    });
    const left = [
      of("dead", "mlcli-look-1", child.pid),
      of("alive", "mlcli-look-2", Deno.pid),
      of("other", "somebodys", child.pid),
    ];
    await using engine = await engineWith(job, 0o644, undefined, left);
    const { code, stderr } = await job.run([...LEAST, "--dry-run"], { engine });
    assertEquals([code, stderr], [0, ""]);
    const removed = engine.calls.filter(({ call }) => call.startsWith("DELETE "));
    assertEquals(removed.map(({ call }) => call), [
      "DELETE /containers/dead",
      "DELETE /containers/c1",
    ]);
  });

  for (
    const [what, mode, words] of [
      [
        "is not in",
        undefined,
        /^error: Processing file not found: p\.py \(test-\w+:latest does not contain /,
      ],
      [
        "is a directory in",
        0x80000000,
        /^error: Processing file not found: p\.py is a directory in/,
      ],
    ] as const
  ) {
    it(`refuses a script that ${what} the image`, async () => {
      await using job = await makeJobApp();
      await using engine = await engineWith(job, mode);
      const { code, stdout, stderr } = await job.run(LEAST, { engine });
      assertEquals([code, stdout, changesOf(job)], [1, "", []]);
      assertMatch(stderr, words);
      assertMatch(stderr, /\nhint: .*mlcli build, then mlcli push/);
    });
  }

  it("leaves it to an image that is none of mlcli's where it has its scripts", async () => {
    await using job = await makeJobApp();
    await using engine = await engineWith(job, undefined, {});
    const { code, stderr } = await job.run([...LEAST, "--dry-run"], { engine });
    assertEquals([code, stderr], [0, ""]);
    assertEquals(engine.calls.some(({ call }) => call.includes("/containers/")), false);
  });

  it("processes, and prints the output's address", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run([
      ...[...LEAST, "-i", `s3://${BUCKET}/app/data`],
      ...["--", "--rows", "1000"],
    ]);
    const { name, request } = job.box.jobs.only("processing");
    assertEquals([code, stdout], [0, `s3://${BUCKET}/app/output/${name}\n`], stderr);
    assert(stderr.includes(`Creating processing job ${name} in eu-west-1 (AWS_REGION)\n`), stderr);
    assertEquals(request.AppSpecification, {
      ImageUri: job.image,
      ContainerArguments: ["process", "p.py", "--rows", "1000"],
    });
    assertEquals(request.ProcessingInputs[0].S3Input.S3Uri, `s3://${BUCKET}/app/data/`);
    assertEquals(request.ProcessingInputs[0].S3Input.S3DataDistributionType, "FullyReplicated");
  });

  it("needs no input, and prints the job's name with --no-wait", async () => {
    await using job = await makeJobApp();
    const { code, stdout } = await job.run([...LEAST, "--no-wait"]);
    const { name, request } = job.box.jobs.only("processing");
    assertEquals([code, stdout], [0, `${name}\n`]);
    assertEquals(request.ProcessingInputs, undefined);
  });

  it("takes every option, and prints the call with --dry-run", async () => {
    await using job = await makeJobApp({
      configuration: {},
      files: { "processing/sub/clean.py": "" },
    });
    const { code, stdout, stderr } = await job.run([
      ...["process", "--dry-run", "-f", "sub/clean.py", "--instance-type", "ml.m5.xlarge"],
      ...["-c", "2", "-i", `s3://${BUCKET}/app/data/`, "--shard", "all"],
      ...["-o", `s3://${BUCKET}/clean/`, "-n", "night-run", "--env", "TOKEN=very-secret"],
      ...["--execution-role", EXECUTION_ROLE, "--volume-size", "50", "--max-run", "3600"],
      ...["--tag", "team=a", "--subnet", "subnet-1", "--security-group", "sg-1"],
      ...["--kms-key", "alias/k", "--network-isolation"],
    ]);
    assertEquals([code, changesOf(job)], [0, []], stderr);
    assertEquals((stdout + stderr).includes("very-secret"), false);
    const { ProcessingJobName, Tags, ...rest } = inputIn(stdout);
    assertMatch(ProcessingJobName, /^night-run-/);
    assertEquals(Tags[0], { Key: "team", Value: "a" });
    assertEquals(rest, {
      ProcessingInputs: [{
        InputName: "input",
        S3Input: {
          S3Uri: `s3://${BUCKET}/app/data/`,
          LocalPath: "/opt/ml/processing/input",
          S3DataType: "S3Prefix",
          S3InputMode: "File",
          S3DataDistributionType: "ShardedByS3Key",
        },
      }],
      ProcessingOutputConfig: {
        Outputs: [{
          OutputName: "output",
          S3Output: {
            S3Uri: `s3://${BUCKET}/clean`,
            LocalPath: "/opt/ml/processing/output",
            S3UploadMode: "EndOfJob",
          },
        }],
        KmsKeyId: "alias/k",
      },
      ProcessingResources: {
        ClusterConfig: {
          InstanceType: "ml.m5.xlarge",
          InstanceCount: 2,
          VolumeSizeInGB: 50,
          VolumeKmsKeyId: "alias/k",
        },
      },
      StoppingCondition: { MaxRuntimeInSeconds: 3600 },
      AppSpecification: {
        ImageUri: job.image,
        ContainerArguments: ["process", "sub/clean.py"],
      },
      Environment: { TOKEN: "***" },
      NetworkConfig: {
        EnableNetworkIsolation: true,
        VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
      },
      RoleArn: EXECUTION_ROLE,
    });
  });

  it("splits the input that is named, and no other", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run([
      ...["process", "--dry-run", "-f", "p.py", "-e", "ml.m5.large", "-c", "2", "--shard", "a"],
      ...["-i", `a=s3://${BUCKET}/app/data`, "-i", `b=s3://${BUCKET}/app/other`],
    ]);
    assertEquals(code, 0, stderr);
    const distributions = stdout.match(/(?<="S3DataDistributionType": ")\w+/g);
    assertEquals([...distributions!], ["ShardedByS3Key", "FullyReplicated"]);
  });

  it("takes them from the configuration file, those of train not", async () => {
    const configuration = {
      ...CONFIGURATION,
      train: { ec2_type: "ml.p3.2xlarge", instance_count: 4 },
      process: {
        file: "p.py",
        ec2_type: "ml.c5.large",
        input_s3_location: `s3://${BUCKET}/app/other/b.csv`,
        output_s3_location: `s3://${BUCKET}/clean`,
        shard: "all",
      },
    };
    await using job = await makeJobApp({ configuration });
    const { code, stdout, stderr } = await job.run(["process", "--dry-run"]);
    assertEquals(code, 0, stderr);
    const input = inputIn(stdout);
    assertEquals(input.ProcessingResources.ClusterConfig, {
      InstanceType: "ml.c5.large",
      InstanceCount: 1,
      VolumeSizeInGB: 30,
    });
    assertEquals(input.ProcessingInputs[0].S3Input.S3Uri, `s3://${BUCKET}/app/other/b.csv`);
  });

  it("runs a script of which only the image is here", async () => {
    await using job = await makeJobApp();
    await Deno.remove(job.app.path("processing"), { recursive: true });
    const { code, stdout, stderr } = await job.run([...LEAST, "--dry-run"]);
    assertEquals(code, 0, stderr);
    assertEquals(inputIn(stdout).AppSpecification.ContainerArguments, ["process", "p.py"]);
    for (const file of ["../x.py", "/x.py", "."]) {
      const refused = await job.run(["process", "-f", file, "-e", "ml.m5.large"]);
      assertEquals([refused.code, refused.stdout], [1, ""]);
      assert(refused.stderr.startsWith(`error: Processing file not found: ${file}\nhint: `));
    }
  });
});
