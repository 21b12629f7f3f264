import type {
  EndpointConfigurationInput,
  EndpointInput,
  EndpointUpdate,
  ModelInput,
} from "../../aws/sagemaker.ts";
import type { Slot } from "../../contract/names.ts";
import { type S3Address, s3Uri } from "../../contract/addresses.ts";
import { type Tag, tagsOf, usersTags } from "../tags.ts";
import {
  changesCapture,
  type Container,
  containerOf,
  hasVolume,
  isServerless,
  keptConfiguration,
  keptContainer,
  setsCount,
  variantOf,
} from "./kept.ts";
import type { DeployRequest } from "./request.ts";
import { network } from "../start/plan.ts";
import type { State } from "./state.ts";

export interface Planned {
  readonly request: DeployRequest;
  readonly state: State;
  readonly slot: Slot;
  /** `REPOSITORY@sha256:...` */
  readonly image: string;
  /** An archive, or a prefix that ends with `/`; `undefined`: what the endpoint has, if it has one. */
  readonly model: S3Address | undefined;
}

export interface Deployment {
  readonly model: ModelInput;
  readonly configuration: EndpointConfigurationInput;
  readonly endpoint:
    | { readonly creation: EndpointInput }
    | { readonly update: EndpointUpdate };
}

/**
 * How long the first instances of a canary are watched before the others follow, in seconds: as in the
 * developer guide's example ("Canary Traffic Shifting").
 */
const BAKING_SECONDS = 600;

/** The inputs of the calls. Optional members that nobody names are left out. */
export function deploymentOf(planned: Planned): Deployment {
  const { request, state, slot } = planned;
  const names = { EndpointName: state.endpoint, EndpointConfigName: slot.configuration };
  return {
    model: modelOf(planned),
    configuration: configurationOf(planned),
    endpoint: state.description === undefined
      ? { creation: { ...names, Tags: endpointTags(request, state) } }
      : { update: { ...names, ...updateOf(request, state) } },
  };
}

/** The user's variables, over those of an endpoint that is there. */
export function variablesOf(
  request: DeployRequest,
  { base }: State,
): Readonly<Record<string, string>> {
  return { ...containerOf(base?.model)?.Environment, ...request.variables };
}

/** The role that SageMaker assumes; `undefined` where nobody names one. */
export function roleOf(
  { executionRole, iamRoleArn }: DeployRequest,
  { base }: State,
): string | undefined {
  return executionRole ?? base?.model?.ExecutionRoleArn ?? iamRoleArn?.value;
}

function modelOf({ request, state, slot, image, model }: Planned): ModelInput {
  const { base } = state;
  const vpc = request.subnet.length > 0 ? network(request) : base?.model?.VpcConfig;
  const variables = variablesOf(request, state);
  return {
    ModelName: slot.model,
    PrimaryContainer: {
      ...keptContainer(containerOf(base?.model)),
      Image: image,
      ...modelDataOf(model, containerOf(base?.model)),
      ...Object.keys(variables).length === 0 ? {} : { Environment: { ...variables } },
    },
    ExecutionRoleArn: roleOf(request, state),
    ...vpc === undefined ? {} : { VpcConfig: vpc },
    ...base?.model?.EnableNetworkIsolation ? { EnableNetworkIsolation: true } : {},
    Tags: tagsFor(request, state, image),
  };
}

/** The members of a container that say where its model lies. */
function modelDataOf(
  model: S3Address | undefined,
  before: Container | undefined,
): Pick<Container, "ModelDataUrl" | "ModelDataSource"> {
  if (model === undefined) {
    const { ModelDataUrl, ModelDataSource } = before ?? {};
    // For an archive, SageMaker fills both, and takes only one.
    if (ModelDataSource?.S3DataSource?.CompressionType === "None") return { ModelDataSource };
    return ModelDataUrl ? { ModelDataUrl } : {};
  }
  if (!model.key.endsWith("/")) return { ModelDataUrl: s3Uri(model) };
  return {
    ModelDataSource: {
      S3DataSource: { S3Uri: s3Uri(model), S3DataType: "S3Prefix", CompressionType: "None" },
    },
  };
}

function configurationOf(
  { request, state, slot, image }: Planned,
): EndpointConfigurationInput {
  const { KmsKeyId, DataCaptureConfig, ...kept } = keptConfiguration(
    state.base?.configuration,
  );
  const variant = variantOf(request, state);
  const key = request.kmsKey?.value ?? KmsKeyId;
  const capture = request.dataCapture === undefined
    ? DataCaptureConfig
    : captureTo(request.dataCapture.value, request.kmsKey?.value, DataCaptureConfig);
  return {
    ...kept,
    EndpointConfigName: slot.configuration,
    ProductionVariants: [{ ...variant, ModelName: slot.model }],
    // "If you specify a value for KmsKeyId when using any nitro-based instances with local storage,
    // the call to CreateEndpointConfig fails." (API reference); serverless ones have no volume.
    ...key === undefined || !hasVolume(variant) ? {} : { KmsKeyId: key },
    ...capture === undefined ? {} : { DataCaptureConfig: capture },
    Tags: tagsFor(request, state, image),
  };
}

type Capture = NonNullable<EndpointConfigurationInput["DataCaptureConfig"]>;

/** Captures all requests and answers; settings of a present capture stay, but for its place and key. */
function captureTo(
  address: S3Address,
  key: string | undefined,
  before: Capture | undefined,
): Capture {
  return {
    InitialSamplingPercentage: 100,
    CaptureOptions: [{ CaptureMode: "Input" }, { CaptureMode: "Output" }],
    // Without them, SageMaker keeps these in base64, too.
    CaptureContentTypeHeader: {
      CsvContentTypes: ["text/csv"],
      JsonContentTypes: ["application/json"],
    },
    ...before,
    EnableCapture: true,
    DestinationS3Uri: s3Uri(address),
    ...key === undefined ? {} : { KmsKeyId: key },
  };
}

/** Tags of a model and a configuration: an update keeps those that the configuration had. */
function tagsFor(request: DeployRequest, { endpoint, base }: State, image: string): Tag[] {
  const tags = { ...usersTags(base?.tags ?? {}), ...request.tags };
  return tagsOf({ tags, appName: request.app.name, endpoint, image });
}

export function endpointTags({ app, tags }: DeployRequest, { endpoint }: State): Tag[] {
  return tagsOf({ tags, appName: app.name, endpoint });
}

function updateOf(request: DeployRequest, state: State): Partial<EndpointUpdate> {
  const { canary, alarm } = request;
  return {
    ...retained(request, state),
    ...canary === undefined ? {} : {
      DeploymentConfig: {
        BlueGreenUpdatePolicy: {
          TrafficRoutingConfiguration: {
            Type: "CANARY",
            CanarySize: { Type: "CAPACITY_PERCENT", Value: canary.value },
            WaitIntervalInSeconds: BAKING_SECONDS,
          },
        },
        ...alarm.length === 0 ? {} : {
          AutoRollbackConfiguration: {
            Alarms: alarm.map(({ value }) => ({ AlarmName: value })),
          },
        },
      },
    },
  };
}

/** Keeps what autoscaling and others have set on the endpoint, apart from what is asked for. */
function retained(
  request: DeployRequest,
  state: State,
): Pick<EndpointUpdate, "RetainAllVariantProperties" | "ExcludeRetainedVariantProperties"> {
  // A serverless variant has no count of instances to keep.
  if (isServerless(state) && request.ec2Type !== undefined) return {};
  if (changesCapture(request, state)) return {};
  return {
    RetainAllVariantProperties: true,
    ...setsCount(request, state)
      ? {
        ExcludeRetainedVariantProperties: [{ VariantPropertyType: "DesiredInstanceCount" }],
      }
      : {},
  };
}
