import type { Aws } from "../../aws/aws.ts";
import { AwsError, mayBeDone, orNothing, withHint } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { ProcessingJobInput, TrainingJobInput } from "../../aws/sagemaker_jobs.ts";
import { type AwsOptions, regionWords } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { platformJobName } from "../../contract/names.ts";
import { Interrupted } from "../../errors.ts";
import { printableJson } from "../../text.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { connectFor } from "../connection.ts";
import { inOrder, type Note } from "../in_parallel.ts";
import { commandFor, describeJob, type JobName, KIND_WORDS } from "../jobs/job.ts";
import { reportEnd } from "../jobs/end.ts";
import { followJob, type JobReport } from "../jobs/follow.ts";
import { imageForJob } from "../preflight/image.ts";
import { isAboutTags, withTags } from "../tags.ts";
import { type JobRequest, type PlannedJob, shownCall, withoutValues } from "./plan.ts";

/** What starting a job may touch of the world. */
export type JobHost = Pick<Context, "env" | "aws" | "engine" | "interruption" | "clock">;

/** What only the kind of a job knows. */
export interface Startable<Input extends TrainingJobInput | ProcessingJobInput, Data> {
  readonly kind: JobKind;
  readonly action: string;
  readonly request: JobRequest;
  /** The parts of `request` that are required, and were. */
  readonly role: string;
  readonly instanceType: string;
  /** Looks at what the job reads and writes; changes nothing. */
  readonly lookAtData: (aws: Aws, note: Note) => Promise<Data>;
  /** Looks at what the job needs of its image. */
  readonly lookAtImage: (note: Note) => Promise<void>;
  readonly plan: (common: Omit<PlannedJob, "output">, data: Data) => Input;
  readonly send: (sagemaker: SageMaker, input: Input) => Promise<void>;
}

/** A name for a new job of an app. */
export function newJobName({ app, baseJobName }: JobRequest, { clock }: JobHost): string {
  return platformJobName(baseJobName ?? app.name, clock.date().toISOString());
}

/**
 * Checks, creates and follows a job; with `dryRun`, checks it and tells the call.
 *
 * @param name of the job.
 * @throws MlcliError for what would go wrong, before anything is changed, or did.
 */
export async function startJob<Input extends TrainingJobInput | ProcessingJobInput, Data>(
  name: string,
  startable: Startable<Input, Data>,
  choice: AwsOptions,
  host: JobHost,
  report: JobReport,
): Promise<void> {
  const { kind, request, role, instanceType } = startable;
  const { app, tag, repository } = request;
  const aws = await connectFor(app, choice, host);
  report.progress(`Checking what the ${KIND_WORDS[kind]} needs`, 0);
  const checked = inOrder(
    eachOnce((text) => report.note(text)),
    async (note) => {
      const use = { ecr: await aws.ecr(), engine: host.engine };
      return await imageForJob({ app, tag, repository, instanceType }, use, note);
    },
    startable.lookAtImage,
    (note) => startable.lookAtData(aws, note),
    () => requireOwnKey(aws, request, kind),
  );
  const [image, , data] = await nothingCreated(kind, checked, report);
  const input = startable.plan(
    { ...request, name, appName: app.name, image, role, instanceType },
    data,
  );
  if (request.dryRun) {
    return report.result(printableJson([shownCall(startable.action, input)], 2));
  }
  const sagemaker = await aws.sagemaker();
  // Before it is there: whoever kills mlcli right then knows what costs money.
  report.note(`Creating ${KIND_WORDS[kind]} ${name} in ${regionWords(sagemaker.region)}`);
  await createJob(
    {
      job: { kind, name },
      send: (withOwnTags) =>
        startable.send(sagemaker, withOwnTags ? input : withTags(input, request.tags))
          .catch((error) => {
            throw withoutValues(error, request.variables);
          }),
      hasUserTags: Object.keys(request.tags).length > 0,
      choice,
    },
    sagemaker,
    host.interruption.signal,
    report,
  );
  if (!request.wait) return report.result(name);
  await reportEnd(await followJob({ kind, name }, aws, host, report, { choice }), aws, report);
}

/** Passes each line on once: several addresses may lie in one bucket that may not be asked about. */
function eachOnce(note: Note): Note {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) note(text);
    said.add(text);
  };
}

/** How to create it. */
export interface Creation {
  readonly job: JobName;
  /** Sends the call; with the user's own tags alone where mlcli's may not be there. */
  readonly send: (withOwnTags: boolean) => Promise<void>;
  /** Whether the user gave tags: then the job is not to be without. */
  readonly hasUserTags: boolean;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/**
 * Creates a job. What exists after a failure or an interruption is told: a job that nobody knows of
 * costs money.
 *
 * @throws AwsError when the service refuses, or the job may be there; Interrupted.
 */
export async function createJob(
  creation: Creation,
  sagemaker: SageMaker,
  signal: AbortSignal,
  report: Pick<JobReport, "note">,
): Promise<void> {
  await nothingCreated(creation.job.kind, notAborted(signal), report);
  try {
    await sendWithTags(creation, report);
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(`Interrupted: ${mayExist(creation)}`);
      throw error;
    }
    if (!mayBeDone(error)) throw error;
    if (!await isThere(creation, sagemaker, error, report)) throw notCreated(creation, error);
    report.note(
      `The answer was lost, but ${KIND_WORDS[creation.job.kind]} ${creation.job.name} is there.`,
    );
  }
}

/** Waits for what comes before a job; where that is interrupted, says that there is none. */
export async function nothingCreated<T>(
  kind: JobKind,
  before: Promise<T>,
  report: Pick<JobReport, "note">,
): Promise<T> {
  try {
    return await before;
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(`Interrupted: no ${KIND_WORDS[kind]} was created.`);
    }
    throw error;
  }
}

// deno-lint-ignore require-await -- a rejection, as of what else is waited for
async function notAborted(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
}

async function sendWithTags(
  { send, hasUserTags, job }: Creation,
  report: Pick<JobReport, "note">,
): Promise<void> {
  try {
    await send(true);
  } catch (error) {
    if (!isAboutTags(error) || hasUserTags) throw error;
    report.note(
      `Without mlcli's tags, which the ${KIND_WORDS[job.kind]} may not have: ${error.message}`,
    );
    await send(false);
  }
}

/** Whether the service has the job. */
async function isThere(
  creation: Creation,
  sagemaker: SageMaker,
  failure: AwsError,
  report: Pick<JobReport, "note">,
): Promise<boolean> {
  try {
    return await orNothing(describeJob(sagemaker, creation.job)) !== undefined;
  } catch (error) {
    if (error instanceof Interrupted) report.note(`Interrupted: ${mayExist(creation)}`);
    if (!(error instanceof AwsError)) throw error;
    throw withHint(failure, `Nobody knows: ${mayExist(creation)}`);
  }
}

function notCreated({ job }: Creation, failure: AwsError): AwsError {
  return withHint(
    failure,
    `No ${KIND_WORDS[job.kind]} was created. ${failure.hint ?? ""}`.trimEnd(),
  );
}

function mayExist({ job: { kind, name }, choice }: Creation): string {
  const command = commandFor(name, choice);
  return `${KIND_WORDS[kind]} ${name} may have been created. ${command("describe")} shows it, ` +
    `${command("stop-job")} stops it.`;
}
