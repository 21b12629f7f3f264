import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, configuration, type Fields, Hosting, SERVERLESS } from "./hosting.ts";

const CREATE = { EndpointName: "shop", EndpointConfigName: "c" };
const USER = "arn:aws:iam::123456789012:user/jo";
const ROLE = "arn:aws:iam::123456789012:role/service-role/jobs";
const NO_MACHINES =
  "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error. " +
  "Please retry using a different ML instance type or after some time.";

/** An operation on what is not there, or is there already; SageMaker's words. */
const NAMES: readonly (readonly [operation: string, input: Fields, message: string])[] = [
  ["DescribeEndpoint", { EndpointName: "None" }, `find endpoint "${ARN}:endpoint/none".`],
  ["DeleteEndpoint", { EndpointName: "none" }, `find endpoint "${ARN}:endpoint/none".`],
  [
    "UpdateEndpoint",
    { EndpointName: "none", EndpointConfigName: "c" },
    `find endpoint "${ARN}:endpoint/none".`,
  ],
  ["DescribeModel", { ModelName: "none" }, `find model "${ARN}:model/none".`],
  ["DeleteModel", { ModelName: "none" }, `find model "${ARN}:model/none".`],
  ...["DescribeEndpointConfig", "DeleteEndpointConfig"].map((operation) =>
    [
      operation,
      { EndpointConfigName: "none" },
      `find endpoint configuration "${ARN}:endpoint-config/none".`,
    ] as const
  ),
  [
    "CreateEndpoint",
    { EndpointName: "new", EndpointConfigName: "none" },
    `find endpoint configuration "${ARN}:endpoint-config/none".`,
  ],
  [
    "CreateEndpointConfig",
    configuration("new", { ModelName: "none" }),
    `find model "${ARN}:model/none".`,
  ],
];

suite("the box's endpoints: refusals", () => {
  for (const [operation, input, message] of NAMES) {
    it(`${operation} of what is not there`, async () => {
      await using hosting = await Hosting.open("c");
      assertEquals(
        await hosting.refused(operation, input),
        `ValidationException: Could not ${message}`,
      );
    });
  }

  it("of names that are taken", async () => {
    await using hosting = await Hosting.open("c");
    await hosting.serving("shop", "c");
    const rows = [
      ["CreateModel", hosting.model(), `model "${ARN}:model/m".`],
      [
        "CreateEndpointConfig",
        configuration("C"),
        `endpoint configuration "${ARN}:endpoint-config/c".`,
      ],
      ["CreateEndpoint", CREATE, `endpoint "${ARN}:endpoint/shop".`],
    ] as const;
    for (const [operation, input, words] of rows) {
      assertEquals(
        await hosting.refused(operation, input),
        `ValidationException: Cannot create already existing ${words}`,
      );
    }
  });

  it("of an endpoint whose model is gone", async () => {
    await using hosting = await Hosting.open("c");
    await hosting.done("DeleteModel", { ModelName: "m" });
    assertEquals(
      await hosting.refused("CreateEndpoint", CREATE),
      `ValidationException: Could not find model "${ARN}:model/m".`,
    );
  });

  for (
    const [what, container, role, words] of [
      [
        "an artifact that is not there",
        { ModelDataUrl: "s3://data/none.tar.gz" },
        ROLE,
        /^Could not access model data at s3:\/\/data\/none\.tar\.gz\. Please ensure that the role /,
      ],
      [
        "a directory as an artifact",
        { ModelDataUrl: "s3://data/model" },
        ROLE,
        /^Could not access model data at .*"s3:GetObject" permissions and that the object is located/,
      ],
      [
        "an artifact in another region",
        { ModelDataUrl: "s3://far/model.tar.gz" },
        ROLE,
        /^Could not access model data at .* located in eu-west-1\./,
      ],
      [
        "two artifacts",
        {
          ModelDataUrl: "s3://data/model.tar.gz",
          ModelDataSource: {
            S3DataSource: {
              ...{ S3Uri: "s3://data/", S3DataType: "S3Prefix", CompressionType: "None" },
            },
          },
        },
        ROLE,
        /not both be specified/,
      ],
      [
        "a role that does not trust SageMaker",
        {},
        "arn:aws:iam::123456789012:role/other",
        /^Could not assume role .*other\. Please ensure that the role exists and allows principal/,
      ],
      [
        "an image that is not there",
        { Image: "HOST/app:none" },
        ROLE,
        /^Requested image .* not found\.$/,
      ],
      [
        "a repository that is not there",
        { Image: "HOST/none:latest" },
        ROLE,
        /^Cannot find repository: none in registry ID: 123456789012 /,
      ],
      [
        "an image in OCI's format",
        { Image: "HOST/app:oci" },
        ROLE,
        /^Unsupported manifest media type application\/vnd\.oci\.image\.manifest\.v1\+json$/,
      ],
      [
        "a list of images",
        { Image: "HOST/app:list" },
        ROLE,
        /^Unsupported manifest media type application\/vnd\.oci\.image\.index\.v1\+json$/,
      ],
    ] as readonly (readonly [what: string, container: Fields, role: string, words: RegExp])[]
  ) {
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
      const input = hosting.model({ PrimaryContainer, ExecutionRoleArn: role });
      const { error, body } = await ask(box, "sagemaker", "CreateModel", input);
      assertEquals(error, "ValidationException");
      assertMatch(body.message, words);
      assertEquals(endpoints.models.size, 0);
    });
  }

  for (
    const [what, operation, input, words] of [
      [
        "names that are too long",
        "DeleteEndpoint",
        { EndpointName: "x".repeat(64) },
        /endpointName/,
      ],
      ["names of odd letters", "CreateEndpoint", { ...CREATE, EndpointName: "a_b" }, /a_b/],
      [
        "missing members",
        "CreateEndpoint",
        { EndpointName: "shop" },
        /endpointConfigName.*not be null/,
      ],
      [
        "instance types that no endpoint has",
        "CreateEndpointConfig",
        configuration("new", { InstanceType: "ml.t3.medium" }),
        /'ml\.t3\.medium' at 'productionVariants\.1\.member\.instanceType' failed .* enum value set/,
      ],
      [
        "counts of none",
        "CreateEndpointConfig",
        configuration("new", { InitialInstanceCount: 0 }),
        /greater than or equal to 1/,
      ],
      [
        "a type without a count",
        "CreateEndpointConfig",
        configuration("new", { InitialInstanceCount: undefined }),
        /InstanceType and InitialInstanceCount are required/,
      ],
      [
        "serverless variants with a type",
        "CreateEndpointConfig",
        configuration("new", { ServerlessConfig: SERVERLESS.ServerlessConfig }),
        /InstanceType is not supported with ServerlessConfig/,
      ],
      [
        "memory that does not exist",
        "CreateEndpointConfig",
        configuration("new", {
          ...SERVERLESS,
          ServerlessConfig: { MemorySizeInMB: 2_000, MaxConcurrency: 5 },
        }),
        /MemorySizeInMB must be one of/,
      ],
      [
        "variants of one name",
        "CreateEndpointConfig",
        {
          ...configuration("new"),
          ProductionVariants: [0, 1].flatMap(() => configuration("new").ProductionVariants),
        },
        /Duplicate variant names/,
      ],
      [
        "time limits that are too short",
        "CreateEndpointConfig",
        configuration("new", { ContainerStartupHealthCheckTimeoutInSeconds: 59 }),
        /greater than or equal to 60/,
      ],
      [
        "pages that are too long",
        "ListEndpoints",
        { MaxResults: 101 },
        /less than or equal to 100/,
      ],
      ["tags by the dozens", "AddTags", {
        ResourceArn: `${ARN}:model/m`,
        Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `${index}`, Value: "" })),
      }, /length less than or equal to 50/],
    ] as readonly (readonly [what: string, operation: string, input: Fields, words: RegExp])[]
  ) {
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

  it("where IAM says no: to the operation, the role, the tags, the configuration", async () => {
    await using hosting = await Hosting.open("c");
    const { faults } = hosting.box;
    const tags = { Tags: [{ Key: "a", Value: "b" }] };
    const rows: [action: string, resource: string, operation: string, input: Fields][] = [
      ["sagemaker:CreateModel", `${ARN}:model/new`, "CreateModel", { ModelName: "New" }],
      ["iam:PassRole", ROLE, "CreateModel", { ModelName: "new" }],
      ["sagemaker:AddTags", `${ARN}:model/new`, "CreateModel", { ModelName: "new", ...tags }],
      ["sagemaker:CreateEndpoint", `${ARN}:endpoint/shop`, "CreateEndpoint", CREATE],
      ["sagemaker:CreateEndpoint", `${ARN}:endpoint-config/c`, "CreateEndpoint", CREATE],
      ["sagemaker:AddTags", `${ARN}:endpoint/shop`, "CreateEndpoint", { ...CREATE, ...tags }],
      ["sagemaker:ListEndpoints", "*", "ListEndpoints", {}],
      ["sagemaker:DescribeModel", `${ARN}:model/m`, "DescribeModel", { ModelName: "m" }],
    ];
    for (const [action, resource, operation, input] of rows) {
      faults.deny(action, resource);
      const asked = operation === "CreateModel" ? hosting.model(input) : input;
      assertEquals(
        await hosting.refused(operation, asked),
        `AccessDeniedException: User: ${USER} is not authorized to perform: ${action} on ` +
          `resource: ${resource} because no identity-based policy allows the ${action} action`,
      );
      faults.allowAll();
    }
    faults.deny("sagemaker:AddTags");
    await hosting.done("CreateModel", hosting.model({ ModelName: "untagged" }));
    await hosting.done("CreateEndpoint", CREATE);
  });

  it("of more instances than the account may have, and of none that there are", async () => {
    await using hosting = await Hosting.open("c", "d");
    const { faults } = hosting.box;
    faults.quota("ml.m5.large");
    assertEquals(
      await hosting.refused("CreateEndpoint", CREATE),
      "ResourceLimitExceeded: The account-level service limit 'ml.m5.large for endpoint usage' is " +
        "0 Instances, with current utilization of 0 Instances and a request delta of 1 Instances. " +
        "Please use AWS Service Quotas to request an increase for this quota. If AWS Service " +
        "Quotas is not available, contact AWS support to request an increase for this quota.",
    );
    faults.quotas.clear();
    await hosting.serving("old", "c");
    faults.outOfCapacity();
    await hosting.done("CreateEndpoint", CREATE);
    assertEquals(await hosting.statuses("shop", 2), ["Creating c", "Failed c"]);
    await hosting.done("UpdateEndpoint", { EndpointName: "old", EndpointConfigName: "d" });
    assertEquals(await hosting.statuses("old", 2), ["Updating c", "InService c"]);
    for (const EndpointName of ["shop", "old"]) {
      const { FailureReason } = await hosting.done("DescribeEndpoint", { EndpointName });
      assertEquals(FailureReason, NO_MACHINES);
    }
    await hosting.done("CreateEndpointConfig", configuration("serverless", SERVERLESS));
    await hosting.serving("free", "serverless");
    assertEquals(await hosting.statuses("free", 1), ["InService serverless"]);
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

  it("of more memory than the account may have", async () => {
    await using hosting = await Hosting.open("c");
    hosting.box.faults.serverlessMemory = 3_072;
    for (const memory of [3_072, 4_096]) {
      const ServerlessConfig = { MemorySizeInMB: memory, MaxConcurrency: 5 };
      const input = configuration(`s-${memory}`, { ...SERVERLESS, ServerlessConfig });
      await hosting.done("CreateEndpointConfig", input);
    }
    await hosting.done("CreateEndpoint", { ...CREATE, EndpointConfigName: "s-3072" });
    assertMatch(
      await hosting.refused("CreateEndpoint", { EndpointName: "b", EndpointConfigName: "s-4096" }),
      /^ResourceLimitExceeded: .* limit 'Memory size in MB per serverless endpoint' is 3072 MBs, with /,
    );
  });

  it("of an image that went away since, when it is to run", async () => {
    await using hosting = await Hosting.open("c");
    hosting.box.ecr.store.repositories.delete("app");
    await hosting.done("CreateEndpoint", CREATE);
    await hosting.statuses("shop", 1);
    const { EndpointStatus, FailureReason } = await hosting.done("DescribeEndpoint", {
      EndpointName: "shop",
    });
    assertEquals(EndpointStatus, "Failed");
    assertMatch(FailureReason, /^Please make sure all images .* variant AllTraffic exist/);
  });
});
