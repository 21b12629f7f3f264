/**
 * The configuration files that SageMaker puts into a container, as data. Shapes: AWS developer
 * guide, "How Amazon SageMaker AI Provides Training Information" and "How to Build Your Own
 * Processing Container", and what real jobs printed.
 */

import { jobArn, localRoleArn, type PlatformJob } from "./addresses.ts";
import { type Cluster, distributionOf } from "./hosts.ts";
import type { ProcessingLaunch } from "./launch.ts";
import type { ProcessingData } from "./processing_data.ts";
import type { Variables } from "./variables.ts";

export type ConfigurationFiles = Readonly<Record<string, unknown>>;

/** In the place of `ml.m5.large`: what the SageMaker Python SDK calls this machine in local mode. */
const INSTANCE_TYPE = "local";

/** What real trainings call the group that all their instances are in. */
const INSTANCE_GROUP = "homogeneousCluster";

/**
 * `resourceconfig.json` of a training. AWS's training toolkit prints it in each job's log as
 * `SM_RESOURCE_CONFIG`, and complains of one without `instance_groups`.
 */
function trainingResources({ current, hosts, groupHosts }: Cluster): unknown {
  return {
    current_group_name: INSTANCE_GROUP,
    current_host: current,
    current_instance_type: INSTANCE_TYPE,
    hosts,
    instance_groups: [{
      hosts: groupHosts,
      instance_group_name: INSTANCE_GROUP,
      instance_type: INSTANCE_TYPE,
    }],
    network_interface_name: "eth0",
  };
}

/** The same for a processing job, which has less: the guide, and what AWS's Spark image prints. */
function processingResources({ current, hosts }: Cluster): unknown {
  return { current_host: current, hosts };
}

/**
 * The files of `/opt/ml/input/config`.
 *
 * @param hyperparameters values as SageMaker sends them: strings.
 * @param channels the directories below `/opt/ml/input/data`.
 * @param cluster what the container is told of the hosts.
 */
export function trainingFiles(
  hyperparameters: Readonly<Record<string, string>>,
  channels: readonly { readonly name: string; readonly isSharded: boolean }[],
  cluster: Cluster,
): ConfigurationFiles {
  return {
    "hyperparameters.json": hyperparameters,
    "inputdataconfig.json": Object.fromEntries(channels.map(({ name, isSharded }) => [name, {
      TrainingInputMode: "File",
      S3DistributionType: distributionOf(isSharded),
      RecordWrapperType: "None",
    }])),
    "resourceconfig.json": trainingResources(cluster),
  };
}

export interface ProcessingRequest {
  readonly job: PlatformJob;
  readonly image: string;
  readonly launch: Pick<ProcessingLaunch, "entrypoint" | "arguments">;
  readonly inputs: readonly (ProcessingData & { readonly isSharded?: boolean })[];
  readonly outputs: readonly ProcessingData[];
  readonly variables: Variables;
}

/** The files of `/opt/ml/config`. */
export function processingFiles(request: ProcessingRequest, cluster: Cluster): ConfigurationFiles {
  return {
    "processingjobconfig.json": processingConfiguration(request, cluster.hosts.length),
    "resourceconfig.json": processingResources(cluster),
  };
}

/** Nobody has it: AWS keeps names that begin with `amzn-s3-demo-` for examples. */
const BUCKET = "s3://amzn-s3-demo-bucket";

/** The SDK's default for the disk of `/opt/ml/processing`, in GB. */
const VOLUME_SIZE = 30;

/** The SDK's default for how long a job may run, in seconds. */
const MOST_RUNTIME = 86_400;

/**
 * The file of a real job, as AWS's Spark image and its model monitor print it into their jobs' logs
 * in full: `null` for what was not given, but no `Environment` where no variable was, and no
 * `NetworkConfig`, `ExperimentConfig` or `Tags`.
 */
function processingConfiguration(request: ProcessingRequest, hosts: number): unknown {
  const { job, image, launch, variables } = request;
  // As below /opt/ml/processing, where no two have the same path.
  const uri = (path: string) =>
    path.replace(/^\/opt\/ml\/processing/, () => `${BUCKET}/${job.name}`);
  return {
    ProcessingJobArn: jobArn("process", job),
    ProcessingJobName: job.name,
    ...Object.keys(variables).length === 0 ? {} : { Environment: variables },
    AppSpecification: {
      ImageUri: image,
      ContainerEntrypoint: launch.entrypoint ?? null,
      ContainerArguments: launch.arguments.length === 0 ? null : launch.arguments,
    },
    ProcessingInputs: request.inputs.map(({ name, path, isSharded }) => ({
      InputName: name,
      AppManaged: false,
      S3Input: {
        LocalPath: path,
        S3Uri: uri(path),
        S3DataDistributionType: distributionOf(isSharded),
        S3DataType: "S3Prefix",
        S3InputMode: "File",
        S3CompressionType: "None",
        S3DownloadMode: "StartOfJob",
      },
      DatasetDefinition: null,
    })),
    ProcessingOutputConfig: {
      Outputs: request.outputs.map(({ name, path }) => ({
        OutputName: name,
        AppManaged: false,
        S3Output: {
          LocalPath: path,
          S3Uri: uri(path),
          S3UploadMode: "EndOfJob",
        },
        FeatureStoreOutput: null,
      })),
      KmsKeyId: null,
    },
    ProcessingResources: {
      ClusterConfig: {
        InstanceCount: hosts,
        InstanceType: INSTANCE_TYPE,
        VolumeSizeInGB: VOLUME_SIZE,
        VolumeKmsKeyId: null,
      },
    },
    RoleArn: localRoleArn(job.region),
    StoppingCondition: { MaxRuntimeInSeconds: MOST_RUNTIME },
  };
}
