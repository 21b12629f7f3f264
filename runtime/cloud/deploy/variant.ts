/**
 * What an endpoint runs on, as pure functions: of an update, whatever no option names stays.
 *
 * @module
 */

import { hasOwnDisk } from "../../contract/instances.ts";
import { carriedVariant, VARIANT, type Variant } from "./carried.ts";
import { s3Uri } from "../../contract/addresses.ts";
import type { DeployRequest } from "./request.ts";
import type { State } from "./state.ts";

/** How many requests at once a serverless endpoint answers where nobody says: the SDK's number. */
const MAX_CONCURRENCY = 5;

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
      : { InitialInstanceCount: countOf(request, state) ?? machines.InitialInstanceCount ?? 1 },
    ...health,
  };
}

/** The count that is asked for, or that autoscaling has made where nothing else would keep that. */
function countOf(request: DeployRequest, state: State): number | undefined {
  if (!changesCapture(request, state) || setsCount(request, state)) return request.instanceCount;
  return state.description?.variants[0]?.desiredCount;
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

/** Whether a key can encrypt the volume of what it runs on. */
export function hasVolume({ InstanceType, ServerlessConfig }: Omit<Variant, "ModelName">): boolean {
  return ServerlessConfig === undefined && !(InstanceType && hasOwnDisk(InstanceType));
}

/**
 * Whether data is to be captured that is not, or elsewhere. RetainAllVariantProperties may keep the
 * capture that there is ("DataCaptureConfig: Not currently supported", API reference, VariantProperty):
 * then the count of instances is named instead.
 */
export function changesCapture(
  { dataCapture, kmsKey }: DeployRequest,
  { base }: Pick<State, "base">,
): boolean {
  const before = base?.configuration?.DataCaptureConfig;
  if (dataCapture === undefined || base === undefined) return false;
  return before?.EnableCapture === false || before?.DestinationS3Uri !== s3Uri(dataCapture) ||
    kmsKey !== undefined && before?.KmsKeyId !== kmsKey;
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
