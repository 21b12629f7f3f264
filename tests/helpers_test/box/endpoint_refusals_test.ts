import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, configuration, type Fields, Hosting, SERVERLESS } from "./hosting.ts";

const CREATE = { EndpointName: "shop", EndpointConfigName: "c" };
const ROLE = "arn:aws:iam::123456789012:role/service-role/jobs";

suite("the box's endpoints: refusals", () => {
  const rows:
    readonly (readonly [what: string, container: Fields, words: RegExp, role?: string])[] = [
      [
        "an artifact that is not there",
        { ModelDataUrl: "s3://data/none.tar.gz" },
        /^Could not access model data at s3:\/\/data\/none\.tar\.gz\. Please ensure that the role /,
      ],
      [
        "a directory as an artifact",
        { ModelDataUrl: "s3://data/model" },
        /^Could not access model data at .*"s3:GetObject" permissions and that the object is located/,
      ],
      [
        "an artifact in another region",
        { ModelDataUrl: "s3://far/model.tar.gz" },
        /^Could not access model data at .* located in eu-west-1\./,
      ],
      [
        "two artifacts",
        {
          ModelDataUrl: "s3://data/model.tar.gz",
          ModelDataSource: {
            S3DataSource: { S3Uri: "s3://data/", S3DataType: "S3Prefix", CompressionType: "None" },
          },
        },
        /not both be specified/,
      ],
      [
        "a role that does not trust SageMaker",
        {},
        /^Could not assume role .*other\. Please ensure that the role exists and allows principal/,
        "arn:aws:iam::123456789012:role/other",
      ],
      [
        "an image that is not there",
        { Image: "HOST/app:none" },
        /^Requested image .* not found\.$/,
      ],
      [
        "a repository that is not there",
        { Image: "HOST/none:latest" },
        /^Cannot find repository: none in registry ID: 123456789012 /,
      ],
      [
        "an image in OCI's format",
        { Image: "HOST/app:oci" },
        /^Unsupported manifest media type application\/vnd\.oci\.image\.manifest\.v1\+json$/,
      ],
      [
        "a list of images",
        { Image: "HOST/app:list" },
        /^Unsupported manifest media type application\/vnd\.oci\.image\.index\.v1\+json$/,
      ],
    ];
  for (const [what, container, words, ExecutionRoleArn = ROLE] of rows) {
    it(`of a model with ${what}`, async () => {
      await using hosting = await Hosting.open();
      const { box } = hosting;
      box.s3.createBucket("far", { region: "eu-central-1" });
      await box.s3.put("far", "model.tar.gz", "x");
      const repository = box.ecr.store.repositories.get("app")!;
      const digest = await putImage(box.ecr, repository, { tag: "oci", format: "oci" });
      const part = indexed(repository, digest, { os: "linux", architecture: "amd64" });
      await putIndex(box.ecr, repository, [part], { tag: "list" });
      const { ecr: { front: { host } }, endpoints } = box;
      const { Image = hosting.image } = container;
      const PrimaryContainer = { ...container, Image: Image.replace("HOST", host) };
      const input = hosting.model({ PrimaryContainer, ExecutionRoleArn });
      await assertRefused(hosting, "CreateModel", input, words);
      assertEquals(endpoints.models.size, 0);
    });
  }

  const { ServerlessConfig } = SERVERLESS;
  const variants: readonly (readonly [what: string, variant: Fields, words: RegExp])[] = [
    [
      "instance types that no endpoint has",
      { InstanceType: "ml.t3.medium" },
      /'ml\.t3\.medium' at 'productionVariants\.1\.member\.instanceType' failed .* enum value set/,
    ],
    ["counts of none", { InitialInstanceCount: 0 }, /greater than or equal to 1/],
    [
      "a type without a count",
      { InitialInstanceCount: undefined },
      /InstanceType and InitialInstanceCount are required/,
    ],
    [
      "serverless variants with a type",
      { ServerlessConfig },
      /InstanceType is not supported with ServerlessConfig/,
    ],
    [
      "memory that does not exist",
      { ...SERVERLESS, ServerlessConfig: { MemorySizeInMB: 2_000, MaxConcurrency: 5 } },
      /MemorySizeInMB must be one of/,
    ],
    [
      "time limits that are too short",
      { ContainerStartupHealthCheckTimeoutInSeconds: 59 },
      /greater than or equal to 60/,
    ],
  ];
  for (const [what, variant, words] of variants) {
    it(`of ${what}`, async () => {
      await using hosting = await Hosting.open("c");
      const input = configuration("new", variant);
      await assertRefused(hosting, "CreateEndpointConfig", input, words);
    });
  }

  it("of variants of one name", async () => {
    await using hosting = await Hosting.open("c");
    const [variant] = configuration("new").ProductionVariants;
    const input = { ...configuration("new"), ProductionVariants: [variant, variant] };
    await assertRefused(hosting, "CreateEndpointConfig", input, /Duplicate variant names/);
  });

  const inputs: readonly (readonly [what: string, operation: string, Fields, words: RegExp])[] = [
    ["names that are too long", "DeleteEndpoint", { EndpointName: "x".repeat(64) }, /endpointName/],
    ["names of odd letters", "CreateEndpoint", { ...CREATE, EndpointName: "a_b" }, /a_b/],
    [
      "missing members",
      "CreateEndpoint",
      { EndpointName: "shop" },
      /endpointConfigName.*not be null/,
    ],
    ["pages that are too long", "ListEndpoints", { MaxResults: 101 }, /less than or equal to 100/],
    ["tags by the dozens", "AddTags", {
      ResourceArn: `${ARN}:model/m`,
      Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `${index}`, Value: "" })),
    }, /length less than or equal to 50/],
  ];
  for (const [what, operation, input, words] of inputs) {
    it(`of ${what}`, async () => {
      await using hosting = await Hosting.open("c");
      await assertRefused(hosting, operation, input, words);
    });
  }

  it("of members that SageMaker does not know fail the test", async () => {
    const box = await Box.open();
    const { status } = await ask(box, "sagemaker", "DeleteEndpoint", { EndpointName: "a", Foo: 1 });
    assertEquals(status, 501);
    await assertRejects(() => box[Symbol.asyncDispose](), Error, "Not expected in the input: foo");
  });

  it("of a model in a network without instances", async () => {
    await using hosting = await Hosting.open();
    const VpcConfig = { SecurityGroupIds: ["sg-1"], Subnets: ["subnet-1"] };
    for (const [index, more] of [{ VpcConfig }, { EnableNetworkIsolation: true }].entries()) {
      const ModelName = `m-${index}`;
      await hosting.done("CreateModel", hosting.model({ ModelName, ...more }));
      const input = configuration(`c-${index}`, { ModelName });
      await hosting.done("CreateEndpointConfig", input);
      assertMatch(
        await hosting.refused(
          "CreateEndpointConfig",
          configuration("s", { ...SERVERLESS, ModelName }),
        ),
        /^ValidationException: .* not supported for serverless/,
      );
    }
  });

  it("to update or delete what is on its way, in use, failed, or of another kind", async () => {
    await using hosting = await Hosting.open("c", "d");
    const { endpoints } = hosting.box;
    const update = { EndpointName: "shop", EndpointConfigName: "d" };
    const busy = `ValidationException: Cannot update in-progress endpoint "${ARN}:endpoint/shop".`;
    await hosting.serving("shop", "c");
    assertEquals(
      await hosting.refused("UpdateEndpoint", CREATE),
      "ValidationException: Cannot update endpoint with the currently in use endpoint " +
        'configuration "c".',
    );
    for (
      const status of ["Creating", "Updating", "SystemUpdating", "RollingBack", "Deleting"] as const
    ) {
      endpoints.endpoint("shop").enter(status);
      assertEquals(await hosting.refused("UpdateEndpoint", update), busy, status);
      assertEquals(await hosting.refused("DeleteEndpoint", { EndpointName: "shop" }), busy);
    }
    endpoints.endpoint("shop").fail("no");
    assertMatch(await hosting.refused("UpdateEndpoint", update), /^ValidationException: .*Failed/);
    endpoints.endpoint("shop").failRollback("no");
    await hosting.done("CreateEndpointConfig", configuration("serverless", SERVERLESS));
    await hosting.done("CreateEndpointConfig", configuration("named", { VariantName: "Other" }));
    const canary = (Value: number) => ({
      BlueGreenUpdatePolicy: {
        TrafficRoutingConfiguration: {
          Type: "CANARY",
          WaitIntervalInSeconds: 60,
          CanarySize: { Type: "CAPACITY_PERCENT", Value },
        },
      },
    });
    for (
      const [more, words] of [
        [{ EndpointConfigName: "serverless" }, /serverless/],
        [{ DeploymentConfig: canary(51) }, /CanarySize/],
        [{ EndpointConfigName: "named", DeploymentConfig: canary(50) }, /variant names/],
        [
          { ExcludeRetainedVariantProperties: [{ VariantPropertyType: "DesiredWeight" }] },
          /RetainAllVariantProperties/,
        ],
      ] as const
    ) {
      const refusal = await hosting.refused("UpdateEndpoint", { ...update, ...more });
      assertMatch(refusal, /^ValidationException: /);
      assertMatch(refusal, words);
    }
    await hosting.done("UpdateEndpoint", update);
  });
});

async function assertRefused(
  { box }: Hosting,
  operation: string,
  input: Fields,
  words: RegExp,
): Promise<void> {
  const { error, body } = await ask(box, "sagemaker", operation, input);
  assertEquals(error, "ValidationException");
  assertMatch(body.message, words);
}
