import type { EndpointConfigurationInput, ModelInput } from "../../aws/sagemaker.ts";
import { s3Uri } from "../../contract/addresses.ts";
import { hasOwnDisk } from "../../contract/instances.ts";
import type { DeployRequest } from "./request.ts";
import type { Base, State } from "./state.ts";

// What an update keeps of what an endpoint has: whatever no option names.

/** A part of an endpoint, as CreateEndpointConfig takes it. */
export type Variant = NonNullable<EndpointConfigurationInput["ProductionVariants"]>[number];

/** A container of a model, as CreateModel takes it. */
export type Container = NonNullable<ModelInput["PrimaryContainer"]>;

/** The name of the one variant of a new endpoint: the SageMaker SDK's, which autoscaling knows. */
const VARIANT = "AllTraffic";

/** How many requests at once a serverless endpoint answers where nobody says: the SDK's number. */
const MAX_CONCURRENCY = 5;

export function containerOf(
  model: Pick<ModelInput, "PrimaryContainer" | "Containers"> | undefined,
): Container | undefined {
  return model?.PrimaryContainer ?? model?.Containers?.[0];
}

/**
 * What an update keeps of a container: not the image and the model, nor what only a container with
 * several models has.
 */
export function keptContainer(container: Container | undefined): Container {
  const {
    Image: _image,
    ImageConfig: _access,
    ModelDataUrl: _url,
    ModelDataSource: _source,
    ModelPackageName: _package,
    InferenceSpecificationName: _specification,
    Mode: _mode,
    MultiModelConfig: _models,
    ContainerHostname: _hostname,
    ...rest
  } = container ?? {};
  return filled(rest);
}

/** What an update keeps of a configuration: all but its names, times and variants. */
export function keptConfiguration(
  configuration: Base["configuration"],
): Omit<EndpointConfigurationInput, "EndpointConfigName" | "ProductionVariants"> {
  const {
    EndpointConfigName: _name,
    EndpointConfigArn: _arn,
    CreationTime: _time,
    ProductionVariants: _variants,
    ShadowProductionVariants: _shadows,
    ...rest
  } = configuration ?? {};
  return filled(rest);
}

/** What an endpoint runs on: the one variant of its configuration. */
export function keptVariant({ base, description }: State): Variant {
  if (base === undefined) return { VariantName: VARIANT, InitialVariantWeight: 1 };
  const [variant] = base.configuration?.ProductionVariants ?? [];
  // An update shifts traffic only between variants of one name (developer guide, "Exclusions").
  return filled(variant ?? { VariantName: description?.variants[0]?.name ?? VARIANT });
}

/** What the endpoint will run on: the variant but for its model. */
export function variantOf(request: DeployRequest, state: State): Omit<Variant, "ModelName"> {
  const { ModelName: _, ...before } = keptVariant(state);
  const {
    ec2Type: instanceType,
    memorySizeInMb,
    maxConcurrency,
    instanceCount,
    healthCheckTimeout,
    inferenceAmiVersion,
  } = request;
  const health = healthCheckTimeout === undefined
    ? {}
    : { ContainerStartupHealthCheckTimeoutInSeconds: healthCheckTimeout.value };
  if (memorySizeInMb !== undefined || (before.ServerlessConfig && instanceType === undefined)) {
    return {
      ...before,
      ServerlessConfig: {
        ...before.ServerlessConfig,
        MemorySizeInMB: memorySizeInMb?.value ?? before.ServerlessConfig?.MemorySizeInMB,
        MaxConcurrency: maxConcurrency ?? before.ServerlessConfig?.MaxConcurrency ??
          MAX_CONCURRENCY,
      },
      ...health,
    };
  }
  // A serverless variant that gets instances keeps only its name and weight.
  const { VariantName, InitialVariantWeight } = before;
  const machines = before.ServerlessConfig ? { VariantName, InitialVariantWeight } : before;
  return {
    ...withType(machines, instanceType),
    ...machines.InstancePools && instanceType === undefined && instanceCount === undefined
      ? {}
      : { InitialInstanceCount: countOf(request, state) ?? machines.InitialInstanceCount ?? 1 },
    ...inferenceAmiVersion === undefined
      ? {}
      // An enumeration in the SDK, older than the newest of them.
      : { InferenceAmiVersion: inferenceAmiVersion.value as Variant["InferenceAmiVersion"] },
    ...health,
  };
}

/** The count that is asked for; or autoscaling's, where SageMaker would not keep that. */
function countOf(request: DeployRequest, state: State): number | undefined {
  if (!changesCapture(request, state) || setsCount(request, state)) {
    return request.instanceCount?.value;
  }
  return state.description?.variants[0]?.desiredCount;
}

/** The same on another instance type, without settings that belong to the former type. */
function withType(
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

/** Whether a key can encrypt the volume of what it runs on. */
export function hasVolume({ InstanceType, ServerlessConfig }: Omit<Variant, "ModelName">): boolean {
  return ServerlessConfig === undefined && !(InstanceType && hasOwnDisk(InstanceType));
}

/**
 * Whether data capture begins, or goes to another place. RetainAllVariantProperties may keep the
 * present capture ("DataCaptureConfig: Not currently supported", API reference, VariantProperty):
 * then the count of instances is named instead.
 */
export function changesCapture(
  { dataCapture, kmsKey }: DeployRequest,
  { base }: Pick<State, "base">,
): boolean {
  const before = base?.configuration?.DataCaptureConfig;
  if (dataCapture === undefined || base === undefined) return false;
  return before?.EnableCapture === false || before?.DestinationS3Uri !== s3Uri(dataCapture.value) ||
    kmsKey !== undefined && before?.KmsKeyId !== kmsKey.value;
}

export function isServerless({ base }: Pick<State, "base">): boolean {
  return base?.configuration?.ProductionVariants?.[0]?.ServerlessConfig !== undefined;
}

/**
 * Whether to set the count of instances: where an option names it, or the configuration file names
 * another one than the configuration in use has. Otherwise autoscaling's count stays.
 */
export function setsCount({ instanceCount }: DeployRequest, { base }: State): boolean {
  if (instanceCount === undefined) return false;
  if (instanceCount.from === "typed") return true;
  return base?.configuration?.ProductionVariants?.[0]?.InitialInstanceCount !== instanceCount.value;
}

/** Without empty members: the service writes `false` and `null` for what was not asked for. */
function filled<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) =>
      one !== undefined && one !== null && one !== false && !isEmpty(one)
    ),
  ) as Value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Date) &&
    Object.keys(value).length === 0;
}
