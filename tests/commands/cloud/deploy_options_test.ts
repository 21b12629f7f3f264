import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { callsIn, changesOf, LEAST, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { BUCKET, CONFIGURATION, type JobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A dry run's calls, of a command line that is right. */
async function planned(job: JobApp, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await job.run([...args, "--dry-run"], { env });
  assertEquals(code, 0, stderr);
  assertEquals(changesOf(job), []);
  return { ...callsIn(stdout), stderr };
}

suite("deploy's options", () => {
  it("asks only for what has no default", async () => {
    await using job = await makeDeployApp();
    const { actions, model, configuration, endpoint } = await planned(job, LEAST);
    assertEquals(actions, [
      "sagemaker:CreateModel",
      "sagemaker:CreateEndpointConfig",
      "sagemaker:CreateEndpoint",
    ]);
    assertEquals([model.PrimaryContainer, model.ExecutionRoleArn], [
      { Image: job.image, ModelDataUrl: MODEL },
      EXECUTION_ROLE,
    ]);
    const { Tags: _, ...rest } = configuration;
    assertEquals(rest, {
      EndpointConfigName: "shop-config",
      ProductionVariants: [{
        VariantName: "AllTraffic",
        ModelName: model.ModelName,
        InstanceType: "ml.m5.large",
        InitialInstanceCount: 1,
        InitialVariantWeight: 1,
      }],
    });
    assertEquals([endpoint.EndpointName, endpoint.EndpointConfigName], ["shop", "shop-config"]);
  });

  it("takes every option of an endpoint with instances", async () => {
    await using job = await makeDeployApp({ configuration: {} });
    await job.app.write(`${job.app.directory}/vars.env`, "A=1\nB=2\n");
    const { model, configuration, endpoint, stderr } = await planned(job, [
      ...["deploy", "--endpoint-name", "shop", "--instance-type", "ml.c5.xlarge", "-c", "2"],
      ...["--s3-model-location", MODEL, "--health-check-timeout", "600"],
      ...["--data-capture", `s3://${BUCKET}/captured`, "--execution-role", EXECUTION_ROLE],
      ...["--env-file", "vars.env", "--env", "B=very-secret", "--env", "HERE"],
      ...["--tag", "team=a", "--subnet", "subnet-1", "--security-group", "sg-1"],
      ...["--kms-key", "alias/k", "--timeout", "5", "--docker-tag", "latest"],
      ...["--repository", job.app.name, "--region", "eu-west-1"],
    ], { HERE: "also-secret" });
    assertEquals(/very-secret|also-secret/.test(stderr + JSON.stringify(model)), false);
    assertEquals(model.PrimaryContainer.Environment, { A: "***", B: "***", HERE: "***" });
    assertEquals(model.VpcConfig, { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] });
    const [variant] = configuration.ProductionVariants;
    assertEquals(
      [
        variant.InstanceType,
        variant.InitialInstanceCount,
        variant.ContainerStartupHealthCheckTimeoutInSeconds,
      ],
      ["ml.c5.xlarge", 2, 600],
    );
    assertEquals(configuration.KmsKeyId, "alias/k");
    const { DestinationS3Uri, InitialSamplingPercentage, KmsKeyId, CaptureOptions } =
      configuration.DataCaptureConfig;
    assertEquals([DestinationS3Uri, InitialSamplingPercentage, KmsKeyId, CaptureOptions], [
      `s3://${BUCKET}/captured`,
      100,
      "alias/k",
      [{ CaptureMode: "Input" }, { CaptureMode: "Output" }],
    ]);
    for (const { Tags } of [model, configuration, endpoint]) {
      assertEquals(Tags[0], { Key: "team", Value: "a" });
    }
  });

  it("takes every option of a serverless endpoint", async () => {
    await using job = await makeDeployApp();
    const serverless = ["deploy", "-n", "shop", "-m", MODEL, "--memory-size-in-mb", "2048"];
    const { configuration } = await planned(job, [...serverless, "--max-concurrency", "7"]);
    assertEquals(configuration.ProductionVariants[0].ServerlessConfig, {
      MemorySizeInMB: 2_048,
      MaxConcurrency: 7,
    });
    const [variant] = (await planned(job, serverless)).configuration.ProductionVariants;
    assertEquals(variant.ServerlessConfig.MaxConcurrency, 5);
    assertEquals([variant.InstanceType, variant.InitialInstanceCount], [undefined, undefined]);
  });

  it("takes --canary and --alarm for an update", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop");
    const { actions, endpoint } = await planned(job, [
      ...["deploy", "-n", "shop", "-m", MODEL, "--canary", "10"],
      ...["--alarm", "5xx", "--alarm", "slow"],
    ]);
    assert(actions.includes("sagemaker:UpdateEndpoint"), actions.join());
    const { BlueGreenUpdatePolicy, AutoRollbackConfiguration } = endpoint.DeploymentConfig;
    const { Type, CanarySize } = BlueGreenUpdatePolicy.TrafficRoutingConfiguration;
    assertEquals([Type, CanarySize], ["CANARY", { Type: "CAPACITY_PERCENT", Value: 10 }]);
    assertEquals(AutoRollbackConfiguration, {
      Alarms: [{ AlarmName: "5xx" }, { AlarmName: "slow" }],
    });
  });

  it("takes them from the configuration file, below the command line", async () => {
    const deploy = {
      endpoint_name: "shop",
      model: MODEL,
      ec2_type: "ml.m5.large",
      instance_count: 3,
      health_check_timeout: 300,
      data_capture: `s3://${BUCKET}/captured`,
      canary: 20,
      alarm: "5xx",
      env: { A: "file", B: "file" },
      tag: { team: "file", cost: "file" },
      subnet: ["subnet-1"],
      security_group: ["sg-1"],
      kms_key: "alias/file",
      execution_role: EXECUTION_ROLE,
      docker_tag: "latest",
      timeout: 60,
    };
    await using job = await makeDeployApp({
      configuration: {
        ...CONFIGURATION,
        execution_role: "arn:aws:iam::123456789012:role/x",
        deploy: { ...deploy, repository: undefined },
      },
    });
    job.box.endpoints.add("shop");
    const all = await planned(job, ["deploy"], { MLCLI_ENDPOINT_NAME: "shop" });
    assertEquals(all.stderr.includes("warning"), false, all.stderr);
    const [variant] = all.configuration.ProductionVariants;
    assertEquals(
      [
        variant.InstanceType,
        variant.InitialInstanceCount,
        variant.ContainerStartupHealthCheckTimeoutInSeconds,
      ],
      ["ml.m5.large", 3, 300],
    );
    assertEquals(all.model.ExecutionRoleArn, EXECUTION_ROLE);
    assertEquals(all.model.VpcConfig, { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] });
    assertEquals(all.configuration.DataCaptureConfig.DestinationS3Uri, deploy.data_capture);
    assertEquals(
      all.endpoint.DeploymentConfig.BlueGreenUpdatePolicy.TrafficRoutingConfiguration.CanarySize
        .Value,
      20,
    );
    assertEquals(all.endpoint.DeploymentConfig.AutoRollbackConfiguration.Alarms, [
      { AlarmName: "5xx" },
    ]);
    const typed = await planned(job, [
      ...["deploy", "-n", "fresh", "-e", "ml.c5.large", "-c", "1", "--kms-key", "alias/typed"],
      ...["--env", "B=option", "--tag", "team=option", "--subnet", "subnet-2"],
    ]);
    assertEquals(typed.endpoint.EndpointName, "fresh");
    const [other] = typed.configuration.ProductionVariants;
    assertEquals([other.InstanceType, other.InitialInstanceCount], ["ml.c5.large", 1]);
    assertEquals(typed.configuration.KmsKeyId, "alias/typed");
    assertEquals(typed.model.VpcConfig.Subnets, ["subnet-2"]);
    assertEquals(typed.model.Tags.slice(0, 2), [
      { Key: "team", Value: "option" },
      { Key: "cost", Value: "file" },
    ]);
  });

  it("of the file's instances nothing counts where memory is typed, nor the other way", async () => {
    for (
      const [file, args, type, memory] of [
        [
          { ec2_type: "ml.m5.large", instance_count: 2 },
          ["--memory-size-in-mb", "1024"],
          undefined,
          { MemorySizeInMB: 1_024, MaxConcurrency: 5 },
        ],
        [
          { memory_size_in_mb: 1024, max_concurrency: 9 },
          ["-e", "ml.m5.large"],
          "ml.m5.large",
          undefined,
        ],
        [
          { memory_size_in_mb: 1024, max_concurrency: 9 },
          ["--memory-size-in-mb", "3072"],
          undefined,
          { MemorySizeInMB: 3_072, MaxConcurrency: 9 },
        ],
        [{ instance_count: 2 }, ["-e", "ml.m5.large"], "ml.m5.large", undefined],
      ] as const
    ) {
      await using job = await makeDeployApp({ configuration: { ...CONFIGURATION, deploy: file } });
      const args2 = ["deploy", "-n", "shop", "-m", MODEL, ...args];
      const [variant] = (await planned(job, args2)).configuration.ProductionVariants;
      assertEquals([variant.InstanceType, variant.ServerlessConfig], [type, memory]);
    }
  });

  it("leaves out what the file says for instances where memory is typed, but no network", async () => {
    const deploy = {
      ec2_type: "ml.m5.large",
      canary: 10,
      alarm: ["5xx"],
      data_capture: `s3://${BUCKET}/captured`,
      health_check_timeout: 600,
    };
    const args = ["deploy", "-n", "shop", "-m", MODEL, "--memory-size-in-mb", "1024"];
    const configuration = { ...CONFIGURATION, deploy };
    await using job = await makeDeployApp({ configuration });
    const { configuration: made, endpoint, stderr } = await planned(job, args);
    for (const key of ["canary", "data_capture", "health_check_timeout"]) {
      const note =
        `Ignored "${key}" in ${job.app.name}.json: serverless endpoints do not support it`;
      assertStringIncludes(stderr, note);
    }
    assertEquals([made.DataCaptureConfig, endpoint.DeploymentConfig], [undefined, undefined]);
    const typed = await job.run([...args, "--canary", "20"]);
    assertMatch(
      typed.stderr,
      /^error: Option "--canary" is not supported for serverless .*\nhint: Omit --canary,/m,
    );
    const alarm = await job.run([...args, "--alarm", "5xx"]);
    assertMatch(
      alarm.stderr,
      /^error: Option "--alarm" is not supported for serverless endpoints/m,
    );
    const network = { subnet: "subnet-1", security_group: "sg-1" };
    await using other = await makeDeployApp({
      configuration: { ...CONFIGURATION, deploy: network },
    });
    const { code, stderr: said } = await other.run(args);
    assertEquals(code, 2);
    assertMatch(
      said,
      /^error: Option "--subnet" is not supported for serverless endpoints\nhint: Remove "subnet" in "deploy" of test-\w+\.json, or/,
    );
  });

  const roles: readonly (readonly [string, string[], Record<string, string>, string])[] = [
    ["MLCLI_EXECUTION_ROLE", [], { MLCLI_EXECUTION_ROLE: `${EXECUTION_ROLE}-v` }, "-v"],
    ["the role mlcli acts in", ["-r", `${EXECUTION_ROLE}-r`], {}, "-r"],
    ["that of PLATFORM_ROLE", [], { PLATFORM_ROLE: `${EXECUTION_ROLE}-p` }, "-p"],
    [
      "the option before all",
      ["--execution-role", `${EXECUTION_ROLE}-o`, "-r", `${EXECUTION_ROLE}-r`],
      { MLCLI_EXECUTION_ROLE: `${EXECUTION_ROLE}-v` },
      "-o",
    ],
  ];
  for (const [what, args, env, end] of roles) {
    it(`runs a new endpoint in ${what}`, async () => {
      await using job = await makeDeployApp({
        configuration: { s3_prefix: CONFIGURATION.s3_prefix },
      });
      for (const one of ["-r", "-p"]) job.box.roles.add(`${EXECUTION_ROLE}${one}`);
      const { model } = await planned(job, [...LEAST, ...args], env);
      assertEquals(model.ExecutionRoleArn, `${EXECUTION_ROLE}${end}`);
    });
  }

  it("returns with --no-wait once the service has begun, with the endpoint's name", async () => {
    await using job = await makeDeployApp();
    const { code, stdout, stderr } = await job.run([...LEAST, "--no-wait"]);
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    assertEquals(job.box.endpoints.endpoint("shop").status, "Creating");
  });

  for (
    const [what, file, args, seconds] of [
      ["--timeout", {}, ["--timeout", "50"], 50],
      ["the file's", { timeout: 70 }, [], 70],
      ["--timeout, whatever the file says", { timeout: 70 }, ["--timeout", "50"], 50],
      ["an hour", {}, [], 3_600],
    ] as const
  ) {
    it(`waits no longer than ${what}`, async () => {
      await using job = await makeDeployApp({ configuration: { ...CONFIGURATION, deploy: file } });
      job.box.endpoints.script("shop", ["Creating"]);
      const { code, stdout, stderr } = await job.run([...LEAST, ...args]);
      assertEquals([code, stdout], [1, ""], stderr);
      assertStringIncludes(
        stderr,
        `error: Timed out after ${seconds} s: the status of shop is Creating\n`,
      );
      assertMatch(stderr, /hint: .*mlcli wait shop\./);
    });
  }

  const refused: readonly (readonly [
    what: string,
    args: readonly string[],
    code: number,
    words: RegExp,
    deploy?: Readonly<Record<string, unknown>>,
  ])[] = [
    [
      "nothing that the cloud needs",
      ["deploy"],
      2,
      /^error: Missing required options "--endpoint-name", "--model"\nhint: mlcli deploy runs on SageMaker\. Set them, or set "endpoint_name" and "model" in "deploy" of test-\w+\.json\. To run locally: mlcli local deploy\n$/,
    ],
    [
      "no model",
      ["deploy", "-n", "shop"],
      2,
      /^error: Missing required option "--model"\nhint: .* "model" in "deploy" of [^.]*\.json\.\n$/,
    ],
    [
      "neither type nor memory",
      ["deploy", "-n", "shop", "-m", MODEL],
      2,
      /--ec2-type[\s\S]*--memory-size-in-mb/,
    ],
    ["docker's -e", ["deploy", "-e", "A=b"], 2, /hint: .*--env NAME=VALUE/],
    ["docker's --tag", ["deploy", "--tag", "v2"], 2, /hint: To choose the image's tag, use -t/],
    [
      "a port",
      ["deploy", "--port", "80"],
      2,
      /hint: \S+ belongs to mlcli local deploy, which runs on this machine/,
    ],
    ["a name that is none", ["deploy", "-n", "a_b"], 2, /^error: Invalid endpoint name: "a_b"/],
    [
      "an empty model",
      ["deploy", "-m", ""],
      2,
      /"-m"\nhint: .*\$\(\.\.\.\), its command printed nothing/,
    ],
    ["both kinds", [...LEAST, "--memory-size-in-mb", "1024"], 2, /cannot be used together/],
    ["no number", [...LEAST, "-c", "two"], 2, /a whole number, 1 or more, but got "two"/],
    [
      "time without a wait",
      [...LEAST, "--no-wait", "--timeout", "5"],
      2,
      /Options "--timeout" and "--no-wait" cannot be used together\nhint: Wait for the endpoint later/,
    ],
    [
      "an alarm alone",
      [...LEAST, "--alarm", "5xx"],
      2,
      /"--alarm" has no effect without "--canary"/,
    ],
    [
      "variables that SageMaker would refuse",
      [...LEAST, "--env", `A=${"x".repeat(1_025)}`],
      1,
      /^error: SageMaker rejects .* longer than 1,024 bytes: "A"/,
    ],
    [
      "a name of 55 characters in the file",
      ["deploy", "-m", MODEL, "-e", "ml.m5.large"],
      1,
      /^error: Endpoint name "a{55}" has 55 characters, but deploy accepts up to 54\nhint: /,
      { endpoint_name: "a".repeat(55) },
    ],
    [
      "memory in the file that is none",
      LEAST,
      1,
      /^error: test-\w+\.json: "memory_size_in_mb" in "deploy" must be a number of MB, 1024 to 6144 in steps of 1024, but got "1000"\nhint: Correct "memory_size_in_mb" in test-\w+\.json\n$/,
      { memory_size_in_mb: 1000 },
    ],
    [
      "both kinds in the file",
      ["deploy", "-n", "shop", "-m", MODEL],
      1,
      /json: "ec2_type" in "deploy" cannot be used together with "memory_size_in_mb"/,
      { ec2_type: "ml.m5.large", memory_size_in_mb: 1024 },
    ],
    [
      "an image that is not pushed",
      [...LEAST, "-t", "v2"],
      1,
      /error: test-\w+:v2 has not been pushed: .*\nhint: Run mlcli push --docker-tag v2 first/,
    ],
  ];
  for (const [what, args, code, words, deploy] of refused) {
    it(`refuses ${what}, before anything is made`, async () => {
      await using job = await makeDeployApp({
        configuration: { ...CONFIGURATION, ...deploy && { deploy } },
      });
      const result = await job.run(args);
      assertEquals([result.code, result.stdout], [code, ""], result.stderr);
      assertMatch(result.stderr, words);
      assertEquals(changesOf(job), []);
    });
  }

  it("warns of keys that do nothing, or are almost one", async () => {
    const deploy = { endpoint: "shop", no_wait: true, env_file: "a.env", region: "eu-west-1" };
    await using job = await makeDeployApp({ configuration: { ...CONFIGURATION, deploy } });
    const { stderr } = await planned(job, LEAST);
    for (const key of ["no_wait", "env_file", "region"]) {
      assertStringIncludes(stderr, `"${key}" in "deploy" has no effect\n`);
    }
    assertEquals((await planned(job, LEAST)).endpoint.EndpointName, "shop");
  });

  it("says in its help what serves on this machine", async () => {
    await using job = await makeDeployApp();
    const { stdout } = await job.run(["deploy", "--help"]);
    assertMatch(stdout, /To serve\s+locally,\s+use\s+mlcli local deploy\./);
  });
});
