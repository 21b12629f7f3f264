import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EndpointStore } from "../../helpers/box/endpoints/endpoint_store.ts";
import { putImage } from "../../helpers/box/images.ts";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, assertFields, configuration, type Fields, Hosting, SERVERLESS } from "./hosting.ts";

const SHOP = { EndpointName: "Shop" };

suite("the box's endpoints: as a test wrote them down", () => {
  it("are created, described, deleted; ARNs have small letters, names none that matter", async () => {
    await using hosting = await Hosting.open();
    const { box } = hosting;
    const tags = [{ Key: "team", Value: "shop" }];
    const model = await hosting.done("CreateModel", hosting.model({ Tags: tags }));
    assertEquals(model, { ModelArn: `${ARN}:model/m` });
    const named = configuration("Shop-Config");
    const made = await hosting.done("CreateEndpointConfig", named);
    assertEquals(made, { EndpointConfigArn: `${ARN}:endpoint-config/shop-config` });
    const created = await hosting.done("CreateEndpoint", {
      ...SHOP,
      EndpointConfigName: "Shop-Config",
    });
    assertEquals(created, { EndpointArn: `${ARN}:endpoint/shop` });
    const first = await hosting.done("DescribeEndpoint", SHOP);
    assertFields(first, {
      ...{ EndpointName: "Shop", EndpointArn: `${ARN}:endpoint/shop`, EndpointStatus: "Creating" },
      EndpointConfigName: "Shop-Config",
      PendingDeploymentSummary: { EndpointConfigName: "Shop-Config" },
    });
    assertEquals([first.ProductionVariants, first.FailureReason], [undefined, undefined]);
    const second = await hosting.done("DescribeEndpoint", { EndpointName: "sHOP" });
    const { ResolutionTime, ...images } = second.ProductionVariants[0].DeployedImages[0];
    assertEquals(typeof ResolutionTime, "number");
    assertEquals(images, { SpecifiedImage: hosting.image, ResolvedImage: hosting.image });
    assertFields(second.ProductionVariants[0], {
      ...{ VariantName: "AllTraffic", CurrentWeight: 1, DesiredWeight: 1 },
      ...{ CurrentInstanceCount: 1, DesiredInstanceCount: 1 },
    });
    assertEquals([second.EndpointStatus, second.PendingDeploymentSummary], [
      "InService",
      undefined,
    ]);
    await hosting.done("DeleteEndpoint", SHOP);
    assertEquals(await hosting.statuses("Shop", 2), [
      "Deleting Shop-Config",
      "ValidationException",
    ]);
    assertEquals(box.endpoints.endpoints.size, 0);
    await hosting.done("DeleteEndpointConfig", { EndpointConfigName: "shop-config" });
    await hosting.done("DeleteModel", { ModelName: "m" });
    assertEquals([box.endpoints.configurations.size, box.endpoints.models.size], [0, 0]);
  });

  it("have images by their digests, as they were when they were created", async () => {
    await using hosting = await Hosting.open();
    const { box } = hosting;
    const reference = `${box.ecr.front.host}/app:latest`;
    await hosting.done("CreateModel", hosting.model({ PrimaryContainer: { Image: reference } }));
    await hosting.done("CreateEndpointConfig", configuration("c"));
    await hosting.serving("Shop", "c");
    const files = { "new.txt": "new" };
    const { repositories } = box.ecr.store;
    await putImage(box.ecr, repositories.get("app")!, { tag: "latest", files });
    const { ProductionVariants } = await hosting.done("DescribeEndpoint", SHOP);
    const [{ SpecifiedImage, ResolvedImage }] = ProductionVariants[0].DeployedImages;
    assertEquals([SpecifiedImage, ResolvedImage], [reference, hosting.image]);
  });

  it("say of models and configurations what these were made with", async () => {
    await using hosting = await Hosting.open();
    const { Tags: _tags, ...model } = hosting.model({ Tags: [{ Key: "a", Value: "b" }] });
    await hosting.done("CreateModel", { ...model, Tags: [{ Key: "a", Value: "b" }] });
    const described = await hosting.done("DescribeModel", { ModelName: "m" });
    assertFields(described, { ...model, ModelArn: `${ARN}:model/m` });
    assertEquals([described.Tags, described.EnableNetworkIsolation], [undefined, false]);
    const capture = {
      EnableCapture: true,
      InitialSamplingPercentage: 50,
      DestinationS3Uri: "s3://data/capture",
      CaptureOptions: [{ CaptureMode: "Input" }],
    };
    const wanted = configuration("c", {}, { DataCaptureConfig: capture });
    await hosting.done("CreateEndpointConfig", wanted);
    const found = await hosting.done("DescribeEndpointConfig", { EndpointConfigName: "c" });
    assertFields(found, { ...wanted, EndpointConfigArn: `${ARN}:endpoint-config/c` });
    await hosting.serving("Shop", "c");
    const { DataCaptureConfig } = await hosting.done("DescribeEndpoint", SHOP);
    assertEquals(DataCaptureConfig, {
      ...{ EnableCapture: true, CaptureStatus: "Started", CurrentSamplingPercentage: 50 },
      ...{ DestinationS3Uri: "s3://data/capture", KmsKeyId: "" },
    });
  });

  it("go on as they are told, print lines, and fail", async () => {
    await using hosting = await Hosting.open("c");
    const { box } = hosting;
    box.endpoints.script("Shop", [
      { log: ["starting"] },
      "Creating",
      { log: { "AllTraffic/i-2": ["other"] }, end: "Failed", reason: "x".repeat(2_000) },
    ]);
    await hosting.done("CreateEndpoint", { ...SHOP, EndpointConfigName: "c" });
    assertEquals(await hosting.statuses("Shop", 4), [
      "Creating c",
      "Creating c",
      "Creating c",
      "Failed c",
    ]);
    const { FailureReason } = await hosting.done("DescribeEndpoint", SHOP);
    assertEquals(FailureReason.length, 1_024);
    const group = "/aws/sagemaker/Endpoints/Shop";
    const streams = box.logs.streams(group);
    assertEquals(streams.map(({ name }) => name), [
      "AllTraffic/i-0123456789abcdef0",
      "AllTraffic/i-2",
    ]);
    assertEquals(box.logs.messages(group, "AllTraffic/i-0123456789abcdef0"), ["starting"]);
    await hosting.done("DeleteEndpoint", SHOP);
    assertEquals(await hosting.statuses("Shop", 2), ["Deleting c", "ValidationException"]);
  });

  it("have changed before they print: no stream is older than the change that it comes with", () => {
    const seen: string[] = [];
    const store = new EndpointStore(() => seen.push(store.endpoint("shop").status));
    const endpoint = store.add("shop", { status: "Updating" });
    store.script("shop", [{ status: "RollingBack", log: ["a"] }, { end: "InService", log: ["b"] }]);
    for (let step = 0; step < 2; step++) store.advance(endpoint);
    assertEquals(seen, ["RollingBack", "InService"]);
  });

  it("take one script for each thing that is asked of them", async () => {
    await using hosting = await Hosting.open("c", "d");
    const { box } = hosting;
    box.endpoints.script("Shop", [{ end: "InService" }]);
    box.endpoints.script("Shop", [{ rollback: true }]);
    await hosting.serving("Shop", "c");
    await hosting.done("UpdateEndpoint", { ...SHOP, EndpointConfigName: "d" });
    // What goes on is told anew.
    box.endpoints.script("Shop", ["Updating", { rollback: true, reason: "no" }]);
    assertEquals(await hosting.statuses("Shop", 3), ["Updating c", "Updating c", "InService c"]);
    await hosting.done("UpdateEndpoint", { ...SHOP, EndpointConfigName: "d" });
    assertEquals(await hosting.statuses("Shop", 2), ["Updating c", "InService d"]);
  });

  it("can be there from the beginning, in any status", async () => {
    await using hosting = await Hosting.open();
    const { endpoints } = hosting.box;
    endpoints.add("old", { status: "Failed", reason: "ping", tags: { a: "b" } });
    const variant = { ServerlessConfig: SERVERLESS.ServerlessConfig };
    endpoints.add("other", { configuration: "own", model: "own-model", variant });
    endpoints.add("busy", { status: "SystemUpdating" });
    const { Endpoints } = await hosting.done("ListEndpoints");
    assertEquals(
      Endpoints.map((one: Fields) => `${one.EndpointName} ${one.EndpointStatus}`),
      ["busy SystemUpdating", "other InService", "old Failed"],
    );
    const old = await hosting.done("DescribeEndpoint", { EndpointName: "old" });
    assertEquals([old.EndpointConfigName, old.FailureReason], ["old-config", "ping"]);
    const { ProductionVariants: [other] } = await hosting.done("DescribeEndpoint", {
      EndpointName: "other",
    });
    assertFields(other, { CurrentServerlessConfig: variant.ServerlessConfig });
    assertEquals(other.DesiredInstanceCount, undefined);
    await hosting.done("DescribeModel", { ModelName: "own-model" });
    await hosting.done("DescribeEndpointConfig", { EndpointConfigName: "own" });
    assertEquals(await hosting.statuses("busy", 2), [
      "SystemUpdating busy-config",
      "SystemUpdating busy-config",
    ]);
    await assertRejects(() => Promise.resolve().then(() => endpoints.endpoint("none")), Error);
  });

  it("are listed by pages, the newest first, and filtered", async () => {
    await using hosting = await Hosting.open();
    const { endpoints } = hosting.box;
    for (let index = 1; index <= 12; index++) endpoints.add(`e-${index}`);
    endpoints.endpoint("e-3").fail("no");
    const names = ({ Endpoints }: Fields): string[] =>
      Endpoints.map((one: Fields) => one.EndpointName);
    const first = await hosting.done("ListEndpoints");
    assertEquals([names(first).length, names(first)[0]], [10, "e-12"]);
    const { NextToken } = first;
    const second = await hosting.done("ListEndpoints", { NextToken });
    assertEquals([names(second), second.NextToken], [["e-2", "e-1"], undefined]);
    const failed = await hosting.done("ListEndpoints", { StatusEquals: "Failed" });
    assertEquals(names(failed), ["e-3"]);
    const sorting = { SortBy: "Name", SortOrder: "Ascending", NameContains: "E-1" };
    assertEquals(names(await hosting.done("ListEndpoints", sorting)), [
      "e-1",
      "e-10",
      "e-11",
      "e-12",
    ]);
    const { Models } = await hosting.done("ListModels", { MaxResults: 1 });
    assertEquals(Models[0].ModelArn, `${ARN}:model/e-12-model`);
    const { EndpointConfigs } = await hosting.done("ListEndpointConfigs", { NameContains: "12" });
    assertEquals(EndpointConfigs.length, 1);
    assertEquals(EndpointConfigs[0].EndpointConfigName, "e-12-config");
  });

  it("and models and configurations have tags, by pages", async () => {
    await using hosting = await Hosting.open();
    const { box } = hosting;
    box.endpoints.add("Shop", { tags: { a: "1", b: "2" } });
    const ResourceArn = `${ARN}:endpoint/shop`;
    box.services.sagemaker.tagsInPage = 2;
    await hosting.done("AddTags", { ResourceArn, Tags: [{ Key: "b", Value: "3" }] });
    await hosting.done("AddTags", { ResourceArn, Tags: [{ Key: "c", Value: "4" }] });
    const first = await hosting.done("ListTags", { ResourceArn });
    assertEquals(first.Tags, [{ Key: "a", Value: "1" }, { Key: "b", Value: "3" }]);
    const { NextToken } = first;
    assertEquals(await hosting.done("ListTags", { ResourceArn, NextToken }), {
      Tags: [{ Key: "c", Value: "4" }],
    });
    for (const arn of [`${ARN}:model/shop-model`, `${ARN}:endpoint-config/shop-config`]) {
      assertEquals(await hosting.done("ListTags", { ResourceArn: arn }), { Tags: [] });
    }
    const many = Array.from({ length: 48 }, (_, index) => ({ Key: `t-${index}`, Value: "" }));
    const full = await hosting.refused("AddTags", { ResourceArn, Tags: many });
    assertMatch(full, /^ResourceLimitExceeded: /);
    assertEquals(box.endpoints.endpoint("Shop").tags.size, 3);
    const none = await hosting.refused("ListTags", { ResourceArn: `${ARN}:model/none` });
    assertMatch(none, /^ValidationException: Could not find resource/);
  });
});
