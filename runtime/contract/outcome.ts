/** How a job ended: its exit status in words, and the reason that the code gave. */

import { REASON_LENGTH } from "./limits.ts";
import { BETWEEN, FRAME, raisedIn, TRACEBACK, withoutPlace } from "./tracebacks.ts";

/** Signals that end programs, by number: the same on every Linux that an engine runs on. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL, illegal instruction",
  6: "SIGABRT, abort",
  7: "SIGBUS, bus error",
  8: "SIGFPE, arithmetic error",
  9: "SIGKILL",
  11: "SIGSEGV, segmentation fault",
  13: "SIGPIPE",
  15: "SIGTERM",
};

export const SIGKILL_STATUS = 137;

export interface End {
  /** `exit code 137 (killed by SIGKILL; out of memory)` */
  readonly words: string;
  /** What to do, where the status tells. */
  readonly hint: string | undefined;
}

/**
 * @param status 0 to 255; above 128 it is 128 plus a signal's number, as in shells.
 * @param outOfMemory whether it is known to have run out of memory.
 */
export function endOf(status: number, outOfMemory: boolean): End {
  const hint = status === SIGBUS_STATUS ? SHARED_MEMORY_HINT : memoryHint(status, outOfMemory);
  return { words: statusInWords(status, outOfMemory), hint };
}

/** SIGBUS: memory is mapped to a file for which the disk has no room (mmap(2)). */
const SIGBUS_STATUS = 135;

const SHARED_MEMORY_HINT =
  "/dev/shm, which data loaders use, is probably full. Set a larger --shm-size, or use fewer workers.";

/** Not every engine tells that memory ran out: Podman 4.3.1 does not. */
function memoryHint(status: number, outOfMemory: boolean): string | undefined {
  const hint = "Use smaller batches or fewer workers, or allow more memory with --memory";
  if (outOfMemory) return hint;
  return status === SIGKILL_STATUS
    ? `If you did not kill the process, it probably ran out of memory. ${hint}.`
    : undefined;
}

function statusInWords(status: number, outOfMemory: boolean): string {
  const signal = SIGNALS[status - 128];
  const meanings = [
    signal ? `killed by ${signal}` : "",
    status === 126 ? "command cannot be executed" : "",
    status === 127 ? "command not found" : "",
    outOfMemory ? "out of memory" : "",
  ].filter((meaning) => meaning !== "");
  return `exit code ${status}${meanings.length > 0 ? ` (${meanings.join("; ")})` : ""}`;
}

/** A character takes at most 4 bytes in UTF-8. */
export const REASON_BYTES = 4 * REASON_LENGTH;

/**
 * The reason that user code gave for its failure, as it can be shown.
 *
 * @param start the first `REASON_BYTES` of the file.
 */
export function failureReason(start: Uint8Array): string {
  const text = [...new TextDecoder().decode(start)].slice(0, REASON_LENGTH).join("");
  // Control characters could change the user's terminal.
  return text.replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** In characters: a headline is to be read at a glance. */
const LONGEST_HEADLINE = 300;

/** SageMaker's words before and after the reason that the code gave. */
const PREFIX = /^AlgorithmError: /;
const SUFFIX = /,? ?exit code:? \d+$/i;

/**
 * What AWS's toolkits write of a program that failed: the kind of failure, in the newer one the program's
 * own status and the end of its standard error, if it was kept, and the command (`errors.py` of
 * sagemaker-training 5.1.4, `_errors.py` of sagemaker-containers 2.8.6).
 */
const OF_TOOLKIT =
  /^(\w+Error):\n(?:ExitCode (\S+)\nErrorMessage "(.*?)(?:"\n(?:ExtraInfo "[^]*"\n)?Command "[^]*)?|Command "[^]*)$/s;

/** What Open MPI's mpirun says after the error of one of its processes. */
const OF_MPIRUN = /^ ?-{74}$[^]*/m;

/** The status of the user's program, where AWS's toolkit wrote the reason. */
export function statusInReason(reason: string): string | undefined {
  return OF_TOOLKIT.exec(reason.trim())?.[2];
}

/**
 * The first line of a reason; of a bare traceback, and of what AWS's toolkit quotes, the error at its end.
 * `undefined` without lines.
 */
export function headlineOf(reason: string): string | undefined {
  const [, kind, status, message = ""] = OF_TOOLKIT.exec(reason.trim().replace(PREFIX, "")) ?? [];
  if (kind !== undefined) {
    const words = status === undefined ? kind : `${kind}, exit code ${status}`;
    return shortened(linesOf(message.replace(OF_MPIRUN, "")).at(-1) ?? words);
  }
  const [first, ...rest] = linesOf(reason);
  const line = first?.trim().replace(PREFIX, "") === TRACEBACK
    ? rest.findLast((line) => !/^\s/.test(line)) ?? first
    : first;
  // torch's data loaders put the error of a worker below their own.
  const raised = line && /: Caught \S+ in .+\.$/.test(line) ? lastErrorIn(reason) : undefined;
  return raised ?? (line && shortened(line));
}

function shortened(line: string): string {
  const letters = [...line.trim()];
  if (letters.length <= LONGEST_HEADLINE) return letters.join("");
  return `${letters.slice(0, LONGEST_HEADLINE - 3).join("")}...`;
}

/** Returns the error of the last traceback that a program printed; `undefined` without one. */
export function lastErrorIn(output: string): string | undefined {
  const words = raisedIn(output).at(-1)?.words;
  return words === undefined ? undefined : shortened(words);
}

/**
 * Returns why a program ended: the error that it did not catch, and how it ended. After a signal, or if it
 * could not be started, an error in its log is not the reason.
 */
export function endWithError(status: number, words: string, log: string): string {
  const error = status < 126 ? lastErrorIn(log) : undefined;
  const isKnown = error === undefined || error === `SystemExit: ${status}`;
  return isKnown ? words : `${error} (${words})`;
}

/** Levels of loggers, and the categories of Python's `warnings`. */
const WARNING = /\b(?:WARN(?:ING)?|INFO|DEBUG|\w*Warning)\b/;

/**
 * Returns the lines of a log that can explain why its program ended: the error of the last traceback, the
 * lines below it, and the errors that led to it; all lines if there is no traceback. Warnings are left out:
 * the program went on after them.
 */
export function explainingLines(log: readonly string[]): readonly string[] {
  const raised = raisedIn(log.join("\n"));
  const last = raised.at(-1);
  const rest = log.slice(last?.end ?? 0).filter((line) => line.trim() && !WARNING.test(line));
  const first = raised.findLastIndex(({ isLedTo }) => !isLedTo);
  const causes = raised.slice(Math.max(0, first), -1).toReversed();
  return [...last ? [last.words] : [], ...rest, ...causes.map(({ words }) => words)];
}

/**
 * Whether the output shows the whole reason. Of a traceback only the errors count: an excepthook may
 * print frames in another form.
 *
 * @param reason may be cut at its end.
 * @param output the end of the code's output, as it can be shown.
 */
export function isShownIn(reason: string, output: string): boolean {
  const lines = linesOf(reason.trim().replace(PREFIX, "").replace(SUFFIX, ""));
  const hasTraceback = lines.some((line) => line.trim() === TRACEBACK || FRAME.test(line));
  const expected = lines.filter((line) => {
    if (!hasTraceback) return true;
    return line.trim() !== TRACEBACK && !BETWEEN.test(line) && !/^\s/.test(line);
  });
  const isIn = (line: string): boolean =>
    output.includes(line) || (hasTraceback && output.includes(withoutPlace(line)));
  return expected.length > 0 && expected.every((line) => isIn(line.trim()));
}

/** A reason that is shown above the end of a log: only its headline, if the log has all of it. */
export function reasonBesideLog(reason: string, log: readonly string[]): string {
  const isLong = reason.trim().includes("\n");
  return isLong && isShownIn(reason, log.join("\n")) ? headlineOf(reason) ?? reason : reason;
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
