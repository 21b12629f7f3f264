/** The app of a model, or of an endpoint. */

import { shellWord } from "../../app/typed_path.ts";
import type { EndpointConfigurationDetails, ModelDetails } from "../../aws/sagemaker.ts";
import { parseS3Uri } from "../../contract/addresses.ts";
import { servingVariables } from "../../contract/launch.ts";
import { testDirectory } from "../../origin/origin.ts";
import { modelDataOf } from "../endpoints/parts.ts";
import { type Draft, takeOver, variablesLeft } from "./draft.ts";

/** Some members are this module's texts of what the answers have there. */
const TABLE = `
  Container.Image=image ExecutionRoleArn=execution_role SAGEMAKER_SUBMIT_DIRECTORY=source_dir
  SAGEMAKER_PROGRAM=deploy.entry_point Environment=deploy.env ModelDataUrl=deploy.model
  Variant.InstanceType=deploy.ec2_type Variant.InitialInstanceCount=deploy.instance_count
  Variant.ServerlessConfig.MemorySizeInMB=deploy.memory_size_in_mb
  Variant.ServerlessConfig.MaxConcurrency=deploy.max_concurrency
  Variant.ContainerStartupHealthCheckTimeoutInSeconds=deploy.health_check_timeout
  Variant.InferenceAmiVersion=deploy.inference_ami_version
  DataCaptureConfig.DestinationS3Uri=deploy.data_capture KmsKeyId=deploy.kms_key
  VpcConfig.Subnets=deploy.subnet VpcConfig.SecurityGroupIds=deploy.security_group
  AsyncInferenceConfig EnableNetworkIsolation ExplainerConfig MetricsConfig
  Container.AdditionalModelDataSources Container.ImageConfig Container.Mode
  Further.Containers Further.ProductionVariants
  Variant.AcceleratorType Variant.InstancePools Variant.ManagedInstanceScaling Variant.RoutingConfig
  Variant.ServerlessConfig.ProvisionedConcurrency Variant.VolumeSizeInGB ShadowProductionVariants`;

/** The variables by which AWS's SDK, and mlcli, name the code of a model. */
const OF_PROGRAM = Object.keys(servingVariables("", ""));

/** @param configuration of the endpoint; its first variant counts. */
export function servingDraft(
  model: Partial<ModelDetails>,
  configuration: Partial<EndpointConfigurationDetails>,
  name: string,
): Draft {
  const { PrimaryContainer: primary, Containers = [] } = model;
  const [container, ...containers] = primary ? [primary] : Containers;
  const [variant, ...variants] = configuration.ProductionVariants ?? [];
  const capture = configuration.DataCaptureConfig;
  const captures = capture?.EnableCapture !== false;
  const part = capture?.InitialSamplingPercentage ?? 100;
  const data = modelDataOf(container);
  const all = Object.entries(container?.Environment ?? {});
  const named = Object.fromEntries(all.filter(([one]) => OF_PROGRAM.includes(one)));
  const { SAGEMAKER_PROGRAM: program, SAGEMAKER_SUBMIT_DIRECTORY: directory = "" } = named;
  const address = program === undefined ? undefined : parseS3Uri(directory);
  // In the model's own code/, they name it here, too.
  const env = address === undefined ? named : {};
  const { configuration: keys, taken, left } = takeOver({
    ...{ ...configuration, ...model, Container: container, Variant: variant, ModelDataUrl: data },
    DataCaptureConfig: captures ? capture : undefined,
    Further: { ProductionVariants: variants, Containers: containers },
    SAGEMAKER_PROGRAM: address && program,
    SAGEMAKER_SUBMIT_DIRECTORY: address && `${name}/code`,
    Environment: env,
  }, TABLE);
  const words = Object.entries(env).map((pair) => ` --env ${shellWord(pair.join("="))}`).join("");
  const here = `mlcli local deploy${words}`;
  const fetch = data?.endsWith("/")
    ? `aws s3 cp --recursive ${shellWord(data)} ${testDirectory(name)}/model`
    : data && `mlcli download-model ${shellWord(data)}`;
  const others = all.map(([one]) => one).filter((one) => !OF_PROGRAM.includes(one));
  return {
    section: "deploy",
    configuration: keys,
    files: [],
    code: address && { address },
    data: [],
    taken,
    left: [
      ...captures && part < 100 ? [`mlcli captures all requests, not ${part}%`] : [],
      ...variablesLeft(others, here),
      ...left,
    ],
    next: [
      ...fetch === undefined ? [] : [fetch],
      here,
      "mlcli local invoke FILE",
      "mlcli deploy --endpoint-name ENDPOINT",
    ],
  };
}
