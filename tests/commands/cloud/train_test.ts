import { assert, assertEquals, assertMatch } from "@std/assert";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { changesOf } from "../../helpers/deploy_app.ts";
import { Keys } from "../../helpers/in_process.ts";
import { BUCKET, CONFIGURATION, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The least that a training is told. */
const LEAST = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];

/** The same of a processing. */
const PROCESS = ["process", "-f", "p.py", "-e", "ml.m5.large"];

/** What a dry run prints, for one call. */
// deno-lint-ignore no-explicit-any -- JSON as it was printed
function inputIn(stdout: string): any {
  const [{ action, input }, ...more] = JSON.parse(stdout);
  assertEquals([action, more], ["sagemaker:CreateTrainingJob", []]);
  return input;
}

suite("train", () => {
  it("trains, and prints the artifact's address", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run(LEAST);
    const { name, request } = job.box.jobs.only("training");
    assertEquals([code, stdout], [
      0,
      `s3://${BUCKET}/app/output/${name}/output/model.tar.gz\n`,
    ]);
    assertMatch(
      name,
      new RegExp(`^${job.app.name}-\\d{4}-\\d\\d-\\d\\d-\\d\\d-\\d\\d-\\d\\d-\\d{3}$`),
    );
    assert(stderr.includes(`Creating training job ${name} in eu-west-1 (AWS_REGION)\n`), stderr);
    assertEquals(request.AlgorithmSpecification.TrainingImage, job.image);
    assertEquals(request.RoleArn, EXECUTION_ROLE);
    assertEquals(request.Environment, undefined);
    const [channel] = request.InputDataConfig;
    assertEquals(channel.DataSource.S3DataSource.S3Uri, `s3://${BUCKET}/app/data/`);
  });

  it("prints the job's name and returns with --no-wait", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run([...LEAST, "--no-wait"]);
    const { name } = job.box.jobs.only("training");
    assertEquals([code, stdout], [0, `${name}\n`]);
    assert(stderr.includes(`Creating training job ${name}`));
    assertEquals(job.box.operations.includes("sagemaker:DescribeTrainingJob"), false);
  });

  it("prints the call with --dry-run, and changes nothing", async () => {
    await using job = await makeJobApp();
    const variables = ["--env", "TOKEN=very-secret", "--env", "HERE"];
    const { code, stdout, stderr } = await job.run([...LEAST, "--dry-run", ...variables], {
      env: { HERE: "also-secret" },
    });
    assertEquals(code, 0);
    assertEquals(changesOf(job), []);
    assertEquals(job.box.operations.some((name) => name.startsWith("sagemaker:")), false);
    const input = inputIn(stdout);
    assertEquals(input.Environment, { TOKEN: "***", HERE: "***" });
    assertEquals(/very-secret|also-secret/.test(stdout + stderr), false);
    // What is shown is what is sent, but for the name, which has the time in it, and the values.
    assertEquals(
      (await job.run([...LEAST, ...variables, "--no-wait"], {
        env: { HERE: "also-secret" },
      })).code,
      0,
    );
    const { request } = job.box.jobs.only("training");
    assertEquals(request, {
      ...input,
      TrainingJobName: request.TrainingJobName,
      Environment: { TOKEN: "very-secret", HERE: "also-secret" },
    });
  });

  it("sends the definitions of metrics, and says which mean nothing here", async () => {
    const metric_definitions = [
      { Name: "loss", Regex: "loss=(.*?);" },
      { Name: "odd", Regex: "(a++" },
    ];
    const configuration = { ...CONFIGURATION, metric_definitions };
    await using job = await makeJobApp({ configuration });
    const { code, stdout, stderr } = await job.run([...LEAST, "--dry-run"]);
    assertEquals(code, 0);
    assertEquals(inputIn(stdout).AlgorithmSpecification.MetricDefinitions, metric_definitions);
    assertMatch(stderr, /the regex of metric "odd" is invalid: /);
    assert(!stderr.includes('"loss"'), stderr);
    assertEquals((await job.run([...LEAST, "--no-wait"])).code, 0);
    const { request } = job.box.jobs.only("training");
    assertEquals(request.AlgorithmSpecification.MetricDefinitions, metric_definitions);
  });

  it("takes every option", async () => {
    await using job = await makeJobApp({ configuration: {} });
    await Deno.writeTextFile(`${job.app.directory}/vars.env`, "A=1\nB=2\n");
    const { code, stdout, stderr } = await job.run([
      ...["train", "--dry-run", "--instance-type", "ml.p3.2xlarge", "-c", "2"],
      ...["-i", `s3://${BUCKET}/app/data/`, "-i", `labels=s3://${BUCKET}/app/other/b.csv`],
      ...["-o", `s3://${BUCKET}/out/`, "-n", "night-run", "--hyperparameter", "epochs=3"],
      ...["--env-file", "vars.env", "--env", "B=3", "--execution-role", EXECUTION_ROLE],
      ...["--volume-size", "50", "--max-run", "3600", "--spot", "--max-wait", "7200"],
      ...["--checkpoint-s3-dir", `s3://${BUCKET}/ckpt`, "--tag", "team=a", "--subnet", "subnet-1"],
      ...["--security-group", "sg-1", "--kms-key", "alias/k", "--network-isolation"],
      ...["--region", "eu-west-1"],
    ]);
    assertEquals([code, stderr.includes("error:")], [0, false]);
    const { TrainingJobName, Tags, InputDataConfig, AlgorithmSpecification, ...rest } = inputIn(
      stdout,
    );
    assertMatch(TrainingJobName, /^night-run-/);
    assertEquals(Tags[0], { Key: "team", Value: "a" });
    assertEquals(AlgorithmSpecification.TrainingImage, job.image);
    assertEquals(
      // deno-lint-ignore no-explicit-any -- JSON as it was printed
      InputDataConfig.map((one: any) => [one.ChannelName, one.DataSource.S3DataSource.S3Uri]),
      [["training", `s3://${BUCKET}/app/data/`], ["labels", `s3://${BUCKET}/app/other/b.csv`]],
    );
    assertEquals(rest, {
      HyperParameters: { epochs: "3" },
      RoleArn: EXECUTION_ROLE,
      OutputDataConfig: { S3OutputPath: `s3://${BUCKET}/out`, KmsKeyId: "alias/k" },
      ResourceConfig: {
        InstanceType: "ml.p3.2xlarge",
        InstanceCount: 2,
        VolumeSizeInGB: 50,
        VolumeKmsKeyId: "alias/k",
      },
      VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
      StoppingCondition: { MaxRuntimeInSeconds: 3600, MaxWaitTimeInSeconds: 7200 },
      EnableNetworkIsolation: true,
      EnableManagedSpotTraining: true,
      CheckpointConfig: { S3Uri: `s3://${BUCKET}/ckpt`, LocalPath: "/opt/ml/checkpoints" },
      Environment: { A: "***", B: "***" },
    });
  });

  it("train reads its settings from the configuration file, and options override them", async () => {
    const train = {
      input_s3_dir: [`s3://${BUCKET}/app/data`],
      ec2_type: "ml.m5.large",
      instance_count: 3,
      hyperparameter: { epochs: 1, rate: "0.5" },
      env: { A: "file", B: "file" },
      tag: { team: "file", cost: "file" },
      spot: true,
      max_wait: 90_000,
      docker_tag: "latest",
      execution_role: EXECUTION_ROLE,
    };
    await using job = await makeJobApp({
      configuration: {
        ...CONFIGURATION,
        execution_role: "arn:aws:iam::123456789012:role/x",
        train,
      },
    });
    await job.app.write(
      job.app.testPath("input/config/hyperparameters.json"),
      '{"epochs": 9, "depth": 4, "seed": 12345678901234567890}',
    );
    const { code, stdout, stderr } = await job.run([
      ...["train", "--dry-run", "-e", "ml.c5.large", "--hyperparameter", "rate=0.1"],
      ...["--env", "B=option", "--tag", "team=option", "--max-wait", "86400"],
    ]);
    assertEquals([code, stderr.includes("warning")], [0, false]);
    const input = inputIn(stdout);
    assertEquals(input.ResourceConfig.InstanceType, "ml.c5.large");
    assertEquals(input.ResourceConfig.InstanceCount, 3);
    assertEquals(input.HyperParameters, {
      epochs: "1",
      depth: "4",
      seed: "12345678901234567890",
      rate: "0.1",
    });
    assertEquals(input.Tags.slice(0, 2), [
      { Key: "team", Value: "option" },
      { Key: "cost", Value: "file" },
    ]);
    assertEquals(input.StoppingCondition.MaxWaitTimeInSeconds, 86_400);
    assertEquals(input.RoleArn, EXECUTION_ROLE);
    assert(
      stderr.includes("note: Without --checkpoint-s3-dir, an interrupted spot job restarts"),
      stderr,
    );
    const sent = await job.run(["train", "--no-wait", "--env", "B=option"]);
    assertEquals(sent.code, 0, sent.stderr);
    assertEquals(job.box.jobs.only("training").request.Environment, { A: "file", B: "option" });
  });

  it("warns of a typo of a hyperparameter before it creates the job", async () => {
    await using job = await makeJobApp();
    await job.app.write(job.app.testPath("input/config/hyperparameters.json"), '{"epochs": 9}');
    const { code, stdout, stderr } = await job.run([
      ...[...LEAST, "--dry-run", "--quiet", "--hyperparameter", "epoch=3"],
    ]);
    assertEquals(code, 0, stderr);
    assertEquals(
      stderr,
      'warning: Hyperparameter "epoch" is not in hyperparameters.json; did you mean "epochs"?\n',
    );
    assertEquals(inputIn(stdout).HyperParameters, { epochs: "9", epoch: "3" });
  });

  it("train --shard splits the named channels, and notes the instances that get no data", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run([
      ...[...LEAST, "--dry-run", "-c", "3", "--shard", "training"],
      ...["-i", `labels=s3://${BUCKET}/app/other/b.csv`],
    ]);
    assertEquals(code, 0, stderr);
    const distributions = stdout.match(/(?<="S3DataDistributionType": ")\w+/g);
    assertEquals([...distributions!], ["ShardedByS3Key", "FullyReplicated"]);
    const idle =
      /^note: s3:.*: Only 1 of 3 instances will get data, because each object goes to one instance\. /m;
    assertMatch(stderr, idle);
    const one = await job.run([...LEAST, "--dry-run", "--shard", "training"]);
    assertMatch(
      one.stderr,
      /^note: --shard has no effect with one instance, which gets all objects$/m,
    );
  });

  it("takes groups of instances, typed ones before the file's machines, and the other way", async () => {
    const file = {
      instance_group: { gpu: "ml.g5.xlarge:2", cpu: "ml.m5.large:1" },
      ec2_type: "ml.c5.large",
    };
    await using job = await makeJobApp({ configuration: { ...CONFIGURATION, train: file } });
    const machinesOf = async (...more: string[]) => {
      const { stdout } = await job.run([...LEAST.slice(0, 3), "--dry-run", ...more]);
      const { InstanceGroups, ...rest } = inputIn(stdout).ResourceConfig;
      return InstanceGroups?.map(Object.values) ?? Object.values(rest);
    };
    assertEquals(await machinesOf(), [["gpu", "ml.g5.xlarge", 2], ["cpu", "ml.m5.large", 1]]);
    assertEquals(await machinesOf("--instance-group", "a=b=ml.m5.large:1"), [
      ["a=b", "ml.m5.large", 1],
    ]);
    assertEquals(await machinesOf("-c", "2"), ["ml.c5.large", 2, 30]);
  });

  const roles: readonly (readonly [string, string[], Record<string, string>, string])[] = [
    ["MLCLI_EXECUTION_ROLE", [], { MLCLI_EXECUTION_ROLE: `${EXECUTION_ROLE}-v` }, "-v"],
    ["the role mlcli acts in", ["-r", `${EXECUTION_ROLE}-r`], {}, "-r"],
    ["that of PLATFORM_ROLE", [], { PLATFORM_ROLE: `${EXECUTION_ROLE}-p` }, "-p"],
    ["the option before all", [
      "--execution-role",
      `${EXECUTION_ROLE}-o`,
      "-r",
      `${EXECUTION_ROLE}-r`,
    ], {
      MLCLI_EXECUTION_ROLE: `${EXECUTION_ROLE}-v`,
    }, "-o"],
  ];
  for (const [what, args, env, end] of roles) {
    it(`runs in ${what}`, async () => {
      await using job = await makeJobApp({ configuration: { s3_prefix: CONFIGURATION.s3_prefix } });
      for (const one of ["-r", "-p"]) job.box.roles.add(`${EXECUTION_ROLE}${one}`);
      const { code, stdout, stderr } = await job.run([...LEAST, "--dry-run", ...args], { env });
      assertEquals([code, stderr.includes("error")], [0, false], stderr);
      assertEquals(inputIn(stdout).RoleArn, `${EXECUTION_ROLE}${end}`);
    });
  }

  it("takes a variable before the file, and an option before both", async () => {
    await using job = await makeJobApp({
      configuration: { ...CONFIGURATION, execution_role: EXECUTION_ROLE },
    });
    const env = { MLCLI_EXECUTION_ROLE: `${EXECUTION_ROLE}-v` };
    const roleOf = async (args: string[], env: Record<string, string>) =>
      inputIn((await job.run([...LEAST, "--dry-run", ...args], { env })).stdout).RoleArn;
    assertEquals(await roleOf([], {}), EXECUTION_ROLE);
    assertEquals(await roleOf([], env), `${EXECUTION_ROLE}-v`);
    assertEquals(
      await roleOf(["--execution-role", `${EXECUTION_ROLE}-o`], env),
      `${EXECUTION_ROLE}-o`,
    );
  });

  it("takes a tag before the command, after it, or from MLCLI_DOCKER_TAG", async () => {
    await using job = await makeJobApp();
    const words = /latest|v[123]/;
    const tagIn = async (args: string[], env: Record<string, string> = {}) =>
      words.exec((await job.run(args, { env })).stderr.match(/^error: .*$/m)?.[0] ?? "none")?.[0];
    assertEquals(await tagIn(["-t", "v1", ...LEAST]), "v1");
    assertEquals(await tagIn([...LEAST, "-t", "v2"]), "v2");
    assertEquals(await tagIn(LEAST, { MLCLI_DOCKER_TAG: "v3" }), "v3");
    assertEquals(await tagIn(["-t", "v1", ...LEAST], { MLCLI_DOCKER_TAG: "v3" }), "v1");
  });

  it("passes on what SageMaker refuses", async () => {
    await using job = await makeJobApp();
    job.box.faults.quota("ml.m5.large");
    const { code, stdout, stderr } = await job.run(LEAST);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /error: sagemaker:CreateTrainingJob was refused: .*'ml\.m5\.large for training job usage' is 0[^]*hint: Request a higher quota/,
    );
    assertEquals(job.box.jobs.all, []);
  });

  it("train creates a job without mlcli's tags if it has no permission to set tags, and prints a note", async () => {
    await using job = await makeJobApp();
    job.box.faults.deny("sagemaker:AddTags");
    const { code, stderr } = await job.run([...LEAST, "--no-wait"]);
    assertEquals(code, 0, stderr);
    assertMatch(
      stderr,
      /^note: The training job has no mlcli tags, .*AccessDeniedException: sagemaker:AddTags/m,
    );
    assertEquals(job.box.jobs.only("training").tags.size, 0);
  });

  it("does not do without the user's tags", async () => {
    await using job = await makeJobApp();
    job.box.faults.deny("sagemaker:AddTags");
    const { code, stdout, stderr } = await job.run([...LEAST, "--no-wait", "--tag", "cost=a"]);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /error: AccessDeniedException: sagemaker:AddTags\n/);
    assertEquals([stderr.includes("You may not set tags"), changesOf(job).length], [false, 1]);
    assertEquals(job.box.jobs.all, []);
  });

  for (const [kind, args] of [["Training", LEAST], ["Processing", PROCESS]] as const) {
    it(`goes on with a job whose answer was lost: Create${kind}Job`, async () => {
      await using job = await makeJobApp();
      job.box.faults.loseAnswer(`sagemaker:Create${kind}Job`, 1);
      const { code, stdout } = await job.run([...args, "--no-wait"]);
      assertEquals([code, stdout], [0, `${job.box.jobs.all[0]!.name}\n`]);
    });
  }

  it("train finds a job of which all responses were lost", async () => {
    await using job = await makeJobApp();
    job.box.faults.loseAnswer("sagemaker:CreateTrainingJob", 1);
    // No second attempt, which would find the name in use.
    const { code, stdout, stderr } = await job.run([...LEAST, "--no-wait"], {
      env: { AWS_MAX_ATTEMPTS: "1" },
    });
    const { name } = job.box.jobs.only("training");
    assertEquals([code, stdout], [0, `${name}\n`]);
    assert(
      stderr.includes(`note: The response was lost, but training job ${name} exists\n`),
      stderr,
    );
  });

  for (const [kind, args] of [["Training", LEAST], ["Processing", PROCESS]] as const) {
    it(`names the job before it is there, for who is killed then: Create${kind}Job`, async () => {
      await using job = await makeJobApp();
      let said = "";
      let atCreation = "";
      job.box.faults.before = ({ operation }) => {
        if (operation === `Create${kind}Job`) atCreation = said;
        return undefined;
      };
      const { stdout } = await job.run([...args, "--no-wait"], {
        onMessage: (text) => void (said += text),
      });
      const line = `Creating ${kind.toLowerCase()} job ${stdout.trimEnd()} in eu-west-1`;
      assert(atCreation.includes(line), atCreation);
    });
  }

  it("says that there is none where SageMaker failed", async () => {
    await using job = await makeJobApp();
    job.box.faults.fail("sagemaker:CreateTrainingJob", 1);
    const { code, stdout, stderr } = await job.run(LEAST, { env: { AWS_MAX_ATTEMPTS: "1" } });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /error: sagemaker:CreateTrainingJob failed: HTTP 500\nhint: No training job was created\. Try again/,
    );
  });

  it("train names a job that might exist", async () => {
    await using job = await makeJobApp();
    job.box.faults.loseAnswer("sagemaker:CreateTrainingJob", 1);
    job.box.faults.deny("sagemaker:DescribeTrainingJob");
    const { code, stdout, stderr } = await job.run([...LEAST, "--region", "eu-west-1"], {
      env: { AWS_MAX_ATTEMPTS: "1" },
    });
    const { name } = job.box.jobs.only("training");
    assertEquals([code, stdout], [1, ""]);
    assert(
      stderr.includes(
        `hint: The outcome is unknown: training job ${name} might have been created. Check it: ` +
          `mlcli describe ${name} --region eu-west-1. Stop it: mlcli stop-job ${name} ` +
          "--region eu-west-1\n",
      ),
      stderr,
    );
  });

  const moments: readonly (readonly [
    string,
    operation: string,
    when: "before" | "after",
    words: (name: string) => string,
    jobs: number,
    args?: readonly string[],
  ])[] = [
    [
      "when the processing job may be there",
      "sagemaker:CreateProcessingJob",
      "after",
      (name) => `warning: Interrupted: processing job ${name} might have been created\n`,
      1,
      PROCESS,
    ],
    [
      "while it checks",
      "ecr:BatchGetImage",
      "before",
      () => "warning: Interrupted: no training job was created\n",
      0,
    ],
    [
      "when the job may be there",
      "sagemaker:CreateTrainingJob",
      "after",
      (name) =>
        `warning: Interrupted: training job ${name} might have been created\n` +
        `hint: Check it: mlcli describe ${name}. Stop it: mlcli stop-job ${name}\n`,
      1,
    ],
    [
      "while it waits",
      "sagemaker:DescribeTrainingJob",
      "after",
      (name) => `warning: The job keeps running\nhint: See its log: mlcli logs ${name} --follow.`,
      1,
    ],
  ];
  for (const [what, operation, when, words, count, args = LEAST] of moments) {
    it(`tells what exists after Ctrl-C ${what}`, async () => {
      await using job = await makeJobApp();
      const keys = new Keys();
      job.box.faults[when] = (request) => {
        if (`${request.service}:${request.operation}` === operation) keys.press();
        return undefined;
      };
      const { code, stdout, stderr } = await job.run(args, { keys });
      assertEquals([code, stdout], [130, ""], stderr);
      assertEquals(job.box.jobs.all.length, count);
      const name = job.box.jobs.all[0]?.name ?? "";
      assert(stderr.includes(words(name)), stderr);
    });
  }

  it("ends with 1 for a failure, and with the artifact for a stop", async () => {
    await using job = await makeJobApp();
    job.box.jobs.script("*", [{
      status: "Training",
      log: ["epoch 1", "no memory"],
      end: { status: "Failed", reason: "AlgorithmError: out of memory" },
    }]);
    const failed = await job.run(LEAST);
    assertEquals([failed.code, failed.stdout], [1, ""]);
    assertMatch(
      failed.stderr,
      /epoch 1\nno memory\n[^]*error: .*\n[^]*AlgorithmError: out of memory/,
    );
    job.box.jobs.script("*", [{ status: "Training" }, {
      end: { status: "Stopped" },
      leavesArtifact: true,
    }]);
    const stopped = await job.run(LEAST);
    assertEquals(stopped.code, 1);
    assertMatch(stopped.stdout, /^s3:.*\/output\/model\.tar\.gz\n$/);
  });

  it("train notes each check for which it has no permission", async () => {
    await using job = await makeJobApp();
    job.box.faults.deny("s3:ListBucket");
    // A bucket that only the file names must belong to the caller, which takes this permission.
    const named = ["-o", `s3://${BUCKET}/out`];
    const { code, stderr } = await job.run([...LEAST, ...named, "--dry-run"]);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^note: Cannot check the bucket \S+: AccessDenied/m);
  });
});
