/**
 * What `train` and `process` have in common: a container that runs the user's code to its end, and
 * the report of how it ended.
 *
 * @module
 */

import { join } from "@std/path/join";
import { imageReference } from "../app/app.ts";
import { type CodeFolder, layoutOf } from "../app/layout.ts";
import { type JobKind, JOBS } from "../contract/jobs.ts";
import { failureReason, REASON_BYTES } from "../contract/outcome.ts";
import type { CreateBody } from "../docker/engine.ts";
import { isSystemError, messageOf, MlcliError, UserCodeError } from "../errors.ts";
import { makeDirectory, realPathOf, removeIfThere, removeTreeIfThere } from "../files.ts";
import { holdsHarness } from "../images.ts";
import { codeFolderOf } from "./code.ts";
import { requireImage } from "./container/image.ts";
import { runContainer, type RunOutcome } from "./container/run.ts";
import type { Host, LocalJob } from "./jobs.ts";
import { handToCaller, type Owners, ownersOf } from "./ownership.ts";
import type { OfImage } from "./plan.ts";

/** Where the code of each kind of job lies. */
const CODE: Readonly<Record<JobKind, CodeFolder>> = { train: "training", process: "processing" };

/** One run of a job. */
export interface JobRun {
  readonly kind: JobKind;
  /** The container's name. */
  readonly name: string;
  /** Requires that nothing that is mounted leads out of the app's repository. */
  readonly checkPaths: () => Promise<void>;
  /** The container to create. */
  readonly plan: (ofImage: OfImage) => CreateBody;
}

/**
 * Runs the job.
 *
 * @throws UserCodeError when the user's code ended with a status other than 0.
 */
export async function runJob(job: LocalJob, run: JobRun, host: Host): Promise<void> {
  const layout = layoutOf(job.app);
  const engine = await host.engine();
  const image = await requireImage(engine, imageReference(job.app, job.tag));
  await run.checkPaths();
  const codeFolder = await codeFolderOf(layout, CODE[run.kind], image, (text) => {
    host.err.print(`note: ${text}\n`);
  });
  const body = run.plan({ withInit: holdsHarness(image), codeFolder });
  for (const directory of [layout.model, layout.output]) await makeDirectory(directory);
  const reasonPath = join(layout.output, JOBS[run.kind].reasonFile);
  // An earlier run's reason must not be reported as this one's. If `output` is a link, a directory
  // of that name may be somebody's work, and stays.
  if (await realPathOf(layout.output) === layout.output) await removeTreeIfThere(reasonPath);
  else await removeIfThere(reasonPath).catch(() => {});
  // SageMaker's toolkits write there without making it.
  await makeDirectory(join(layout.output, "data"));
  const before = await ownersOf([layout.model, layout.output], host.caller);
  let outcome: RunOutcome;
  try {
    outcome = await runContainer(engine, run.name, body, host);
  } finally {
    await handOver(body.Image, before, host);
  }
  if (outcome.cause !== undefined) throw outcome.cause;
  if (outcome.status !== 0) throw await failure(run.kind, outcome, reasonPath);
}

/** A failure here is only a warning: how the run ended matters more. */
async function handOver(image: string, before: Owners | undefined, host: Host): Promise<void> {
  const warn = (message: string, hint?: string) =>
    host.err.print(`warning: ${message}\n${hint ? `hint: ${hint}\n` : ""}`);
  if (before === undefined) return;
  try {
    await handToCaller(await host.engine(), image, before, warn, host.interruption.force);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    warn(messageOf(error), error instanceof MlcliError ? error.hint : undefined);
  }
}

async function failure(
  kind: JobKind,
  { status, words, hint }: RunOutcome,
  reasonPath: string,
): Promise<UserCodeError> {
  return new UserCodeError(status, `${JOBS[kind].title} failed: ${words}`, {
    quote: await reasonIn(reasonPath),
    hint,
  });
}

/** The reason that user code wrote. It may be anything: a pipe, a link, a file of any size. */
async function reasonIn(path: string): Promise<string | undefined> {
  try {
    if (!(await Deno.lstat(path)).isFile) return undefined;
    using file = await Deno.open(path);
    const buffer = new Uint8Array(REASON_BYTES);
    const length = await file.read(buffer) ?? 0;
    return failureReason(buffer.subarray(0, length));
  } catch {
    return undefined; // the code gave no reason
  }
}
