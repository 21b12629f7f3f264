/**
 * What SageMaker checks of models, configurations and deployments beyond the shape of the request,
 * in its own words where they are known from issues of its users.
 */

import { REGION } from "../account.ts";
import type { EcrService } from "../ecr.ts";
import type { Faults } from "../faults.ts";
import { limitExceeded, whereIs } from "../jobs/checks.ts";
import { parseS3Uri } from "../jobs/platform.ts";
import type { S3Store } from "../s3_store.ts";
import { Unexpected } from "../service.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint_store.ts";
import {
  type Deployment,
  type EndpointConfiguration,
  type Model,
  type Request,
  Variant,
} from "./resource.ts";
import { inProgress, invalid, notFound } from "./words.ts";

/**
 * Whether a model's artifact is where it is said to be, in this region.
 * @throws Refused
 */
export function checkModelData(container: Request, role: string, s3: S3Store): void {
  const { ModelDataUrl, ModelDataSource, Mode } = container;
  if (Mode === "MultiModel") throw new Unexpected("The box has no models of many models");
  if (ModelDataUrl !== undefined && ModelDataSource !== undefined) {
    throw invalid("ModelDataUrl and ModelDataSource may not both be specified.");
  }
  const source: Request | undefined = ModelDataSource?.S3DataSource;
  const uri: string | undefined = ModelDataUrl ?? source?.S3Uri;
  if (uri === undefined) return;
  const { bucket, key } = parseS3Uri(uri);
  const isHere = s3.buckets.get(bucket)?.region === REGION;
  const keys = isHere ? s3.keys(bucket, key) : [];
  const isPrefix = source?.S3DataType === "S3Prefix";
  if (isPrefix ? keys.length > 0 && key.endsWith("/") : keys.includes(key)) return;
  throw invalid(
    `Could not access model data at ${uri}. Please ensure that the role "${role}" exists and that ` +
      'its trust relationship policy allows the action "sts:AssumeRole" for the service ' +
      'principal "sagemaker.amazonaws.com". Also ensure that the role has "s3:GetObject" ' +
      `permissions and that the object is located in ${REGION}. If your Model uses multiple ` +
      "models or uncompressed models, please ensure that the role has " +
      '"s3:ListBucket" permission.',
  );
}

/** What a serverless variant cannot have. */
const NOT_SERVERLESS = [
  "InstanceType",
  "InitialInstanceCount",
  "VolumeSizeInGB",
  "ModelDataDownloadTimeoutInSeconds",
  "ContainerStartupHealthCheckTimeoutInSeconds",
  "RoutingConfig",
  "InferenceAmiVersion",
  "EnableSSMAccess",
];

/**
 * Whether the members of a configuration go together, and with its models. The words are the box's
 * own.
 * @throws Refused
 */
export function checkConfiguration(request: Request, models: readonly Model[]): void {
  const variants: readonly Request[] = request.ProductionVariants;
  const names = variants.map(({ VariantName }) => VariantName);
  if (new Set(names).size < names.length) {
    throw invalid(`Duplicate variant names: [${names.join(", ")}]`);
  }
  const serverless = variants.filter(({ ServerlessConfig }) => ServerlessConfig !== undefined);
  if (serverless.length > 0) {
    if (variants.length > 1) {
      throw invalid("Serverless endpoints support one production variant.");
    }
    if (request.DataCaptureConfig || request.AsyncInferenceConfig) {
      throw invalid("DataCaptureConfig and AsyncInferenceConfig are not supported for serverless.");
    }
    // "VPC configuration, network isolation, data capture, multiple production variants"
    if (models.some((model) => model.request.VpcConfig || model.request.EnableNetworkIsolation)) {
      throw invalid("VpcConfig and EnableNetworkIsolation are not supported for serverless.");
    }
    const [variant] = serverless as [Request];
    const other = NOT_SERVERLESS.find((name) => variant[name] !== undefined);
    if (other) throw invalid(`${other} is not supported with ServerlessConfig.`);
    const { MemorySizeInMB, MaxConcurrency, ProvisionedConcurrency = 0 } = variant.ServerlessConfig;
    if (MemorySizeInMB % 1_024 !== 0) {
      throw invalid("MemorySizeInMB must be one of [1024, 2048, 3072, 4096, 5120, 6144].");
    }
    if (ProvisionedConcurrency > MaxConcurrency) {
      throw invalid("ProvisionedConcurrency must be less than or equal to MaxConcurrency.");
    }
    return;
  }
  for (const { VariantName, InstanceType, InitialInstanceCount } of variants) {
    if (InstanceType !== undefined && InitialInstanceCount !== undefined) continue;
    throw invalid(
      `InstanceType and InitialInstanceCount are required for production variant ${VariantName}.`,
    );
  }
}

/** @throws Refused where the account may not have the instances. */
export function checkQuota({ variants }: Deployment, { quotas }: Faults): void {
  for (const { request: { InstanceType }, desiredCount } of variants) {
    if (quotas.has(InstanceType)) {
      throw limitExceeded(`${InstanceType} for endpoint usage`, desiredCount);
    }
  }
}

/**
 * Whether a canary is as large as TrafficRoutingConfig's reference allows. The words are the box's own.
 * @throws Refused
 */
export function checkPolicy(policy: Request | undefined): void {
  const size = policy?.BlueGreenUpdatePolicy?.TrafficRoutingConfiguration.CanarySize;
  if (size && size.Value > 50) throw invalid("CanarySize must be 1 to 50 percent of the capacity.");
}

/** The alarms that stop a deployment: `AutoRollbackConfiguration`. */
export function alarmsOf(policy: Request | undefined): readonly string[] {
  const alarms: readonly Request[] = policy?.AutoRollbackConfiguration?.Alarms ?? [];
  return alarms.map(({ AlarmName }) => AlarmName);
}

/**
 * What may not be asked of an endpoint as it is.
 * @throws Refused
 */
export function checkUpdate(endpoint: Endpoint, input: Request): void {
  const { current, status, arn } = endpoint;
  if (endpoint.isInProgress) throw inProgress(endpoint);
  // "DeleteEndpoint is the only operation that can be performed on a failed endpoint."
  if (status === "Failed") throw invalid(`Cannot update endpoint "${arn}" in ${status} status.`);
  if (input.EndpointConfigName.toLowerCase() === current.configuration.name.toLowerCase()) {
    // SageMaker's words.
    throw invalid(
      "Cannot update endpoint with the currently in use endpoint configuration " +
        `"${current.configuration.name}".`,
    );
  }
  if (input.ExcludeRetainedVariantProperties?.length > 0 && !input.RetainAllVariantProperties) {
    throw invalid(
      "ExcludeRetainedVariantProperties may only be specified when RetainAllVariantProperties is " +
        "true.",
    );
  }
}

/**
 * What an endpoint cannot become.
 * @throws Refused
 */
export function checkSwitch(from: Deployment, to: Deployment): void {
  const isServerless = ({ variants }: Deployment): boolean =>
    variants.some((variant) => variant.isServerless);
  // "You cannot convert your instance-based, real-time endpoint to a serverless endpoint."
  if (isServerless(to) && !isServerless(from)) {
    throw invalid("Cannot update an instance-based endpoint to a serverless endpoint.");
  }
  const names = ({ variants }: Deployment): string =>
    variants.map(({ name }) => name).sort().join(", ");
  // "your new endpoint configuration must have the same variant name as the old"
  if (to.policy && names(from) !== names(to)) {
    throw invalid(
      "DeploymentConfig is only supported when the variant names of the new endpoint " +
        "configuration are those of the old.",
    );
  }
}

/** What `RetainAllVariantProperties` takes from. */
export interface Retained {
  readonly from: Deployment;
  /** `VariantPropertyType`s that the new configuration says. */
  readonly except: readonly string[];
}

/**
 * What is to be served.
 * @throws Refused where a model is gone
 */
export function deploymentOf(
  configuration: EndpointConfiguration,
  policy: Request | undefined,
  store: EndpointStore,
  ecr: EcrService,
  retained?: Retained,
): Deployment {
  const startTime = store.now();
  const keeps = (property: string): boolean =>
    retained !== undefined && !retained.except.includes(property);
  const variants = configuration.variants.map((request) => {
    const model = store.models.get(request.ModelName);
    if (!model) throw notFound("model", request.ModelName);
    const image = resolvedImage(model.container.Image, ecr);
    const variant = new Variant(request, model, image, startTime);
    const before = retained?.from.variants.find(({ name }) => name === variant.name);
    if (before && keeps("DesiredInstanceCount") && !before.isServerless && !variant.isServerless) {
      variant.desiredCount = before.desiredCount;
    }
    if (before && keeps("DesiredWeight")) variant.desiredWeight = before.desiredWeight;
    return variant;
  });
  const dataCapture = keeps("DataCaptureConfig")
    ? retained!.from.dataCapture
    : configuration.request.DataCaptureConfig;
  return { configuration, variants, policy, dataCapture, startTime };
}

/** By its digest; as it was specified where it is not there any more. */
export function resolvedImage(reference: string, ecr: EcrService): string {
  const { host, repository, found, wanted } = whereIs(reference, ecr);
  const image = found && ecr.store.find(found, wanted);
  return image ? `${host}/${repository}@${image.digest}` : reference;
}

/** A variant whose image is not there. */
export function withoutImage({ variants }: Deployment, ecr: EcrService): Variant | undefined {
  return variants.find(({ image }) => {
    const { found, wanted } = whereIs(image, ecr);
    return !(found && ecr.store.find(found, wanted));
  });
}
