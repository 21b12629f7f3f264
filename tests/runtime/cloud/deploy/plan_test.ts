import { assertEquals } from "@std/assert";
import { deploymentOf, roleOf } from "../../../../runtime/cloud/deploy/plan.ts";
import type { DeployRequest } from "../../../../runtime/cloud/deploy/request.ts";
import type { State } from "../../../../runtime/cloud/deploy/state.ts";
import { VERSION } from "../../../../runtime/version.ts";
import {
  ADDRESS,
  deployRequest,
  IMAGE,
  NOTHING,
  ROLE,
  type Served,
  served,
} from "../../../helpers/deploy_state.ts";
import { inFile, typed } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

const SLOT = { configuration: "shop-config-2", model: "shop-mlcli-2" };
const TAGS = [
  { Key: "mlcli.app", Value: "churn" },
  { Key: "mlcli.version", Value: VERSION },
  { Key: "mlcli.endpoint", Value: "shop" },
];
const IMAGE_TAG = { Key: "mlcli.image", Value: IMAGE.split("@")[1]! };

function planned(values: Partial<DeployRequest>, state: State) {
  const request = deployRequest(values);
  return deploymentOf({ request, state, slot: SLOT, image: IMAGE, model: ADDRESS });
}

/** The variant, but for its names and weight. */
function variantOf(values: Partial<DeployRequest>, state: State) {
  const [variant] = planned(values, state).configuration.ProductionVariants!;
  const { VariantName: _name, ModelName: _model, InitialVariantWeight: _weight, ...rest } =
    variant!;
  return rest;
}

suite("deploy: the plan", () => {
  it("makes of the least a new endpoint", () => {
    assertEquals(planned({ ec2Type: "ml.m5.large" }, NOTHING), {
      model: {
        ModelName: "shop-mlcli-2",
        PrimaryContainer: { Image: IMAGE, ModelDataUrl: "s3://b/m/model.tar.gz" },
        ExecutionRoleArn: ROLE,
        Tags: [...TAGS, IMAGE_TAG],
      },
      configuration: {
        EndpointConfigName: "shop-config-2",
        ProductionVariants: [{
          VariantName: "AllTraffic",
          ModelName: "shop-mlcli-2",
          InitialVariantWeight: 1,
          InstanceType: "ml.m5.large",
          InitialInstanceCount: 1,
        }],
        Tags: [...TAGS, IMAGE_TAG],
      },
      endpoint: {
        creation: { EndpointName: "shop", EndpointConfigName: "shop-config-2", Tags: TAGS },
      },
    });
  });

  const M5 = { InstanceType: "ml.m5.large" } as const;
  const SERVERLESS: Served = {
    variant: {
      InstanceType: undefined,
      InitialInstanceCount: undefined,
      ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 7, ProvisionedConcurrency: 2 },
    },
  };
  const variants: readonly (readonly [string, Partial<DeployRequest>, State, unknown])[] = [
    [
      "a new one with all",
      { ec2Type: "ml.c5.large", instanceCount: inFile(3), healthCheckTimeout: inFile(600) },
      NOTHING,
      {
        InstanceType: "ml.c5.large",
        InitialInstanceCount: 3,
        ContainerStartupHealthCheckTimeoutInSeconds: 600,
      },
    ],
    [
      "a new serverless one",
      { memorySizeInMb: inFile(1024) },
      NOTHING,
      { ServerlessConfig: { MemorySizeInMB: 1024, MaxConcurrency: 5 } },
    ],
    ["as it was", {}, served(), { ...M5, InitialInstanceCount: 1 }],
    [
      "as it was, with what mlcli has no option for",
      {},
      served({
        variant: {
          InitialInstanceCount: 4,
          VolumeSizeInGB: 50,
          ModelDataDownloadTimeoutInSeconds: 900,
          RoutingConfig: { RoutingStrategy: "LEAST_OUTSTANDING_REQUESTS" },
          EnableSSMAccess: false,
        },
      }),
      {
        ...M5,
        InitialInstanceCount: 4,
        VolumeSizeInGB: 50,
        ModelDataDownloadTimeoutInSeconds: 900,
        RoutingConfig: { RoutingStrategy: "LEAST_OUTSTANDING_REQUESTS" },
      },
    ],
    [
      "another type: its count and volume stay, the machine image of the other goes",
      { ec2Type: "ml.c5.large" },
      served({
        variant: {
          InitialInstanceCount: 4,
          VolumeSizeInGB: 50,
          InferenceAmiVersion: "al2-ami-sagemaker-inference-gpu-2",
        },
      }),
      { InstanceType: "ml.c5.large", InitialInstanceCount: 4, VolumeSizeInGB: 50 },
    ],
    [
      "a type with a disk of its own has no volume",
      { ec2Type: "ml.g5.xlarge" },
      served({ variant: { VolumeSizeInGB: 50 } }),
      { InstanceType: "ml.g5.xlarge", InitialInstanceCount: 1 },
    ],
    [
      "as many as autoscaling has made, where they are not retained",
      { dataCapture: inFile(ADDRESS) },
      served({
        description: { variants: [{ name: "AllTraffic", currentCount: 4, desiredCount: 5 }] },
      }),
      { ...M5, InitialInstanceCount: 5 },
    ],
    ["another count", { instanceCount: inFile(3) }, served(), { ...M5, InitialInstanceCount: 3 }],
    ["serverless, as it was", {}, served(SERVERLESS), {
      ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 7, ProvisionedConcurrency: 2 },
    }],
    [
      "serverless, with more",
      { memorySizeInMb: inFile(4096), maxConcurrency: 9 },
      served(SERVERLESS),
      {
        ServerlessConfig: { MemorySizeInMB: 4096, MaxConcurrency: 9, ProvisionedConcurrency: 2 },
      },
    ],
    ["serverless to instances", { ec2Type: "ml.m5.large" }, served(SERVERLESS), {
      ...M5,
      InitialInstanceCount: 1,
    }],
  ];
  for (const [what, request, state, expected] of variants) {
    it(`says what it runs on: ${what}`, () => {
      assertEquals<unknown>(
        JSON.parse(JSON.stringify(variantOf(request, state))),
        expected,
      );
    });
  }

  const RETAINED = { RetainAllVariantProperties: true };
  const COUNT = {
    ...RETAINED,
    ExcludeRetainedVariantProperties: [{ VariantPropertyType: "DesiredInstanceCount" }],
  };
  const CAPTURING: Served = {
    configuration: {
      DataCaptureConfig: {
        InitialSamplingPercentage: 20,
        DestinationS3Uri: "s3://b/m/model.tar.gz",
        CaptureOptions: [],
      },
    },
  };
  const updates: readonly (readonly [string, Partial<DeployRequest>, State, unknown])[] = [
    ["what autoscaling made stays", {}, served(), RETAINED],
    ["a count that is typed", { instanceCount: typed(1, "--instance-count") }, served(), COUNT],
    ["a file's count that is another", { instanceCount: inFile(2) }, served(), COUNT],
    ["a file's count that is the same", { instanceCount: inFile(1) }, served(), RETAINED],
    ["serverless to instances", { ec2Type: "ml.m5.large" }, served(SERVERLESS), {}],
    ["data capture, which would be retained", { dataCapture: inFile(ADDRESS) }, served(), {}],
    ["data capture that is there", { dataCapture: inFile(ADDRESS) }, served(CAPTURING), RETAINED],
    [
      "a canary",
      { canary: inFile(10), alarm: [inFile("errors")] },
      served(),
      {
        ...RETAINED,
        DeploymentConfig: {
          BlueGreenUpdatePolicy: {
            TrafficRoutingConfiguration: {
              Type: "CANARY",
              CanarySize: { Type: "CAPACITY_PERCENT", Value: 10 },
              WaitIntervalInSeconds: 600,
            },
          },
          AutoRollbackConfiguration: { Alarms: [{ AlarmName: "errors" }] },
        },
      },
    ],
  ];
  for (const [what, request, state, expected] of updates) {
    it(`updates: ${what}`, () => {
      const { endpoint } = planned(request, state);
      const names = { EndpointName: "shop", EndpointConfigName: "shop-config-2" };
      assertEquals<unknown>(endpoint, { update: { ...names, ...expected as object } });
    });
  }

  it("keeps the model's network, isolation, role and variables; given ones win", () => {
    const VpcConfig = { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] };
    const state = served({
      container: { Environment: { A: "old", B: "old" } },
      model: { VpcConfig, EnableNetworkIsolation: true, ExecutionRoleArn: `${ROLE}-old` },
    });
    const { model } = planned({ variables: { B: "new", C: "new" } }, state);
    assertEquals(model.PrimaryContainer!.Environment, { A: "old", B: "new", C: "new" });
    assertEquals(
      [model.VpcConfig, model.EnableNetworkIsolation, model.ExecutionRoleArn],
      [VpcConfig, true, `${ROLE}-old`],
    );
    const other = planned({ subnet: [inFile("subnet-2")], securityGroup: ["sg-2"] }, state).model;
    assertEquals(other.VpcConfig, { Subnets: ["subnet-2"], SecurityGroupIds: ["sg-2"] });
  });

  it("takes another image and archive without what the old ones were read by", () => {
    const state = served({
      container: {
        ImageConfig: { RepositoryAccessMode: "Vpc" },
        ModelPackageName: "arn:package",
        AdditionalModelDataSources: [{ ChannelName: "more", S3DataSource: undefined }],
      },
    });
    assertEquals(planned({}, state).model.PrimaryContainer, {
      Image: IMAGE,
      ModelDataUrl: "s3://b/m/model.tar.gz",
      AdditionalModelDataSources: [{ ChannelName: "more", S3DataSource: undefined }],
    });
  });

  const roles: readonly (readonly [string | undefined, State, string | undefined])[] = [
    [`${ROLE}-given`, served(), `${ROLE}-given`],
    [undefined, served({ model: { ExecutionRoleArn: `${ROLE}-its` } }), `${ROLE}-its`],
    [undefined, NOTHING, ROLE],
  ];
  for (const [executionRole, state, role] of roles) {
    it(`has SageMaker assume ${role}`, () => {
      assertEquals(roleOf(deployRequest({ executionRole }), state), role);
    });
  }

  it("keeps capture and key; another place keeps how it is captured", () => {
    const DataCaptureConfig = {
      EnableCapture: false,
      InitialSamplingPercentage: 20,
      DestinationS3Uri: "s3://b/old",
      CaptureOptions: [{ CaptureMode: "Input" as const }],
    };
    const state = served({ configuration: { DataCaptureConfig, KmsKeyId: "alias/old" } });
    const kept = planned({}, state).configuration;
    assertEquals([kept.DataCaptureConfig, kept.KmsKeyId], [DataCaptureConfig, "alias/old"]);
    const given = planned(
      { dataCapture: inFile({ bucket: "b", key: "new" }), kmsKey: inFile("alias/new") },
      state,
    ).configuration;
    assertEquals([given.DataCaptureConfig, given.KmsKeyId], [{
      ...DataCaptureConfig,
      EnableCapture: true,
      DestinationS3Uri: "s3://b/new",
      KmsKeyId: "alias/new",
      CaptureContentTypeHeader: {
        CsvContentTypes: ["text/csv"],
        JsonContentTypes: ["application/json"],
      },
    }, "alias/new"]);
  });

  for (const values of [{ ec2Type: "ml.g5.xlarge" }, { memorySizeInMb: inFile(1024) }]) {
    it(`encrypts no volume where there is none: ${Object.keys(values)}`, () => {
      const { configuration } = planned({ ...values, kmsKey: inFile("alias/k") }, NOTHING);
      assertEquals(configuration.KmsKeyId, undefined);
    });
  }

  it("keeps the user's tags, and neither AWS's nor mlcli's old ones", () => {
    const tags = { team: "a", cost: "b", "aws:cloudformation:stack-id": "x", "mlcli.version": "0" };
    const { configuration, model } = planned({ tags: { team: "c" } }, served({ base: { tags } }));
    const expected = [{ Key: "team", Value: "c" }, { Key: "cost", Value: "b" }];
    assertEquals(configuration.Tags, [...expected, ...TAGS, IMAGE_TAG]);
    assertEquals(model.Tags, configuration.Tags);
  });
});
