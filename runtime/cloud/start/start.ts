/**
 * Starting a job of either kind: everything is checked, then it is created, then followed.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { ProcessingJobInput, TrainingJobInput } from "../../aws/sagemaker_jobs.ts";
import { type AwsOptions, regionWords } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import { platformJobName } from "../../contract/names.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { printableJson } from "../../text.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { connectFor } from "../connection.ts";
import { reportEnd } from "../jobs/end.ts";
import { followJob } from "../jobs/follow.ts";
import { KIND_WORDS } from "../jobs/job.ts";
import type { JobReport } from "../jobs/report.ts";
import { imageForJob } from "../preflight/image.ts";
import { withTags } from "../tags.ts";
import { createJob, nothingCreated } from "./create.ts";
import { withoutValues } from "./hidden_values.ts";
import { inOrder, type Note } from "./in_order.ts";
import { type PlannedJob, shownCall } from "./plan.ts";
import type { JobRequest } from "./request.ts";

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
