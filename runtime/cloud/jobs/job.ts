import { shellWord } from "../../app/typed_path.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { consoleAddress } from "../../contract/console.ts";
import type { InstanceGroup } from "../../contract/instances.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { type Message, type Messages, warning } from "../../messages.ts";

/** Kind and name of a job: names are unique among the jobs of a kind. */
export interface JobName {
  readonly kind: JobKind;
  readonly name: string;
}

/** A step of a training job, as the service tells it. */
export interface Transition {
  /** `Starting`, `Downloading`, `Training`, `Uploading`, ... */
  readonly status: string;
  /** SageMaker's message about the step, which can change during the step. */
  readonly message: string;
  readonly startTime: Date;
}

/** Data of a job: a channel, an input or an output. */
export interface JobData {
  readonly name: string;
  readonly uri: string;
}

/** A job, with what SageMaker says of all kinds under one name. */
export interface CloudJob extends JobName {
  readonly arn: string | undefined;
  /** Whatever the service sends: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`. */
  readonly status: string;
  /** Of training: where it is, or how it was stopped (`MaxRuntimeExceeded`); else `undefined`. */
  readonly secondaryStatus: string | undefined;
  /** Of training: its steps, oldest first. */
  readonly transitions: readonly Transition[];
  readonly failureReason: string | undefined;
  /** Of processing: the code's exit message. */
  readonly exitMessage: string | undefined;
  readonly creationTime: Date;
  /** When the code began; `undefined` until then. */
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  /** Repository with tag or digest; `undefined` where only the model of a transform has it. */
  readonly image: string | undefined;
  readonly role: string | undefined;
  readonly instanceType: string | undefined;
  readonly instanceCount: number;
  /** Of a training with machines of several types; `instanceType` is `undefined` then. */
  readonly groups: readonly InstanceGroup[];
  readonly isSpot: boolean;
  /** Seconds that it may run. */
  readonly maxRuntime: number | undefined;
  /** Seconds that the code ran, and that are billed, for each instance. */
  readonly trainingSeconds: number | undefined;
  readonly billableSeconds: number | undefined;
  readonly inputs: readonly JobData[];
  /** Where results go: of training the address below which its artifacts lie. */
  readonly outputs: readonly JobData[];
  /** Of training: the address of model.tar.gz, once the service names it. */
  readonly artifact: string | undefined;
  /** Of a transform: the name of its model, and how requests are made, by keys of the app's file. */
  readonly model: string | undefined;
  readonly options: Readonly<Record<string, string | number>>;
  readonly hyperparameters: Readonly<Record<string, string>>;
  /** Names of the variables; their values may be secrets. */
  readonly variables: readonly string[];
}

const ENDED = new Set(["Completed", "Failed", "Stopped"]);

export function hasEnded({ status }: Pick<CloudJob, "status">): boolean {
  return ENDED.has(status);
}

export type Kind = JobKind | "endpoint";

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  train: "training job",
  process: "processing job",
  transform: "transform job",
  endpoint: "endpoint",
};

/** A job or an endpoint that SageMaker has begun to create or to change, before it is described. */
export interface Begun {
  readonly kind: Kind;
  readonly name: string;
  /** `undefined` if the response was lost. */
  readonly arn: string | undefined;
}

/** Prints the address at which the AWS console shows a job or an endpoint, if it is known. */
export function tellConsole({ arn, name }: Begun, messages: Messages): void {
  const address = consoleAddress(arn, name);
  if (address !== undefined) messages.state(`Console: ${address}`);
}

/** Makes the command line of a command about a job: `mlcli wait NAME --region eu-west-1`. */
export type JobCommand = (command: string, ...options: string[]) => string;

/**
 * Command lines about a job.
 * @param choice the options of the command that asks.
 */
export function commandFor(name: string, choice: Partial<AwsOptions> = {}): JobCommand {
  return (command, ...options) =>
    ["mlcli", command, name, ...options, ...optionsOf(choice)].join(" ");
}

/** Returns the region, the profile and the role that were typed, as options of a command line. */
export function optionsOf({ region, profile, iamRoleArn }: Partial<AwsOptions>): readonly string[] {
  return [region, profile, iamRoleArn].flatMap((setting) =>
    setting?.from === "typed" ? [setting.where, shellWord(setting.value)] : []
  );
}

/** Returns a warning about a job that keeps running after the command has ended. */
export function goesOn(command: JobCommand, status: string | undefined): Message {
  const result = `Wait for it: ${command("wait")}`;
  if (status === "Stopping") return warning("SageMaker is stopping the job", result);
  return warning(
    "The job keeps running",
    `See its log: ${command("logs", "--follow")}. ${result}. Stop it: ${command("stop-job")}`,
  );
}
