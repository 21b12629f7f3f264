/** The app of a training job. */

import type { JobDetails } from "../../aws/sagemaker_jobs.ts";
import { parseS3Uri, s3Uri, within } from "../../contract/addresses.ts";
import { isChannelName } from "../../contract/channels.ts";
import { PATHS } from "../../contract/jobs.ts";
import { CODE_CHANNEL, CODE_CHANNELS, entryPointOf, START_SCRIPT } from "../../contract/launch.ts";
import type { GivenFile } from "../../image/scaffold.ts";
import { testDirectory } from "../../origin/origin.ts";
import { asWritten, jsonObject, parseJson } from "../../text.ts";
import type { AboutCode, DataPlace, Draft, Program } from "./draft.ts";
import { prefixOf, takeOver, variablesLeft, wordsOf } from "./draft.ts";

type Job = JobDetails["train"];

/** Some members are this module's texts of what the answer has there. */
const TABLE = `
  AlgorithmSpecification.TrainingImage=image AlgorithmSpecification.MetricDefinitions=metric_definitions
  RoleArn=execution_role launcher=launcher sagemaker_torch_distributed_enabled=distribution
  sagemaker_submit_directory=source_dir sagemaker_program=train.entry_point
  ContainerEntrypoint=train.command InputDataConfig.S3Uri=train.input_s3_dir
  InputDataConfig.ShardedByS3Key=train.shard OutputDataConfig.S3OutputPath=train.output_s3_dir
  ResourceConfig.InstanceType=train.ec2_type ResourceConfig.InstanceCount=train.instance_count
  ResourceConfig.SelectedInstanceType=train.ec2_type
  ResourceConfig.SelectedInstanceCount=train.instance_count
  ResourceConfig.InstanceGroups=train.instance_group ResourceConfig.VolumeSizeInGB=train.volume_size
  StoppingCondition.MaxRuntimeInSeconds=train.max_run EnableManagedSpotTraining=train.spot
  StoppingCondition.MaxWaitTimeInSeconds=train.max_wait CheckpointConfig.S3Uri=train.checkpoint_s3_dir
  EnableNetworkIsolation=train.network_isolation VpcConfig.Subnets=train.subnet
  VpcConfig.SecurityGroupIds=train.security_group ResourceConfig.VolumeKmsKeyId=train.kms_key
  OutputDataConfig.KmsKeyId=train.kms_key AlgorithmSpecification.TrainingImageConfig
  CheckpointConfig.LocalPath ContainerArguments DebugHookConfig DebugRuleConfigurations EnableInterContainerTrafficEncryption ExperimentConfig
  HyperParameters.sagemaker_mpi_enabled HyperParameters.sagemaker_parameter_server_enabled
  InfraCheckConfig InputDataConfig.CompressionType InputDataConfig.ContentType
  InputDataConfig.RecordWrapperType InputDataConfig.ShuffleConfig MlflowConfig
  OutputDataConfig.CompressionType ProfilerConfig RemoteDebugConfig ResourceConfig.InstancePlacementConfig
  ResourceConfig.InstancePreferences ResourceConfig.KeepAlivePeriodInSeconds
  ResourceConfig.TrainingPlanArn RetryStrategy StoppingCondition.MaxPendingTimeInSeconds
  TensorBoardOutputConfig TuningJobArn`;

export function trainingDraft(job: Job, name: string): Draft {
  const { ResourceConfig: resources, InputDataConfig: channels = [], Environment = {} } = job;
  const program = programOf(job);
  const data = channelsOf(job, name);
  const files = hyperparametersFile(job, name);
  const groups = resources?.InstanceGroups?.map((group) =>
    `${group.InstanceGroupName}=${group.InstanceType}:${group.InstanceCount}`
  );
  const { configuration, taken, left } = takeOver({
    ...job,
    ...program.members,
    sagemaker_submit_directory: program.code && `${name}/code`,
    ResourceConfig: { ...resources, InstanceGroups: groups },
    InputDataConfig: {
      ...Object.assign({}, ...channels),
      S3Uri: data.places.map(({ name, address }) => `${name}=${s3Uri(address)}`),
      ShardedByS3Key: data.shards,
    },
  }, TABLE);
  const here = "mlcli local train";
  const { words = "" } = program;
  return {
    section: "train",
    configuration,
    files,
    code: program.code,
    data: data.places,
    taken: [...taken, ...files.map(({ path }) => ["`HyperParameters`", `\`${path}\``] as const)],
    left: [
      ...program.left ?? [],
      ...data.left,
      ...variablesLeft(Object.keys(Environment), here),
      ...left,
    ],
    next: [here + words, `mlcli train${words}`],
  };
}

/** What the job ran, by what SDK v2, SDK v3 and mlcli leave in it (`contract/launch.ts` has the sources). */
function programOf(
  { HyperParameters: values = {}, AlgorithmSpecification: algorithm, InputDataConfig = [] }: Job,
): Program {
  const { ContainerEntrypoint = [], ContainerArguments: words = [] } = algorithm ?? {};
  const addressOf = (channel: string) =>
    prefixOf(InputDataConfig.find((one) => one.ChannelName === channel)?.DataSource?.S3DataSource);
  const [code, drivers] = CODE_CHANNELS.map(addressOf);
  const isSpread = values.sagemaker_torch_distributed_enabled === "true";
  const distribution = { sagemaker_torch_distributed_enabled: isSpread && "torchrun" };
  if (values.sagemaker_program !== undefined) {
    const address = parseS3Uri(String(heard(values.sagemaker_submit_directory ?? ""))) ?? code;
    const entryPoint = entryPointOf(String(heard(values.sagemaker_program)));
    return {
      members: { launcher: "toolkit", sagemaker_program: entryPoint, ...distribution },
      code: address && { address },
    };
  }
  if (code !== undefined && drivers !== undefined) {
    const about = { address: within(drivers, "sourcecode.json"), read: aboutSourceCode };
    return { members: { launcher: "script" }, code: { address: code, about } };
  }
  if (code && words[0] === `${PATHS.inputData}/${CODE_CHANNEL}/${START_SCRIPT}`) {
    const members = { launcher: "script", sagemaker_program: words[1], ...distribution };
    return { members, code: { address: code } };
  }
  if (ContainerEntrypoint.length > 0) {
    return { members: { ContainerEntrypoint }, words: wordsOf(words) };
  }
  const sent = `Channel "code" is not used (${code && s3Uri(code)}): the image runs its own code`;
  return { members: { ...distribution, ContainerArguments: words }, left: code ? [sent] : [] };
}

/** What SDK v3 says of the code (aws/sagemaker-python-sdk: `modules/configs.py`, `SourceCode`). */
function aboutSourceCode(text: string): AboutCode {
  const { entry_script: script, requirements, command } = jsonObject(text) ?? {};
  const fileOf = (value: unknown) => typeof value === "string" ? entryPointOf(value) : undefined;
  const left = `The job ran this command: ${command}. Put it into a script, and set ` +
    "train.entry_point to the script.";
  const about = { entryPoint: fileOf(script), requirements: fileOf(requirements) };
  return { ...about, left: command ? [left] : [] };
}

/** The data alone. */
function channelsOf({ InputDataConfig = [], AlgorithmSpecification: algorithm }: Job, app: string) {
  const places: DataPlace[] = [];
  const shards: string[] = [];
  const left: string[] = [];
  for (const { ChannelName: name = "", DataSource, InputMode } of InputDataConfig) {
    if (CODE_CHANNELS.includes(name)) continue;
    const address = prefixOf(DataSource?.S3DataSource);
    if (address === undefined || !isChannelName(name)) {
      left.push(`Channel "${name}" was not converted: it needs an S3 prefix and a valid name`);
      continue;
    }
    places.push({ name, address, to: `${testDirectory(app)}/input/data/${name}` });
    if (DataSource?.S3DataSource?.S3DataDistributionType === "ShardedByS3Key") shards.push(name);
    const mode = InputMode ?? algorithm?.TrainingInputMode ?? "File";
    if (mode !== "File") left.push(`Channel "${name}" used ${mode} mode, but mlcli uses File mode`);
  }
  return { places, shards, left };
}

/** The user's own: AWS's toolkit keeps the others from a script (sagemaker-training: `environment.py`). */
function hyperparametersFile({ HyperParameters: all = {} }: Job, app: string): GivenFile[] {
  const notOwn = /^(sagemaker_|_tuning_objective_metric$)/;
  const own = Object.entries(all).filter(([key]) => !notOwn.test(key));
  if (own.length === 0) return [];
  const isJson = all.sagemaker_program !== undefined;
  const values = Object.fromEntries(own.map(([key, text]) => [key, isJson ? heard(text) : text]));
  const path = `${testDirectory(app)}/input/config/hyperparameters.json`;
  return [{ path, content: `${JSON.stringify(values, null, 2)}\n` }];
}

/**
 * What the script hears: SDK v2 sends JSON, and AWS's toolkit takes what is none as text. A text that would
 * be heard as something else without its quotes keeps them.
 */
function heard(text: string): unknown {
  const value = parsed(text);
  return typeof value === "string" && parsed(value) !== undefined ? text : value ?? text;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, asWritten);
  } catch {
    return undefined;
  }
}
