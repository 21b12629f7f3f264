import { assert, assertEquals, assertMatch } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import type { AddedEndpoint } from "../../../helpers/box/endpoints/endpoint_store.ts";
import { runCloudInProcess } from "../../../helpers/in_process.ts";
import { addJob } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TIME = "[\\d-]+ [\\d:.]+[+-][\\d:]+";
const IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop@sha256:0123";
const SHOP: AddedEndpoint = {
  image: IMAGE,
  model: "shop-mlcli",
  container: {
    ModelDataUrl: "s3://data/model.tar.gz",
    Environment: { API_KEY: "a-value-that-nobody-may-see", LEVEL: "2" },
  },
  settings: { DataCaptureConfig: { EnableCapture: true, DestinationS3Uri: "s3://data/capture" } },
};

function run(box: Box, ...args: readonly string[]) {
  return runCloudInProcess(box, ["describe", "shop", ...args]);
}

const CONSOLE =
  "https://eu-west-1.console.aws.amazon.com/sagemaker/home?region=eu-west-1#/endpoints/shop";

suite("mlcli describe of an endpoint", () => {
  it("shows what it serves and on what, without the values of its variables", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop", SHOP);
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stderr], [0, ""]);
    const expected = [
      "Name:           shop",
      "Kind:           endpoint",
      "Status:         InService",
      `Created:        ${TIME}`,
      `Changed:        ${TIME}`,
      "Age:            \\d+s",
      "Configuration:  shop-config",
      "Instances:      1 ml.m5.large",
      "Model:          shop-mlcli",
      "Data:           s3://data/model.tar.gz",
      `Image:          ${IMAGE}`,
      "Role:           arn:aws:iam::123456789012:role/\\S+",
      "Variables:      API_KEY, LEVEL",
      "Data capture:   s3://data/capture",
      `Console:        ${CONSOLE.replace("?", "\\?")}`,
    ].join("\n");
    assertMatch(stdout, new RegExp(`^${expected}\n$`));
  });

  it("is JSON for another program, what is not known null", async () => {
    await using box = await Box.open();
    const endpoint = box.endpoints.add("shop", SHOP);
    endpoint.variants[0]!.desiredCount = 3;
    endpoint.variants[0]!.currentCount = 2;
    const { stdout } = await run(box, "--output", "json");
    const { creation_time, last_modified_time, age_seconds, variants, ...rest } = JSON.parse(
      stdout,
    );
    assert(Math.abs(Date.parse(creation_time) / 1000 - endpoint.creationTime) < 0.01);
    assertMatch(last_modified_time, /T/);
    assert(Number.isInteger(age_seconds) && age_seconds >= 0);
    assertEquals(rest, {
      endpoint_name: "shop",
      kind: "endpoint",
      arn: endpoint.arn,
      status: "InService",
      console: CONSOLE,
      reason: null,
      configuration: "shop-config",
      pending_configuration: null,
      data_capture: "s3://data/capture",
    });
    const [{ role, ...variant }] = variants;
    assertMatch(role, /^arn:/);
    assertEquals([variant], [{
      name: "AllTraffic",
      instance_type: "ml.m5.large",
      instance_count: 2,
      desired_instance_count: 3,
      memory_size_in_mb: null,
      max_concurrency: null,
      model: "shop-mlcli",
      data: ["s3://data/model.tar.gz"],
      images: [IMAGE],
      variables: ["API_KEY", "LEVEL"],
    }]);
    assertMatch((await run(box)).stdout, /^Instances: {6}3 ml\.m5\.large$/m);
    endpoint.variants[0]!.currentCount = 5;
    assertMatch((await run(box)).stdout, /^Instances: {6}5 of 3 ml\.m5\.large$/m);
  });

  it("shows a serverless one, one that failed, one that changes", async () => {
    await using box = await Box.open();
    const variant = { ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } };
    const reason = "no\nsuch\x1b[2J image";
    const endpoint = box.endpoints.add("shop", { variant, status: "Failed", reason });
    const { stdout } = await run(box);
    assertMatch(stdout, /^Instances: {6}serverless, 2048 MB, 5 concurrent requests$/m);
    assertMatch(stdout, /^Status: {9}Failed\nReason: {9}no\n {16}such\?\[2J image$/m);
    const [json] = JSON.parse((await run(box, "--output", "json")).stdout).variants;
    assertEquals(
      [json.instance_type, json.instance_count, json.memory_size_in_mb, json.max_concurrency],
      [null, null, 2048, 5],
    );
    endpoint.settle();
    const configuration = box.endpoints.addConfiguration("shop-config-2");
    endpoint.beginUpdate({ ...endpoint.current, configuration });
    assertMatch(
      (await run(box)).stdout,
      /^Configuration: {2}shop-config\nPending: {8}shop-config-2$/m,
    );
  });

  it("shows one that is being created by its configuration", async () => {
    await using box = await Box.open();
    box.endpoints.script("shop", ["Creating"]);
    box.endpoints.begin(box.endpoints.add("shop", { ...SHOP, status: "Creating" }));
    const { stdout } = await run(box);
    assertMatch(stdout, /^Instances: {6}1 ml\.m5\.large\nModel: {10}shop-mlcli$/m);
  });

  it("describe prints a note for each part of an endpoint that it has no permission to read", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop", SHOP);
    box.faults.deny("sagemaker:DescribeModel");
    const noModel = await run(box);
    assertEquals(noModel.code, 0);
    assertMatch(noModel.stdout, /^Model: {10}shop-mlcli\nData capture:/m);
    assertEquals(
      noModel.stderr,
      "note: Cannot read the details of model shop-mlcli: AccessDeniedException: sagemaker:DescribeModel\n",
    );
    box.faults.deny("sagemaker:DescribeEndpointConfig");
    const nothing = await run(box);
    assertEquals(nothing.code, 0);
    assertMatch(nothing.stdout, /^Instances: {6}1 instances\nConsole: .*\n$/m);
    assertMatch(
      nothing.stderr,
      /^note: Cannot read the details of configuration shop-config: Access/,
    );
  });

  it("says nothing where configuration and model were deleted meanwhile", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop", SHOP);
    box.endpoints.models.clear();
    assertEquals((await run(box)).stderr, "");
    box.endpoints.configurations.clear();
    const { code, stderr } = await run(box);
    assertEquals([code, stderr], [0, ""]);
  });

  it("asks which one is meant where jobs have the same name", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    addJob(box, "shop", [], { kind: "processing" });
    const { code, stderr } = await run(box);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: Several resources are named "shop"\n.*\n.*\nhint: .*--kind endpoint\n$/,
    );
    assertMatch((await run(box, "--kind", "process")).stdout, /^Kind: {11}processing job$/m);
    assertMatch((await run(box, "--kind", "endpoint")).stdout, /^Kind: {11}endpoint$/m);
  });
});

suite("mlcli stop-job of an endpoint", () => {
  it("says what ends an endpoint", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    const stop = (...args: readonly string[]) =>
      runCloudInProcess(box, ["stop-job", "shop", ...args]);
    const expected = {
      code: 1,
      stdout: "",
      stderr: 'error: "shop" is an endpoint, not a job\nhint: Delete the endpoint ' +
        "to stop its costs: mlcli delete-endpoint -n shop --delete-config " +
        "--delete-model\n",
    };
    assertEquals(await stop(), expected);
    assertEquals(await stop("--kind", "endpoint"), expected);
    assertMatch((await stop("--kind", "train")).stderr, /^error: ResourceNotFound: training job/);
    // A job of that name is what is meant.
    const job = addJob(box, "shop", []);
    assertEquals((await stop()).stdout, "shop\n");
    assertEquals(job.status, "Stopping");
  });
});
