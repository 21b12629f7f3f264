/**
 * What `train` and `process` have in common: a container that runs the user's code to its end, and
 * the truth about how it ended.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Caller } from "../context.ts";
import type { CreateBody, Engine } from "../docker/engine.ts";
import { isSystemError, messageOf, MlcliError, UserCodeError } from "../errors.ts";
import { realPathOf, removeIfThere, removeTreeIfThere } from "../files.ts";
import type { Layout } from "../app/layout.ts";
import { makeDirectory } from "./container/create.ts";
import { holdsHarness, requireImage } from "./container/image.ts";
import { handToCaller, type Owners, ownersOf } from "./ownership.ts";
import { type RunConsole, type RunOutcome, runToEnd } from "./container/run.ts";

/** The platform shows this much of a failure file: DescribeTrainingJob, FailureReason. */
const FAILURE_LENGTH = 1024;
/** At most, in UTF-8. */
const BYTES_PER_CHARACTER = 4;

/** A job for a container. */
export interface Job {
  readonly engine: Engine;
  readonly layout: Layout;
  /** `name:tag` */
  readonly image: string;
  readonly caller: Caller | undefined;
  readonly console: RunConsole;
  /** What runs, for messages: `Training`, `Processing`. */
  readonly title: string;
  /** The file below `/opt/ml/output` in which the code says why it failed. */
  readonly reasonFile: "failure" | "message";
  /** Holds that nothing that is mounted leads out of the app's repository. */
  readonly checkPaths: () => Promise<void>;
}

/** A name for a container of this run. */
export function jobName(app: string, role: "train" | "process"): string {
  return `mlcli-${app}-${role}-${crypto.randomUUID().slice(0, 8)}`;
}

/**
 * Runs the job.
 *
 * @param plan the container to create.
 * @throws UserCodeError when the user's code ended with a status other than 0.
 */
export async function runJob(
  job: Job,
  name: string,
  plan: (withInit: boolean) => CreateBody,
): Promise<void> {
  const { layout, engine } = job;
  const body = plan(holdsHarness(await requireImage(engine, job.image)));
  await job.checkPaths();
  for (const directory of [layout.model, layout.output]) await makeDirectory(directory);
  const reasonPath = join(layout.output, job.reasonFile);
  // An earlier run's reason must not be told as this one's. Behind a link, a directory of that name
  // is somebody's work.
  if (await realPathOf(layout.output) === layout.output) await removeTreeIfThere(reasonPath);
  else await removeIfThere(reasonPath).catch(() => {});
  // The platform's tools write there without making it.
  await makeDirectory(join(layout.output, "data"));
  const before = await ownersOf([layout.model, layout.output], job.caller);
  let outcome: RunOutcome;
  try {
    outcome = await runToEnd(engine, name, body, job.console);
  } finally {
    await handOver(job, before);
  }
  if (outcome.status !== 0) throw await failure(job, outcome, reasonPath);
}

/** A failure is only warned of: how the run ended matters more. */
async function handOver(job: Job, before: Owners | undefined): Promise<void> {
  const warn = (message: string, hint?: string) =>
    job.console.err.print(`warning: ${message}\n${hint ? `hint: ${hint}\n` : ""}`);
  if (before === undefined) return;
  try {
    await handToCaller(job.engine, job.image, before, warn, job.console.interruption.force);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    warn(messageOf(error), error instanceof MlcliError ? error.hint : undefined);
  }
}

async function failure(job: Job, outcome: RunOutcome, reasonPath: string): Promise<UserCodeError> {
  const { status, words, hint } = outcome;
  return new UserCodeError(status, `${job.title} failed: ${words}`, {
    quote: await readStart(reasonPath),
    hint,
  });
}

/** The start of a file that user code wrote, which may be anything: a pipe, a link, a disk's worth. */
async function readStart(path: string): Promise<string | undefined> {
  try {
    if (!(await Deno.lstat(path)).isFile) return undefined;
    using file = await Deno.open(path);
    const buffer = new Uint8Array(FAILURE_LENGTH * BYTES_PER_CHARACTER);
    const length = await file.read(buffer) ?? 0;
    const text = new TextDecoder().decode(buffer.subarray(0, length)).slice(0, FAILURE_LENGTH);
    // Control characters are for the terminal of whoever wrote them.
    return text.replace(/(?![\n\t])\p{Cc}/gu, "");
  } catch {
    return undefined; // the code gave no reason
  }
}
