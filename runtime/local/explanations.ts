/**
 * Explains why the code of a run failed: by the error it ended with, its traceback, and what the run
 * gave it.
 */

import type { App } from "../app/app.ts";
import type { CodeFolder } from "../app/layout.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { readOnlyHint } from "../contract/failure_causes.ts";
import { COMMON_PATH, isRoot } from "../contract/images.ts";
import { PATHS } from "../contract/jobs.ts";
import { FREES_ENGINE_DISK, saysDiskFull } from "../docker/errors.ts";
import { argumentHint, jsonHint } from "./bad_arguments.ts";
import { machineNameHint } from "./container/machine_name.ts";
import type { FailedCode } from "./failed_code.ts";
import { channelHint, noneHint } from "./missing_channel.ts";
import { missingFileHint } from "./missing_file.ts";
import { missingModuleHintOf } from "./missing_module.ts";

/**
 * Returns what to do about the error with which the code ended; `undefined` if its cause is unknown.
 * Certain causes come before likely ones.
 */
export async function explanationOf(code: FailedCode): Promise<string | undefined> {
  const { kind, host, words, output, user, importer, asked } = code;
  return debuggerHint(code) ??
    permissionHint(words, user, importer) ??
    readOnlyHint({ kind, reason: words, log: [] }) ??
    codeHint(words, importer.app) ??
    await missingFileHint(code) ??
    channelHint(code) ??
    await noneHint(code) ??
    argumentHint(code) ??
    jsonHint(code) ??
    awsHint(code) ??
    // Before lookupHint, which matches every name that cannot be resolved.
    machineNameHint(words, output, asked) ??
    (host === undefined ? undefined : lookupHint(words)) ??
    await fullDiskHint(words, importer.app.directory) ??
    await missingModuleHintOf(words, importer);
}

/** botocore, and the SDKs for Java and JavaScript. */
const NO_CREDENTIALS =
  /\bNoCredentialsError\b|Unable to locate credentials|Unable to load (?:AWS )?credentials|Could not load credentials|\bPartialCredentialsError\b/;
const NOT_ACCEPTED =
  /\bExpiredToken(?:Exception)?\b|security token included in the request is (?:expired|invalid)|provided token has expired|\bInvalidClientTokenId\b|\bUnrecognizedClientException\b/;

/** Returns what to do if the code's AWS client has no credentials or no region. */
function awsHint({ words, kind, asked }: FailedCode): string | undefined {
  if (/\bNoRegionError\b|You must specify a region\b/.test(words)) {
    return "Pass the region in the code, because boto3 does not read AWS_REGION, which SageMaker " +
      'sets: boto3.client("s3", region_name=os.environ["AWS_REGION"])';
  }
  if (asked.lender !== undefined) {
    return /Expired|expired/.test(words) && NOT_ACCEPTED.test(words)
      ? "Use a profile whose session lasts longer, such as one of aws sso login: the credentials " +
        "of --aws-credentials have expired"
      : undefined;
  }
  const pass = asked.strict
    ? 'Run eval "$(aws configure export-credentials --format env)", then pass --env ' +
      "AWS_ACCESS_KEY_ID --env AWS_SECRET_ACCESS_KEY (and --env AWS_SESSION_TOKEN if it is set)"
    : `Pass the credentials of an AWS profile: mlcli local ${kind} --aws-credentials PROFILE`;
  if (NO_CREDENTIALS.test(words)) {
    return `The code has AWS credentials only on SageMaker, from the execution role. ${pass}`;
  }
  if (!NOT_ACCEPTED.test(words)) return undefined;
  return `The credentials have expired, or AWS_SESSION_TOKEN is missing. ${pass}`;
}

/** Returns what to do if the harness (`train.py`) finds no code to run, or cannot call it. */
export function codeHint(words: string, app: App): string | undefined {
  if (/\bTraining code not found: /.test(words)) {
    const folder = typedPath(app, app.paths.training);
    return `Name the file with your train() function ${folder}/training.py`;
  }
  return /\. Define train\(/.test(words)
    ? "Add a third parameter to train() if it uses hyperparameters"
    : undefined;
}

/** Returns what to do if Python or Go could not resolve a name. */
function lookupHint(words: string): string | undefined {
  if (!/Name or service not known|Temporary failure in name resolution|no such host/.test(words)) {
    return undefined;
  }
  return "Retry the lookup for a few minutes: when a host starts, the names of the others might not " +
    "resolve yet, also on SageMaker. With --strict, algo-1 starts 3 s late.";
}

/** Returns what to do if `breakpoint()` has no terminal to read from (Python's `bdb.py`). */
function debuggerHint({ interactive, kind, words }: FailedCode): string | undefined {
  if (interactive || !/\bBdbQuit\b/.test(words)) return undefined;
  return `To use breakpoint(), run mlcli local ${kind} --interactive`;
}

/** Python's words (PEP 3151), with the path. */
const REFUSED = /\[Errno 13\] Permission denied: '([^']+)'/;

/**
 * Returns how to open a file to the image's user; `undefined` for other errors.
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
  const layout = app.paths;
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
  const shown = shellWord(typedPath(layout, folder));
  return `Let the image's user (${user}) access ${shown}: chmod -R ${mode} ${shown}`;
}

/** With less room than this, in bytes, a disk counts as full: what failed was larger, mostly. */
const FULL = 1024 ** 2;

const APP = "Free some space on the disk that contains the app, then run the command again";
const SHARED_MEMORY = "Increase --shm-size: /dev/shm is full";
const OTHER =
  "Increase --shm-size if /dev/shm is full, or free space on the disk of the Docker Engine: " +
  FREES_ENGINE_DISK;

/**
 * Returns what to do if the code said that a disk is full; `undefined` for other errors. The path in the
 * error, if Python names one, or the state of the disk tells which disk is full.
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
