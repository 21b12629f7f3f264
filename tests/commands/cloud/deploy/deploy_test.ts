import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EXECUTION_ROLE } from "../../../helpers/box/jobs/job_store.ts";
import {
  callsIn,
  changesOf,
  LEAST,
  makeDeployApp,
  MODEL,
  MODEL_KEY,
  SECOND,
  thingsOf,
  UPDATE,
} from "../../../helpers/deploy_app.ts";
import { BUCKET } from "../../../helpers/job_app.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FIRST_SLOT = ["shop-config", "shop-mlcli"];
const SECOND_SLOT = ["shop-config-2", "shop-mlcli-2"];

suite("deploy", () => {
  it("creates an endpoint, and prints its name", async () => {
    await using job = await makeDeployApp();
    const { code, stdout, stderr } = await job.run([...LEAST, "--tag", "team=a", "--env", "A=b"]);
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
    const { endpoints } = job.box;
    const model = endpoints.models.get("shop-mlcli")!;
    assertEquals(model.container, {
      Image: job.image,
      ModelDataUrl: MODEL,
      Environment: { A: "b" },
    });
    assertEquals(model.request.ExecutionRoleArn, EXECUTION_ROLE);
    const own = { team: "a", "mlcli.app": job.app.name, "mlcli.endpoint": "shop" };
    const image = { "mlcli.image": job.image.split("@")[1] };
    for (const [one, more] of [[model, image], [endpoints.endpoint("shop"), {}]] as const) {
      const { "mlcli.version": version, ...tags } = Object.fromEntries(one.tags);
      assertEquals([tags, version !== undefined], [{ ...own, ...more }, true]);
    }
    for (
      const line of [
        "Created model shop-mlcli\nCreated endpoint configuration shop-config\n" +
        "Creating endpoint shop in eu-west-1 (AWS_REGION)\n" +
        "Console: https://eu-west-1.console.aws.amazon.com/sagemaker/home?region=eu-west-1" +
        "#/endpoints/shop\nCreating\nInService\n",
        "mlcli delete-endpoint -n shop --delete-config --delete-model\n",
      ]
    ) assertStringIncludes(stderr, line);
  });

  it("updates one, then deletes what it served before; again, and again", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    for (const [args, slot] of [[UPDATE, SECOND_SLOT], [LEAST, FIRST_SLOT]] as const) {
      job.box.requests.length = 0;
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout], [0, "shop\n"], stderr);
      assertEquals(thingsOf(job), { all: slot, served: slot });
      // What served goes last.
      assertEquals(changesOf(job), [
        "sagemaker:CreateModel",
        "sagemaker:CreateEndpointConfig",
        "sagemaker:UpdateEndpoint",
        "sagemaker:AddTags",
        "sagemaker:DeleteEndpointConfig",
        "sagemaker:DeleteModel",
      ]);
      assertStringIncludes(stderr, "Changes: model data\n");
    }
  });

  it("says so where that is served already, and changes nothing", async () => {
    await using job = await makeDeployApp();
    await job.run([...LEAST, "--env", "A=b"]);
    for (const args of [LEAST, ["deploy", "-n", "shop", "-m", MODEL, "--env", "A=b"]]) {
      job.box.requests.length = 0;
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout, changesOf(job)], [0, "shop\n", []], stderr);
      assertStringIncludes(stderr, "shop already serves this version");
      assertEquals(await job.run([...args, "--dry-run"]).then(({ stdout }) => stdout), "[]\n");
    }
  });

  it("updates where the archive was written again, and where a variable is another", async () => {
    await using job = await makeDeployApp();
    await job.run([...LEAST, "--env", "A=b", "--env", "C=d"]);
    job.box.s3.object(BUCKET, MODEL_KEY)!.modified = new Date(Date.now() + 60_000);
    const rewritten = await job.run(LEAST);
    assertStringIncludes(rewritten.stderr, "Changes: model data\n");
    assertEquals(thingsOf(job).served, SECOND_SLOT);
    const { stderr } = await job.run([...UPDATE, "--env", "C=e"]);
    assertStringIncludes(stderr, "Changes: model data, variables\n");
    const { container } = job.box.endpoints.models.get("shop-mlcli")!;
    assertEquals(container.Environment, { A: "b", C: "e" });
  });

  it("keeps what an endpoint has unless an option says otherwise", async () => {
    await using job = await makeDeployApp();
    const settings = {
      DataCaptureConfig: {
        EnableCapture: true,
        InitialSamplingPercentage: 10,
        DestinationS3Uri: `s3://${BUCKET}/captured`,
        CaptureOptions: [{ CaptureMode: "Input" }],
      },
      KmsKeyId: "alias/k",
      Tags: [{ Key: "team", Value: "a" }, { Key: "cost", Value: "b" }],
    };
    const variant = {
      InstanceType: "ml.c5.xlarge",
      InitialInstanceCount: 2,
      VolumeSizeInGB: 50,
      ContainerStartupHealthCheckTimeoutInSeconds: 300,
      VariantName: "main",
      InitialVariantWeight: 3,
    };
    const endpoint = job.box.endpoints.add("shop", {
      configuration: "shop-config",
      model: "their-model",
      container: { ModelDataUrl: MODEL, Environment: { A: "b" } },
      variant,
      settings,
    });
    endpoint.variants[0]!.desiredCount = 5;
    const { code, stderr } = await job.run([...UPDATE, "--tag", "team=c"]);
    assertEquals(code, 0, stderr);
    const { request } = endpoint.current.configuration;
    const { Tags, EndpointConfigName, ProductionVariants, ...rest } = request;
    assertEquals([EndpointConfigName, ProductionVariants], [
      "shop-config-2",
      [{ ...variant, ModelName: "shop-mlcli" }],
    ]);
    assertEquals(rest, {
      DataCaptureConfig: settings.DataCaptureConfig,
      KmsKeyId: "alias/k",
    });
    assertEquals(Tags.slice(0, 2), [{ Key: "team", Value: "c" }, { Key: "cost", Value: "b" }]);
    // Autoscaling's count, too.
    assertEquals(endpoint.variants[0]!.desiredCount, 5);
    assertEquals(endpoint.variants[0]!.model.container.Environment, { A: "b" });
    // What mlcli did not make stays, and is named.
    assertEquals(thingsOf(job).all, ["shop-config", "shop-config-2", "their-model", "shop-mlcli"]);
    assertStringIncludes(stderr, "aws sagemaker delete-model --model-name their-model");
  });

  it("sets the count that is typed; a file's only where it is another than before", async () => {
    await using job = await makeDeployApp();
    const endpoint = (): number => job.box.endpoints.endpoint("shop").variants[0]!.desiredCount;
    const scale = (count: number): void => {
      job.box.endpoints.endpoint("shop").variants[0]!.desiredCount = count;
    };
    await job.run([...LEAST, "-c", "2"]);
    scale(5);
    await job.app.write(
      `${job.app.directory}/${job.app.name}.json`,
      JSON.stringify({
        execution_role: EXECUTION_ROLE,
        deploy: { instance_count: 2, ec2_type: "ml.m5.large" },
      }),
    );
    assertEquals((await job.run(UPDATE)).code, 0);
    assertEquals(endpoint(), 5);
    const { code, stderr } = await job.run([...UPDATE, "-c", "3"]);
    assertEquals([code, endpoint()], [0, 3], stderr);
    // While it scales, the count that there is to be is compared.
    for (
      const [desiredCount, currentCount, words] of [[3, 5, "already serves"], [5, 3, "instance"]]
    ) {
      const [variant] = job.box.endpoints.endpoint("shop").variants;
      Object.assign(variant!, { desiredCount, currentCount });
      const { stderr } = await job.run([...UPDATE, "-c", "3"]);
      assertStringIncludes(stderr, words as string);
      assertEquals(endpoint(), 3);
    }
  });

  it("captures data where it did not, with as many instances as there are", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    const endpoint = job.box.endpoints.endpoint("shop");
    endpoint.variants[0]!.desiredCount = 3;
    const address = `s3://${BUCKET}/captured`;
    const { code, stderr } = await job.run([...LEAST, "--data-capture", address]);
    assertEquals(code, 0, stderr);
    assertEquals(endpoint.current.dataCapture?.DestinationS3Uri, address);
    assertEquals(endpoint.variants[0]!.desiredCount, 3);
    const same = await job.run([...LEAST, "--data-capture", address]);
    assertStringIncludes(same.stderr, "already serves this version");
  });

  it("cleans up what an update without --wait has left, where there is nothing to change", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    await job.run([...UPDATE, "--no-wait"]);
    assertEquals((await job.run(["wait", "shop"])).code, 0);
    assertEquals(thingsOf(job).all.length, 4);
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "Nothing to change: ");
    assertEquals(thingsOf(job), { all: SECOND_SLOT, served: SECOND_SLOT });
  });

  it("prints the name with --no-wait once it has begun; the next deploy cleans up", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    const begun = await job.run([...UPDATE, "--no-wait"]);
    assertEquals([begun.code, begun.stdout], [0, "shop\n"]);
    assertStringIncludes(begun.stderr, "The next mlcli deploy deletes the old model");
    assertStringIncludes(begun.stderr, "note: The endpoint costs money until you delete it: ");
    assertEquals(job.box.endpoints.endpoint("shop").status, "Updating");
    assertEquals(thingsOf(job).all.length, 4);
    job.box.requests.length = 0;
    const next = await job.run(UPDATE);
    assertEquals([next.code, next.stdout], [0, "shop\n"], next.stderr);
    assertStringIncludes(next.stderr, "already changing to this version");
    assertEquals(thingsOf(job), { all: SECOND_SLOT, served: SECOND_SLOT });
    assertEquals(changesOf(job).includes("sagemaker:UpdateEndpoint"), false);
  });

  it("makes a serverless endpoint, and gives it instances for good", async () => {
    await using job = await makeDeployApp();
    const serverless = ["deploy", "-n", "shop", "-m", MODEL, "--memory-size-in-mb", "2048"];
    assertEquals((await job.run(serverless)).code, 0);
    const variant = () => job.box.endpoints.endpoint("shop").variants[0]!.request;
    assertEquals(variant().ServerlessConfig, { MemorySizeInMB: 2048, MaxConcurrency: 5 });
    assertEquals((await job.run([...UPDATE, "--max-concurrency", "9"])).code, 0);
    assertEquals(variant().ServerlessConfig, { MemorySizeInMB: 2048, MaxConcurrency: 9 });
    const { code, stderr } = await job.run([...UPDATE, "-e", "ml.m5.large"]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "cannot become serverless again");
    assertEquals([variant().ServerlessConfig, variant().InstanceType], [undefined, "ml.m5.large"]);
    const back = await job.run([...UPDATE, "--memory-size-in-mb", "2048"]);
    assertEquals([back.code, back.stdout], [1, ""]);
    assertStringIncludes(back.stderr, "cannot become serverless");
  });

  it("shows each call with --dry-run, and changes nothing", async () => {
    await using job = await makeDeployApp();
    await job.run([...LEAST, "--env", "TOKEN=very-secret"]);
    const { endpoints } = job.box;
    endpoints.addModel("shop-mlcli-2");
    job.box.requests.length = 0;
    const { code, stdout, stderr } = await job.run([
      ...[...UPDATE, "--dry-run", "--canary", "10", "--alarm", "errors"],
    ]);
    assertEquals([code, changesOf(job)], [0, []], stderr);
    assert(!`${stdout}${stderr}`.includes("very-secret"));
    const { actions, model, endpoint } = callsIn(stdout);
    assertEquals(model.PrimaryContainer.Environment, { TOKEN: "***" });
    assertEquals(endpoint.DeploymentConfig.AutoRollbackConfiguration, {
      Alarms: [{ AlarmName: "errors" }],
    });
    job.box.requests.length = 0;
    assertEquals((await job.run([...UPDATE, "--canary", "10", "--alarm", "errors"])).code, 0);
    assertEquals(changesOf(job), actions);
    const sent = (operation: string) =>
      job.box.requests.find((one) => one.operation === operation)!.input;
    assertEquals(sent("UpdateEndpoint"), endpoint);
    assertEquals(sent("CreateModel").PrimaryContainer.ModelDataUrl, SECOND);
  });

  it("takes the names that are free where a configuration has the model of another slot", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop", { configuration: "shop-config", model: "shop-mlcli-2" });
    assertEquals((await job.run(UPDATE)).code, 0);
    const names = ["shop-config-2", "shop-mlcli"];
    assertEquals(thingsOf(job), { all: names, served: names });
  });
});
