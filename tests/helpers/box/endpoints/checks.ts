/**
 * What SageMaker checks of models, configurations and deployments beyond the shape of the request,
 * in its own words where they are known from issues of its users.
 *
 * @module
 */

import { REGION } from "../account.ts";
import type { S3Store } from "../s3_store.ts";
import { Unexpected } from "../service.ts";
import type { Faults } from "../faults.ts";
import { limitExceeded } from "../jobs/checks.ts";
import { parseS3Uri } from "../jobs/platform.ts";
import type { Deployment } from "./deployment.ts";
import type { Model, Request } from "./resource.ts";
import { invalid } from "./words.ts";

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
  "ManagedInstanceScaling",
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

/**
 * Whether the account may have the instances, or the memory.
 * @throws Refused
 */
export function checkQuota({ variants }: Deployment, { quotas, serverlessMemory }: Faults): void {
  for (const { request: { InstanceType, ServerlessConfig }, desiredCount } of variants) {
    if (quotas.has(InstanceType)) {
      const name = `${InstanceType} for endpoint usage`;
      throw limitExceeded({ name, unit: "Instances", most: 0, wanted: desiredCount });
    }
    const wanted = ServerlessConfig?.MemorySizeInMB ?? 0;
    if (wanted > serverlessMemory) {
      const name = "Memory size in MB per serverless endpoint";
      throw limitExceeded({ name, unit: "MBs", most: serverlessMemory, wanted });
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
