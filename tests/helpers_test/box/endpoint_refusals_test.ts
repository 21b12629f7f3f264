import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, configuration, type Fields, Hosting, SERVERLESS } from "./hosting.ts";

const CREATE = { EndpointName: "shop", EndpointConfigName: "c" };
const ROLE = "arn:aws:iam::123456789012:role/service-role/jobs";
const LONG = "x".repeat(64);
const UNREADABLE = "^Could not access model data at URL\\. Please ensure that the role .*" +
  '"s3:GetObject" permissions and that the object is located in eu-west-1\\.';
const NO_SUCH_TYPE =
  /'ml\.t3\.medium' at 'productionVariants\.1\.member\.instanceType' failed .* enum value set/;
const NO_COUNT = /InstanceType and InitialInstanceCount are required/;

suite("the box's endpoints: refusals", () => {
  const OCI = "application/vnd.oci.image";
  const rows:
    readonly (readonly [what: string, container: Fields, words: string, role?: string])[] = [
      ["an artifact that is not there", { ModelDataUrl: "s3://data/none.tar.gz" }, UNREADABLE],
      ["a directory as an artifact", { ModelDataUrl: "s3://data/model" }, UNREADABLE],
      ["an artifact in another region", { ModelDataUrl: "s3://far/model.tar.gz" }, UNREADABLE],
      ["two artifacts", {
        ModelDataUrl: "s3://data/model.tar.gz",
        ModelDataSource: {
          S3DataSource: { S3Uri: "s3://data/", S3DataType: "S3Prefix", CompressionType: "None" },
        },
      }, "not both be specified"],
      [
        "a role that does not trust SageMaker",
        {},
        "^Could not assume role .*other\\. Please ensure that the role exists and allows principal",
        "arn:aws:iam::123456789012:role/other",
      ],
      [
        "an image that is not there",
        { Image: "HOST/app:none" },
        "^Requested image .* not found\\.$",
      ],
      [
        "a repository that is not there",
        { Image: "HOST/none:latest" },
        "^Cannot find repository: none in registry ID: 123456789012 ",
      ],
      [
        "an image in OCI's format",
        { Image: "HOST/app:oci" },
        `media type ${OCI}.manifest.v1\\+json$`,
      ],
      ["a list of images", { Image: "HOST/app:list" }, `media type ${OCI}.index.v1\\+json$`],
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
      const { error, body } = await ask(box, "sagemaker", "CreateModel", input);
      assertEquals(error, "ValidationException");
      assertMatch(body.message, new RegExp(words.replace("URL", container.ModelDataUrl)));
      assertEquals(endpoints.models.size, 0);
    });
  }

  const refusals: readonly (readonly [what: string, words: RegExp, operation: string, Fields])[] = [
    ["names that are too long", /endpointName/, "DeleteEndpoint", { EndpointName: LONG }],
    ["names of odd letters", /a_b/, "CreateEndpoint", { ...CREATE, EndpointName: "a_b" }],
    [
      "missing members",
      /endpointConfigName.*not be null/,
      ...["CreateEndpoint", { EndpointName: "shop" }] as const,
    ],
    ["pages that are too long", /less than or equal to 100/, "ListEndpoints", { MaxResults: 101 }],
    ["tags by the dozens", /length less than or equal to 50/, "AddTags", {
      ResourceArn: `${ARN}:model/m`,
      Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `${index}`, Value: "" })),
    }],
    ["variants of one name", /Duplicate variant names/, "CreateEndpointConfig", {
      ...configuration("new"),
      ProductionVariants: [0, 1].flatMap(() => configuration("new").ProductionVariants),
    }],
    ...([
      ["instance types that no endpoint has", NO_SUCH_TYPE, { InstanceType: "ml.t3.medium" }],
      ["counts of none", /greater than or equal to 1/, { InitialInstanceCount: 0 }],
      ["a type without a count", NO_COUNT, { InitialInstanceCount: undefined }],
      [
        "serverless variants with a type",
        /InstanceType is not supported with ServerlessConfig/,
        { ServerlessConfig: SERVERLESS.ServerlessConfig },
      ],
      ["memory that does not exist", /MemorySizeInMB must be one of/, {
        ...{ ...SERVERLESS, ServerlessConfig: { MemorySizeInMB: 2_000, MaxConcurrency: 5 } },
      }],
      [
        "time limits that are too short",
        /greater than or equal to 60/,
        { ContainerStartupHealthCheckTimeoutInSeconds: 59 },
      ],
    ] as const).map(([what, words, variant]) =>
      [what, words, "CreateEndpointConfig", configuration("new", variant)] as const
    ),
  ];
  for (const [what, words, operation, input] of refusals) {
    it(`of ${what}`, async () => {
      await using hosting = await Hosting.open("c");
      const { error, body } = await ask(hosting.box, "sagemaker", operation, input);
      assertEquals(error, "ValidationException");
      assertMatch(body.message, words);
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
