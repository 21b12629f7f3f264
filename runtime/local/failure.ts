import { join } from "@std/path/join";
import { readOnlyHint } from "../contract/failure_causes.ts";
import { JOBS, PATHS, type ProgramKind } from "../contract/jobs.ts";
import { headlineOf, isShownIn, lastErrorIn, statusInReason } from "../contract/outcome.ts";
import type { Program } from "../contract/launch.ts";
import { UserCodeError } from "../errors.ts";
import type { LastOutput } from "./container/last_output.ts";
import { machineNameHint } from "./container/machine_name.ts";
import type { RunOutcome } from "./container/run.ts";
import { type Importer, missingModuleHintOf } from "./missing_module.ts";
import type { App } from "../app/app.ts";
import type { BatchJob } from "./jobs.ts";
import { type CodeFolder, layoutOf } from "../app/layout.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { COMMON_PATH, isRoot } from "../contract/images.ts";
import { FREES_ENGINE_DISK, saysDiskFull } from "../docker/errors.ts";

export interface FailedRun {
  readonly kind: ProgramKind;
  /** The host that failed; `undefined`: there is but one. */
  readonly host: string | undefined;
  readonly outcome: RunOutcome;
  /** Seconds that it had to end in. */
  readonly grace: number;
  readonly reason: string | undefined;
  /** Path, as the user types it, of a reason that may be another run's. */
  readonly unquoted: string | undefined;
  readonly lastOutput: LastOutput;
  /** Who the image's programs run as, as its Dockerfile says. */
  readonly user: string | undefined;
  /** Whether its code could read what is typed. */
  readonly interactive: boolean;
  readonly importer: Importer;
  /** What started the code, where it is not the image's entry point. */
  readonly launcher: Program["launcher"] | undefined;
  readonly asked: Pick<BatchJob, "network" | "strict">;
  /** What to do first, where it is not what its code said. */
  readonly hint: string | undefined;
  /** What to do where nothing else is known. */
  readonly lastHint: string | undefined;
}

export async function failureOf(
  {
    kind,
    host,
    outcome,
    grace,
    reason = "",
    unquoted,
    lastOutput,
    user,
    interactive,
    importer,
    launcher,
    asked,
    hint: first,
    lastHint,
  }: FailedRun,
): Promise<UserCodeError> {
  const { status, words, stoppedWithin } = outcome;
  const { title } = JOBS[kind];
  const failed = host === undefined ? `${title} failed` : `${title} failed on ${host}`;
  if (stoppedWithin !== undefined) {
    return new UserCodeError(status, `${title} did not end within ${grace} s: ${words}`, {
      hint: first ?? (launcher === "toolkit" ? TOOLKIT_STOP : NO_STOP),
    });
  }
  const toolkitStatus = statusInReason(reason);
  const printed = status === 1 && (toolkitStatus ?? "1") === "1"
    ? printedError(reason, launcher, lastOutput)
    : undefined;
  const headline = printed ?? headlineOf(reason);
  const last = headline ?? lastOutput.lastError;
  const hint = first ?? outcome.hint ?? (interactive ? undefined : debuggerHint(kind, headline)) ??
    permissionHint(last, user, importer) ??
    readOnlyHint({ kind, reason: last, log: [] }) ??
    codeHint(last, importer.app) ?? channelHint(last, importer.app) ??
    // Before lookupHint, which matches all failed lookups.
    machineNameHint(last, lastOutput.text, asked) ??
    (host === undefined ? undefined : lookupHint(last)) ??
    await fullDiskHint(last, importer.app.directory) ??
    await missingModuleHintOf(last, importer) ??
    (unquoted &&
      `Another run of the app was there at the same time: what ${unquoted} says may be its.`) ??
    (launcher === "toolkit" && printed === undefined ? toolkitHint(toolkitStatus) : undefined) ??
    lastHint;
  return headline !== undefined && (reason === "" || isShownIn(reason, lastOutput.text))
    ? new UserCodeError(status, `${failed}: ${headline} (${inBrackets(words)})`, { hint })
    : new UserCodeError(status, `${failed}: ${words}`, { quote: reason, hint });
}

/** A script's own end leaves no reason; not all of AWS's toolkits keep what their program said. */
function printedError(
  reason: string,
  launcher: Program["launcher"] | undefined,
  { text, lastError }: LastOutput,
): string | undefined {
  const isKept = launcher === "toolkit"
    ? !/^\w+Error(, exit code 1)?:?$/.test(headlineOf(reason) ?? "")
    : launcher !== "script" || reason !== "";
  if (isKept) return undefined;
  const error = lastErrorIn(text);
  // What nobody caught is the last that a script prints.
  return launcher === "toolkit" || error === headlineOf(lastError) ? error : undefined;
}

const NO_STOP = "SIGTERM is all that SageMaker says before it kills: save there, and end.";

/** sagemaker-training 5.1.4: `trainer.py` ends with 1, and nothing handles SIGTERM (its issue 125). */
const TOOLKIT_STOP =
  "AWS's toolkit, which runs your script, does not pass SIGTERM on, here and on " +
  "SageMaker: save checkpoints as you go. --launcher script passes it on.";

/** @param status of the user's program; `undefined`: the toolkit does not say it. */
function toolkitHint(status: string | undefined): string | undefined {
  if (status === "1") return undefined;
  return `Your script ended ${
    status === undefined ? "badly" : `with ${status}`
  }; AWS's toolkit, which ` +
    "ran it, ends with 1 whatever its status is, here and on SageMaker. --launcher script ends " +
    "with the script's own.";
}

/** What to do where the harness finds no code to run (`train.py`), which names its path in the container. */
export function codeHint(words: string, app: App): string | undefined {
  if (!/\bTraining code not found: /.test(words)) return undefined;
  const folder = typedPath(app.directory, layoutOf(app).training);
  return `Has the file another name? It is ${folder}/training.py that runs.`;
}

/** Returns what to do if Python or Go could not resolve a name. */
function lookupHint(words: string): string | undefined {
  if (!/Name or service not known|Temporary failure in name resolution|no such host/.test(words)) {
    return undefined;
  }
  return "The other hosts may not have names yet when one starts, on SageMaker too: look them up " +
    "again for some minutes. (--strict starts algo-1 three seconds late.)";
}

/** A directory without a file is no channel for code of the user's own. */
function channelHint(words: string, app: App): string | undefined {
  const [, name] = /^KeyError: 'SM_CHANNEL_([A-Z\d_-]+)'$/.exec(words) ?? [];
  if (name === undefined) return undefined;
  const layout = layoutOf(app);
  const folder = typedPath(layout.directory, join(layout.inputData, name.toLowerCase()));
  return `Put data into ${shellWord(folder)}, or name some: --input ${name.toLowerCase()}=DIR. ` +
    "Without data there is no such channel, on SageMaker either.";
}

/** What to do about what `breakpoint()` raises where nobody can type (Python's `bdb.py`). */
function debuggerHint(kind: ProgramKind, headline: string | undefined): string | undefined {
  if (headline === undefined || !/\bBdbQuit\b/.test(headline)) return undefined;
  return `mlcli local ${kind} --interactive lets you type at breakpoint().`;
}

/** `exit status 137: ended by SIGKILL`, to stand in brackets. */
function inBrackets(words: string): string {
  return words.replace(/ \((.*)\)$/, ": $1");
}

/** Python's words (PEP 3151), with the path. */
const REFUSED = /\[Errno 13\] Permission denied: '([^']+)'/;

/**
 * The hint; `undefined` where something else is the matter.
 *
 * @param words the line with which the code ended.
 * @param user who the image's programs run as, as its Dockerfile says.
 */
export function permissionHint(
  words: string,
  user: string | undefined,
  { app, code }: { readonly app: App; readonly code: CodeFolder },
): string | undefined {
  const path = REFUSED.exec(words)?.[1];
  if (path === undefined || isRoot(user)) return undefined;
  const layout = layoutOf(app);
  const places: readonly (readonly [inside: string, folder: string, mode: string])[] = [
    [PATHS.code, layout[code], "o+rX"],
    [COMMON_PATH, layout.common, "o+rX"],
    [PATHS.input, layout.input, "o+rX"],
    [PATHS.processingInput, layout.processingData, "o+rX"],
    [PATHS.model, layout.model, "o+rwX"],
    [PATHS.checkpoints, layout.checkpoints, "o+rwX"],
    [PATHS.processingOutput, layout.output, "o+rwX"],
    [PATHS.output, layout.output, "o+rwX"],
  ];
  const place = places.find(([inside]) => `${path}/`.startsWith(`${inside}/`));
  if (place === undefined) return undefined;
  const [, folder, mode] = place;
  const shown = shellWord(typedPath(layout.directory, folder));
  return `The image's programs run as user ${user}, whom ${shown} is closed to: chmod -R ${mode} ${shown}`;
}

/** With less room than this, in bytes, a disk counts as full: what failed was larger, mostly. */
const FULL = 1024 ** 2;

const APP = "The disk that holds the app is full: free some space there, and run it again.";
const SHARED_MEMORY = "/dev/shm is full: --shm-size gives more.";
const OTHER =
  "The disk that holds the app has room. It may be /dev/shm (--shm-size gives more), or the disk of " +
  `the Docker Engine, which has what is written elsewhere: ${FREES_ENGINE_DISK}`;

/**
 * The hint for a failure in which the code said that a disk is full; `undefined` for others. Which one
 * that is shows in the path, where Python puts one behind its words, or on the disk.
 *
 * @param words the line with which the code ended.
 * @param directory of the app, on this machine.
 */
export async function fullDiskHint(words: string, directory: string): Promise<string | undefined> {
  if (!saysDiskFull(words)) return undefined;
  if (words.includes("/dev/shm")) return SHARED_MEMORY;
  return words.includes("/opt/ml/") || await isFull(directory) ? APP : OTHER;
}

/** Of an engine on another machine, this is not the disk either. */
async function isFull(directory: string): Promise<boolean> {
  const { statfs } = await import("node:fs/promises");
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined) return false;
  const { bavail, bsize, files, ffree } = disk;
  // Some file systems do not count files.
  return bavail * bsize < FULL || (files > 0 && ffree === 0);
}
