/** Says why a run failed: an error with the code's own words, the place of the error, and a hint. */

import { JOBS } from "../contract/jobs.ts";
import { headlineOf, isShownIn, lastErrorIn, statusInReason } from "../contract/outcome.ts";
import { raisedAs, userPlace, withoutPlace } from "../contract/tracebacks.ts";
import { UserCodeError } from "../errors.ts";
import type { LastOutput } from "./container/last_output.ts";
import type { RunOutcome } from "./container/run.ts";
import { explanationOf } from "./explanations.ts";
import type { FailedCode } from "./failed_code.ts";
import { missingPath } from "./missing_file.ts";

export interface FailedRun extends Omit<FailedCode, "words" | "raised" | "output"> {
  readonly outcome: RunOutcome;
  /** Seconds that it had to end in. */
  readonly grace: number;
  readonly reason: string | undefined;
  /** Path, as the user types it, of a reason that may be another run's. */
  readonly unquoted: string | undefined;
  readonly lastOutput: LastOutput;
  /** The first hint, whatever the code printed. */
  readonly hint: string | undefined;
  /** The build, if the app's files differ from the image's. */
  readonly remedy: string | undefined;
}

export async function failureOf(run: FailedRun): Promise<UserCodeError> {
  const { kind, host, outcome, grace, reason = "", unquoted, lastOutput, launcher } = run;
  const { status, words, stoppedWithin } = outcome;
  const { title } = JOBS[kind];
  const failed = host === undefined ? `${title} failed` : `${title} failed on ${host}`;
  if (stoppedWithin !== undefined) {
    return new UserCodeError(status, `${title} did not stop within ${grace} s: ${words}`, {
      hint: run.hint ?? run.remedyOfOtherCode ??
        (launcher === "toolkit" ? TOOLKIT_STOP : NO_STOP),
    });
  }
  const toolkitStatus = statusInReason(reason);
  const printed = printedError(run, toolkitStatus);
  const headline = printed ?? headlineOf(reason);
  const last = headline ?? lastOutput.lastError;
  const raised = raisedAs(last, `${reason}\n${lastOutput.text}`);
  // A new build does not bring a file of the user's data.
  const isMissingFile = missingPath(last) !== undefined;
  const code = { ...run, words: last, raised, output: lastOutput.text };
  const hint = run.hint ?? (isMissingFile ? undefined : run.remedyOfOtherCode) ?? outcome.hint ??
    // An explanation that fails must not replace the failure.
    await explanationOf(code).catch(() => undefined) ??
    (unquoted &&
      `Check ${unquoted}: another run of the app was active and might have written this file`) ??
    (launcher === "toolkit" && printed === undefined ? toolkitHint(toolkitStatus) : undefined) ??
    (run.remedy && !isMissingFile
      ? `If your changes since the last build are the cause, rebuild: ${run.remedy}`
      : undefined);
  if (headline === undefined || (reason !== "" && !isShownIn(reason, lastOutput.text))) {
    return new UserCodeError(status, `${failed}: ${words}`, { quote: reason, hint });
  }
  const place = raised && userPlace(raised);
  // Python exits with 1 after an uncaught error.
  const ended = place !== undefined && words === "exit code 1" ? [] : [inBrackets(words)];
  const where = [...place === undefined ? [] : [place], ...ended].join("; ");
  const error = place === undefined ? headline : withoutPlace(headline);
  return new UserCodeError(status, `${failed}: ${error} (${where})`, { hint });
}

/**
 * Returns the error that the code printed, if its reason lacks it: only mlcli's harness and AWS's toolkits
 * leave a reason, and not all of the toolkits keep what their program said.
 */
function printedError(
  { reason = "", launcher, lastOutput: { text, lastError }, outcome: { status } }: FailedRun,
  toolkitStatus: string | undefined,
): string | undefined {
  if (status === 2 && reason === "" && USAGE_ERROR.test(lastError)) return headlineOf(lastError);
  if (status !== 1 || (toolkitStatus ?? "1") !== "1") return undefined;
  const isKept = launcher === "toolkit"
    ? !/^\w+Error(, exit code 1)?:?$/.test(headlineOf(reason) ?? "")
    : reason !== "";
  if (isKept) return undefined;
  const error = lastErrorIn(text);
  // An uncaught error is the last line that a script prints.
  return launcher === "toolkit" || error === headlineOf(lastError) ? error : undefined;
}

/** The last line of argparse (`PROGRAM: error: ...`) and of click (`Error: ...`). */
const USAGE_ERROR = /^(?:.{1,200}: error|Error): \S/;

const NO_STOP = "Save results and exit on SIGTERM: SageMaker sends only this signal before SIGKILL";

/** sagemaker-training 5.1.4: `trainer.py` ends with 1, and nothing handles SIGTERM (its issue 125). */
const TOOLKIT_STOP =
  "Save checkpoints regularly, or use --launcher script: AWS's toolkit does not forward SIGTERM " +
  "to your script, neither locally nor on SageMaker";

/** @param status of the user's program; `undefined`: the toolkit does not say it. */
function toolkitHint(status: string | undefined): string | undefined {
  if (status === "1") return undefined;
  const own = status === undefined ? "" : ` (${status})`;
  return `To return the script's own exit code${own}, use --launcher script: AWS's toolkit always ` +
    "exits with 1, locally and on SageMaker";
}

/** Puts `exit status 137 (ended by SIGKILL)` into a form for brackets. */
function inBrackets(words: string): string {
  return words.replace(/ \((.*)\)$/, ": $1");
}
