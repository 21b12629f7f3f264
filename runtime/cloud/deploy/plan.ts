/**
 * What to make for an endpoint, as pure data: the bodies of CreateModel, CreateEndpointConfig, and
 * CreateEndpoint or UpdateEndpoint.
 *
 * @module
 */

import type {
  EndpointConfigurationInput,
  EndpointInput,
  EndpointUpdate,
  ModelInput,
} from "../../aws/sagemaker_deployments.ts";
import type { Slot } from "../../contract/endpoint_slots.ts";
import { hasOwnDisk } from "../../contract/instance_disks.ts";
import { type S3Address, s3Uri } from "../../contract/s3_uri.ts";
import { tagsOf, usersTags } from "../tags.ts";
import {
  carriedConfiguration,
  carriedContainer,
  carriedVariant,
  containerOf,
  VARIANT,
  type Variant,
} from "./carried.ts";
import type { DeployRequest } from "./request.ts";
import type { State } from "./state.ts";

/** What is known once everything is checked. */
export interface Planned {
  readonly request: DeployRequest;
  readonly state: State;
  /** Names of what is made. */
  readonly slot: Slot;
  /** `REPOSITORY@sha256:...` */
  readonly image: string;
  readonly model: S3Address;
}

/** What is made, and then asked for. */
export interface Deployment {
  readonly model: ModelInput;
  readonly configuration: EndpointConfigurationInput;
  readonly endpoint:
    | { readonly creation: EndpointInput }
    | { readonly update: EndpointUpdate };
}

/** How many requests at once a serverless endpoint answers where nobody says: the SDK's number. */
const MAX_CONCURRENCY = 5;

/**
 * How long the first instances of a canary are watched before the others follow, in seconds: as in the
 * developer guide's example ("Canary Traffic Shifting").
 */
const BAKING_SECONDS = 600;

/** What is made. An optional part that nobody names is left out. */
export function deploymentOf(planned: Planned): Deployment {
  const { request, state } = planned;
  return {
    model: modelOf(planned),
    configuration: configurationOf(planned),
    endpoint: state.description === undefined
      ? { creation: creationOf(planned) }
      : { update: updateOf(request, state, planned.slot) },
  };
}

/** What the endpoint will run on: the variant but for its model. */
export function variantOf(request: DeployRequest, state: State): Omit<Variant, "ModelName"> {
  const { ModelName: _, ...before } = state.base
    ? carriedVariant(state.base, state.description?.variants[0]?.name)
    : { VariantName: VARIANT, InitialVariantWeight: 1 };
  const { instanceType, memorySize, maxConcurrency, instanceCount, healthCheckTimeout } = request;
  const health = healthCheckTimeout === undefined
    ? {}
    : { ContainerStartupHealthCheckTimeoutInSeconds: healthCheckTimeout };
  if (memorySize !== undefined || (before.ServerlessConfig && instanceType === undefined)) {
    return {
      ...before,
      ServerlessConfig: {
        ...before.ServerlessConfig,
        MemorySizeInMB: memorySize ?? before.ServerlessConfig?.MemorySizeInMB,
        MaxConcurrency: maxConcurrency ?? before.ServerlessConfig?.MaxConcurrency ??
          MAX_CONCURRENCY,
      },
      ...health,
    };
  }
  // Serverless before: of that nothing goes on but the name.
  const { VariantName, InitialVariantWeight } = before;
  const machines = before.ServerlessConfig ? { VariantName, InitialVariantWeight } : before;
  return {
    ...typed(machines, instanceType),
    ...machines.InstancePools && instanceType === undefined && instanceCount === undefined
      ? {}
      : { InitialInstanceCount: instanceCount ?? machines.InitialInstanceCount ?? 1 },
    ...health,
  };
}

/** On another type: without what is said of the type before. */
function typed(
  machines: Omit<Variant, "ModelName">,
  instanceType: string | undefined,
): Omit<Variant, "ModelName"> {
  if (instanceType === undefined || instanceType === machines.InstanceType) return machines;
  const {
    InstancePools: _pools,
    AcceleratorType: _accelerator,
    InferenceAmiVersion: _machineImage,
    CapacityReservationConfig: _reservation,
    VolumeSizeInGB,
    ...rest
  } = machines;
  return {
    ...rest,
    // Their names are an enumeration in the SDK, older than the newest of them.
    InstanceType: instanceType as Variant["InstanceType"],
    ...VolumeSizeInGB === undefined || hasOwnDisk(instanceType) ? {} : { VolumeSizeInGB },
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
  { executionRole, actingRole }: DeployRequest,
  { base }: State,
): string | undefined {
  return executionRole ?? base?.model?.ExecutionRoleArn ?? actingRole;
}

function modelOf({ request, state, slot, image, model }: Planned): ModelInput {
  const { base } = state;
  const { subnets, securityGroups } = request;
  const network = subnets.length > 0
    ? { Subnets: [...subnets], SecurityGroupIds: [...securityGroups] }
    : base?.model?.VpcConfig;
  const variables = variablesOf(request, state);
  return {
    ModelName: slot.model,
    PrimaryContainer: {
      ...carriedContainer(containerOf(base?.model)),
      Image: image,
      ModelDataUrl: s3Uri(model),
      ...Object.keys(variables).length === 0 ? {} : { Environment: { ...variables } },
    },
    ExecutionRoleArn: roleOf(request, state),
    ...network === undefined ? {} : { VpcConfig: network },
    ...base?.model?.EnableNetworkIsolation ? { EnableNetworkIsolation: true } : {},
    Tags: tagsFor(request, state, image),
  };
}

function configurationOf(
  { request, state, slot, image }: Planned,
): EndpointConfigurationInput {
  const { KmsKeyId, DataCaptureConfig, ...carried } = carriedConfiguration(
    state.base?.configuration,
  );
  const variant = variantOf(request, state);
  const key = request.kmsKey ?? KmsKeyId;
  const capture = request.dataCapture === undefined
    ? DataCaptureConfig
    : captureTo(request.dataCapture, request.kmsKey, DataCaptureConfig);
  return {
    ...carried,
    EndpointConfigName: slot.configuration,
    ProductionVariants: [{ ...variant, ModelName: slot.model }],
    // "If you specify a value for KmsKeyId when using any nitro-based instances with local storage,
    // the call to CreateEndpointConfig fails." (API reference); serverless ones have no volume.
    ...key === undefined || !hasVolume(variant) ? {} : { KmsKeyId: key },
    ...capture === undefined ? {} : { DataCaptureConfig: capture },
    Tags: tagsFor(request, state, image),
  };
}

/** Whether a key can encrypt the volume of what it runs on. */
export function hasVolume({ InstanceType, ServerlessConfig }: Omit<Variant, "ModelName">): boolean {
  return ServerlessConfig === undefined && !(InstanceType && hasOwnDisk(InstanceType));
}

type Capture = NonNullable<EndpointConfigurationInput["DataCaptureConfig"]>;

/** All requests and answers; of data that is captured already another place alone. */
function captureTo(
  address: S3Address,
  key: string | undefined,
  before: Capture | undefined,
): Capture {
  return {
    InitialSamplingPercentage: 100,
    CaptureOptions: [{ CaptureMode: "Input" }, { CaptureMode: "Output" }],
    // Without them, the platform keeps these in base64, too.
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

/** Of a model and a configuration: an update keeps those that the configuration had. */
function tagsFor(request: DeployRequest, { endpoint, base }: State, image: string) {
  const tags = { ...usersTags(base?.tags ?? {}), ...request.tags };
  return tagsOf({ tags, appName: request.app.name, endpoint, image });
}

/** Those of the endpoint itself. */
export function endpointTags({ app, tags }: DeployRequest, { endpoint }: State) {
  return tagsOf({ tags, appName: app.name, endpoint });
}

function creationOf({ request, state, slot }: Planned): EndpointInput {
  return {
    EndpointName: state.endpoint,
    EndpointConfigName: slot.configuration,
    Tags: endpointTags(request, state),
  };
}

function updateOf(request: DeployRequest, state: State, slot: Slot): EndpointUpdate {
  const { canary } = request;
  const names = { EndpointName: state.endpoint, EndpointConfigName: slot.configuration };
  return {
    ...names,
    ...retained(request, state),
    ...canary === undefined ? {} : {
      DeploymentConfig: {
        BlueGreenUpdatePolicy: {
          TrafficRoutingConfiguration: {
            Type: "CANARY",
            CanarySize: { Type: "CAPACITY_PERCENT", Value: canary.percent },
            WaitIntervalInSeconds: BAKING_SECONDS,
          },
        },
        ...canary.alarms.length === 0 ? {} : {
          AutoRollbackConfiguration: {
            Alarms: canary.alarms.map((AlarmName) => ({ AlarmName })),
          },
        },
      },
    },
  };
}

/** What autoscaling and others have set of the endpoint itself stays, but for what is asked for. */
function retained(
  request: DeployRequest,
  state: State,
): Pick<EndpointUpdate, "RetainAllVariantProperties" | "ExcludeRetainedVariantProperties"> {
  // Serverless variants have no count that machines could go on with.
  if (isServerless(state) && request.instanceType !== undefined) return {};
  return {
    RetainAllVariantProperties: true,
    ...setsCount(request, state)
      ? {
        ExcludeRetainedVariantProperties: [{ VariantPropertyType: "DesiredInstanceCount" }],
      }
      : {},
  };
}

/** Whether the endpoint is serverless now. */
export function isServerless({ base }: Pick<State, "base">): boolean {
  return base?.configuration?.ProductionVariants?.[0]?.ServerlessConfig !== undefined;
}

/**
 * Whether the count of instances is to be set: where an option names it, or the configuration file
 * says another than when the configuration in use was made. What autoscaling has made of it stays
 * otherwise.
 */
export function setsCount({ instanceCount, typed }: DeployRequest, { base }: State): boolean {
  if (instanceCount === undefined) return false;
  if (typed.has("--instance-count")) return true;
  return base?.configuration?.ProductionVariants?.[0]?.InitialInstanceCount !== instanceCount;
}
