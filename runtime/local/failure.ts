/**
 * Why a run failed, as an error: what the code gave as its reason, unless it has been read already.
 *
 * @module
 */

import { readOnlyHint } from "../contract/failure_causes.ts";
import { type JobKind, JOBS } from "../contract/jobs.ts";
import { headlineOf, isTold } from "../contract/outcome.ts";
import { UserCodeError } from "../errors.ts";
import type { Heard } from "./container/heard.ts";
import type { RunOutcome } from "./container/run.ts";
import { fullDiskHint } from "./full_disk.ts";
import { permissionHint } from "./permission_hint.ts";
import { type Importer, missingModuleHintOf } from "./missing_module.ts";

/** A run that failed. */
export interface FailedRun {
  readonly kind: JobKind;
  readonly outcome: RunOutcome;
  /** Seconds that it had to end in. */
  readonly grace: number;
  /** The reason that its code gave. */
  readonly reason: string | undefined;
  /** Path, as the user types it, of a reason that may be another run's. */
  readonly unquoted: string | undefined;
  readonly heard: Heard;
  /** Who the image's programs run as, as its Dockerfile says. */
  readonly user: string | undefined;
  /** Whether its code could read what is typed. */
  readonly interactive: boolean;
  readonly importer: Importer;
  /** What to do first, where it is not what its code said. */
  readonly hint: string | undefined;
}

/** The error for it. */
export async function failureOf(
  { kind, outcome, grace, reason = "", unquoted, heard, user, interactive, importer, hint: first }:
    FailedRun,
): Promise<UserCodeError> {
  const { status, words, stoppedWithin } = outcome;
  const { title } = JOBS[kind];
  if (stoppedWithin !== undefined) {
    return new UserCodeError(status, `${title} did not end within ${grace} s: ${words}`, {
      hint: first ?? "SIGTERM is all that the platform says before it kills: save there, and end.",
    });
  }
  const headline = headlineOf(reason);
  const last = headline ?? heard.lastError;
  const hint = first ?? outcome.hint ?? (interactive ? undefined : debuggerHint(kind, headline)) ??
    permissionHint(last, user, importer) ?? readOnlyHint({ kind, reason: last, log: [] }) ??
    await fullDiskHint(last, importer.app.directory) ?? await missingModuleHintOf(last, importer) ??
    unquotedHint(unquoted);
  return headline !== undefined && isTold(reason, heard.text)
    ? new UserCodeError(status, `${title} failed: ${headline} (${inBrackets(words)})`, { hint })
    : new UserCodeError(status, `${title} failed: ${words}`, { quote: reason, hint });
}

/** What to do about what `breakpoint()` raises where nobody can type (Python's `bdb.py`). */
function debuggerHint(kind: JobKind, headline: string | undefined): string | undefined {
  if (headline === undefined || !/\bBdbQuit\b/.test(headline)) return undefined;
  return `mlcli local ${kind} --interactive lets you type at breakpoint().`;
}

/** Where words are that may be another run's. */
function unquotedHint(path: string | undefined): string | undefined {
  return path && `Another run of the app was there at the same time: what ${path} says may be its.`;
}

/** `exit status 137: ended by SIGKILL`, to stand in brackets. */
function inBrackets(words: string): string {
  return words.replace(/ \((.*)\)$/, ": $1");
}
