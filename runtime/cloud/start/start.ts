import type { Aws } from "../../aws/aws.ts";
import { AwsError, mayBeDone, orNothing, withHint } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { JobInput } from "../../aws/sagemaker_jobs.ts";
import { type AwsOptions, regionWords } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { platformJobName } from "../../contract/names.ts";
import { Interrupted } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { connectFor, type WaitingHost } from "../connection.ts";
import { confirmFirstUse, type Instances, instancesText } from "../first_use.ts";
import { inOrder, type Note } from "../in_parallel.ts";
import { endResult } from "../jobs/end.ts";
import { type CloudResult, followJob } from "../jobs/follow.ts";
import { describeJob } from "../jobs/describe.ts";
import { commandFor, type JobName, KIND_NAMES, tellConsole } from "../jobs/job.ts";
import { imageForJob } from "../preflight/image.ts";
import { createTagged } from "../tags.ts";
import { type CodeToSend, type Missing, sendObjects, shownCode } from "./code.ts";
import {
  type JobRequest,
  type PlannedJob,
  type ProgramJobRequest,
  sharedPlan,
  shownCall,
  withoutValues,
} from "./plan.ts";

export type JobHost = WaitingHost & Pick<Context, "engine" | "err" | "ask" | "canAsk">;

/** Differences between the kinds of jobs that run a program. */
interface Startable<Input extends JobInput, Data> {
  readonly kind: JobKind;
  readonly action: string;
  readonly request: ProgramJobRequest;
  /** The parts of `request` that are required, and were. */
  readonly role: string;
  readonly instanceType: string;
  /** Checks the data that the job reads and writes, and changes nothing. */
  readonly checkData: (aws: Aws, note: Note) => Promise<Data & { readonly missing?: Missing }>;
  readonly checkImage?: () => Promise<void>;
  /** Groups of instances, instead of instances of one type. */
  readonly groups?: readonly Instances[];
  readonly plan: (common: PlannedJob, data: Data) => Input;
  /** Is sent when all else is checked. */
  readonly code: CodeToSend | undefined;
}

/** Prefix of the names of a request's jobs. */
export function baseNameOf({ app, baseJobName }: JobRequest): string {
  return baseJobName ?? app.name;
}

export function newJobName(request: JobRequest, { clock }: JobHost): string {
  return platformJobName(baseNameOf(request), clock.date().toISOString());
}

/**
 * Checks, creates and follows a job; with `dryRun`, checks it and returns the calls.
 *
 * @param name of the job.
 * @throws MlcliError for problems, before anything is changed, and for a failed job.
 */
export async function startJob<Input extends JobInput, Data>(
  name: string,
  startable: Startable<Input, Data>,
  host: JobHost,
): Promise<CloudResult | { readonly calls: readonly unknown[] }> {
  const { messages, waiting } = host;
  const { kind, request, role, instanceType, code } = startable;
  const { app, dockerTag, repository, volumeSize, maxRun } = request;
  const aws = await connectFor(app, request, host);
  waiting.show(`Checking the ${KIND_NAMES[kind]}`);
  const checked = inOrder(
    eachOnce((text) => messages.note(text)),
    async (note) => {
      const use = { ecr: await aws.ecr(), engine: host.engine };
      return await imageForJob({ app, dockerTag, repository, instanceType }, use, note);
    },
    async () => await startable.checkImage?.(),
    (note) => startable.checkData(aws, note),
    () => requireOwnKey(aws, request.kmsKey),
  );
  const [image, , data] = await nothingCreated(kind, () => checked, messages);
  const { missing } = data;
  const input = startable.plan(
    { ...sharedPlan(request), volumeSize, maxRun, name, image, role, instanceType, code },
    data,
  );
  if (request.dryRun) {
    const as = kind === "train" ? "channel" : "input";
    const before = code && missing ? shownCode(request, code, missing, as) : [];
    return { calls: [...before, shownCall(startable.action, input)] };
  }
  await nothingCreated(kind, async () => {
    const { groups = [{ type: instanceType, count: request.instanceCount }] } = startable;
    const does = `starts a ${KIND_NAMES[kind]} (${instancesText(groups)})`;
    await confirmFirstUse({ ...request, does }, aws, host);
    if (missing) await sendObjects(missing, request.kmsKey, messages);
  }, messages);
  return await createAndFollow({ kind, name, input, request }, aws, host);
}

/** A job that is checked. */
interface Creatable extends JobName {
  readonly input: JobInput;
  readonly request: JobRequest;
}

/**
 * Creates a job, and follows it unless `--no-wait` is set.
 *
 * @param ended is called when the job has ended.
 */
export async function createAndFollow(
  { kind, name, input, request }: Creatable,
  aws: Aws,
  host: JobHost,
  ended = (): Promise<void> => Promise.resolve(),
): Promise<CloudResult> {
  const { messages, interruption: { signal } } = host;
  const sagemaker = await aws.sagemaker();
  // Before the call, so that a user who kills mlcli knows what costs money.
  messages.state(`Creating ${KIND_NAMES[kind]} ${name} in ${regionWords(sagemaker.region)}`);
  await nothingCreated(kind, () => signal.throwIfAborted(), messages);
  const send = (): Promise<string | undefined> =>
    createTagged(
      input,
      request.tags,
      (input) => sagemaker.createJob(kind, input),
      (reason) =>
        messages.note(
          `The ${KIND_NAMES[kind]} has no mlcli tags, because setting tags failed: ${reason}`,
        ),
    ).catch((error) => {
      throw withoutValues(error, request.variables);
    });
  const arn = await createJob({ kind, name }, send, sagemaker, messages, request);
  const begun = { kind, name, arn };
  tellConsole(begun, messages);
  if (!request.wait) return { lines: [name], described: () => begun };
  const logTo = messages.isQuiet ? undefined : host.err;
  const followed = await followJob({ kind, name }, aws, host, { choice: request, logTo });
  await ended();
  return await endResult(followed, aws, messages);
}

/** Passes each line on once, because several addresses can be in the same bucket. */
export function eachOnce(note: Note): Note {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) note(text);
    said.add(text);
  };
}

/** Does a step before the job is created. If it is interrupted, a warning says that no job was created. */
export async function nothingCreated<T>(
  kind: JobKind,
  before: () => T | Promise<T>,
  messages: Messages,
): Promise<T> {
  try {
    return await before();
  } catch (error) {
    if (error instanceof Interrupted) {
      messages.warning(`Interrupted: no ${KIND_NAMES[kind]} was created`);
    }
    throw error;
  }
}

/**
 * Creates a job. After a failure or an interruption, tells the user whether the job might exist, because an
 * unknown job costs money.
 *
 * @param choice the options of the command, for command lines to paste.
 * @returns its ARN, if known.
 * @throws AwsError if SageMaker refuses, or if the job might exist; Interrupted.
 */
async function createJob(
  job: JobName,
  send: () => Promise<string | undefined>,
  sagemaker: SageMaker,
  messages: Messages,
  choice: AwsOptions,
): Promise<string | undefined> {
  const what = `${KIND_NAMES[job.kind]} ${job.name}`;
  const command = commandFor(job.name, choice);
  const mayExist = `${what} might have been created`;
  const remedy = `Check it: ${command("describe")}. Stop it: ${command("stop-job")}`;
  const warn = () => messages.warning(`Interrupted: ${mayExist}`, remedy);
  try {
    return await send();
  } catch (error) {
    if (error instanceof Interrupted) warn();
    if (!mayBeDone(error)) throw error;
    const found = await orNothing(describeJob(sagemaker, job)).catch((failure) => {
      if (failure instanceof Interrupted) warn();
      if (!(failure instanceof AwsError)) throw failure;
      throw withHint(error, `The outcome is unknown: ${mayExist}. ${remedy}`);
    });
    if (!found) {
      const hint = `No ${KIND_NAMES[job.kind]} was created. ${error.hint ?? ""}`.trimEnd();
      throw withHint(error, hint);
    }
    messages.note(`The response was lost, but ${what} exists`);
    return found.arn;
  }
}
