/** The app of a processing job. */

import type { JobDetails } from "../../aws/sagemaker_jobs.ts";
import { parseS3Uri, type S3Address, s3Uri, within } from "../../contract/addresses.ts";
import { isChannelName } from "../../contract/channels.ts";
import { PATHS } from "../../contract/jobs.ts";
import { CODE_CHANNEL, entryPointOf, START_SCRIPT } from "../../contract/launch.ts";
import { isWithin, plainData, type Side } from "../../contract/processing_data.ts";
import { testDirectory } from "../../origin/origin.ts";
import { shellWord } from "../../text.ts";
import type { AboutCode, Draft, Program } from "./draft.ts";
import { prefixOf, takeOver, variablesLeft, wordsOf } from "./draft.ts";

type Job = JobDetails["process"];

/** Some members are this module's texts of what the answer has there. */
const TABLE = `
  AppSpecification.ImageUri=image RoleArn=execution_role code=source_dir script=process.entry_point
  ContainerEntrypoint=process.command ProcessingInputs=process.input_s3_location
  ShardedByS3Key=process.shard ProcessingOutputs=process.output_s3_location
  ClusterConfig.InstanceType=process.ec2_type ClusterConfig.InstanceCount=process.instance_count
  ClusterConfig.SelectedInstanceType=process.ec2_type
  ClusterConfig.SelectedInstanceCount=process.instance_count
  ClusterConfig.VolumeSizeInGB=process.volume_size
  StoppingCondition.MaxRuntimeInSeconds=process.max_run
  NetworkConfig.EnableNetworkIsolation=process.network_isolation
  NetworkConfig.VpcConfig.Subnets=process.subnet
  NetworkConfig.VpcConfig.SecurityGroupIds=process.security_group
  ClusterConfig.VolumeKmsKeyId=process.kms_key ProcessingOutputConfig.KmsKeyId=process.kms_key
  ClusterConfig.InstancePreferences ExperimentConfig MonitoringScheduleArn
  NetworkConfig.EnableInterContainerTrafficEncryption`;

export function processingDraft(job: Job, name: string): Draft {
  const program = programOf(job);
  const code = [CODE_CHANNEL, "entrypoint"];
  const inputs = (job.ProcessingInputs ?? []).map(({ InputName, S3Input }) =>
    dataOf("input", name, prefixOf(S3Input), InputName, S3Input?.LocalPath)
  ).filter(({ name }) => !program.code || !code.includes(name));
  const outputs = (job.ProcessingOutputConfig?.Outputs ?? []).map(({ OutputName, S3Output }) =>
    dataOf("output", name, parseS3Uri(S3Output?.S3Uri ?? ""), OutputName, S3Output?.LocalPath)
  );
  const textsOf = (all: readonly Data[]) => all.flatMap(({ text }) => text ?? []);
  const { configuration, taken, left } = takeOver({
    ...job,
    ...program.members,
    code: program.code && `${name}/code`,
    ProcessingInputs: textsOf(inputs),
    ShardedByS3Key: job.ProcessingInputs?.flatMap(({ InputName, S3Input: input }) =>
      input?.S3DataDistributionType === "ShardedByS3Key" ? [InputName] : []
    ),
    ProcessingOutputs: textsOf(outputs),
    ClusterConfig: job.ProcessingResources?.ClusterConfig,
  }, TABLE);
  const { words = "" } = program;
  const here = `mlcli local process${optionsOf("-i", inputs)}${optionsOf("-o", outputs)}`;
  return {
    section: "process",
    configuration,
    taken,
    files: [],
    code: program.code,
    data: inputs.flatMap(({ name, address, to, text }) =>
      text && address ? [{ name, address, to }] : []
    ),
    left: [
      ...program.left ?? [],
      ...[...inputs, ...outputs].filter(({ text }) => text === undefined).map(({ name }) =>
        `Data "${name}" was not converted: it needs an S3 prefix and a path below /opt/ml/processing`
      ),
      ...variablesLeft(Object.keys(job.Environment ?? {}), here),
      ...left,
    ],
    next: [here + words, `mlcli process${words}`],
  };
}

/** By what mlcli and the SDK's processors leave in a job (aws/sagemaker-python-sdk: `processing.py`). */
function programOf({ AppSpecification: app, ProcessingInputs: inputs = [] }: Job): Program {
  const { ContainerEntrypoint = [], ContainerArguments = [] } = app ?? {};
  const words = wordsOf(ContainerArguments);
  const addressOf = (name: string) =>
    prefixOf(inputs.find(({ InputName }) => InputName === name)?.S3Input);
  const [address, runproc] = [addressOf(CODE_CHANNEL), addressOf("entrypoint")];
  const script = ContainerEntrypoint.at(-1) ?? "";
  const before = ContainerEntrypoint.slice(0, -1).join(" ");
  const start = `${PATHS.processingCode}/`;
  if (address !== undefined && before.endsWith(`${start}${START_SCRIPT}`)) {
    return { members: { script }, code: { address }, words };
  }
  if (address !== undefined && runproc !== undefined && script.endsWith("/runproc.sh")) {
    const file = runproc.key.endsWith(".sh") ? runproc : within(runproc, "runproc.sh");
    const about = { address: file, read: aboutRunproc };
    return { code: { address, about }, words };
  }
  if (address === undefined || !script.startsWith(start)) {
    return { members: { ContainerEntrypoint }, words };
  }
  const isPlain = /^(\S*\/)?(python[\d.]*|(ba)?sh)$|^$/.test(before);
  const left = isPlain
    ? []
    : [`The job ran the script with ${before}, but mlcli uses Python or sh`];
  const members = { script: script.slice(start.length) };
  return { members, code: { address }, words, left };
}

/** The line that passes the job's arguments on: `python3 clean.py "$@"`. */
function aboutRunproc(text: string): AboutCode {
  const entryPoint = /(?<!\S)(\S+) "\$@"\s*$/m.exec(text)?.[1];
  return { entryPoint: entryPoint && entryPointOf(entryPoint) };
}

type Data = ReturnType<typeof dataOf>;

function dataOf(side: Side, app: string, address?: S3Address, name = "", path = "") {
  const { path: plain } = plainData(side);
  const isPath = /^\/opt\/ml\/processing\/(?!.*(^|\/)\.{0,2}(\/|$))/.test(path);
  const isData = address && isPath && isChannelName(name);
  const start = path === `${plain}/${name}` ? name : `${name}:${path}`;
  const to = isWithin(path, plain) ? `processing${path.slice(plain.length)}` : name;
  const text = isData ? `${start}=${s3Uri(address)}` : undefined;
  const folder = `${testDirectory(app)}/input/data`;
  return { name, path, address, text, to: `${folder}/${to}` };
}

/** Of `local process`: none where all lies where it looks by itself. */
function optionsOf(flag: "-i" | "-o", all: readonly Data[]): string {
  const { path: plain } = plainData(flag === "-i" ? "input" : "output");
  const known = all.filter(({ text }) => text !== undefined);
  if (known.every(({ path }) => isWithin(path, plain))) return "";
  return known.map(({ name, path, to }) =>
    ` ${flag} ${shellWord(`${name}:${path}${flag === "-i" ? `=${to}` : ""}`)}`
  ).join("");
}
