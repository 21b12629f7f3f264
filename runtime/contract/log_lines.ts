/** The log of a job or an endpoint: where it lies, and its lines as a terminal may show them. */

import { inOneLine, terminalText } from "../text.ts";
import type { JobKind } from "./jobs.ts";

/** The log groups of jobs: SageMaker developer guide, "Log Groups and Streams". */
export const LOG_GROUPS: Readonly<Record<JobKind, string>> = {
  train: "/aws/sagemaker/TrainingJobs",
  process: "/aws/sagemaker/ProcessingJobs",
  transform: "/aws/sagemaker/TransformJobs",
};

/** The log group of an endpoint; it has a stream `VARIANT/INSTANCE` of each instance there ever was. */
export function endpointLogGroup(endpoint: string): string {
  return `/aws/sagemaker/Endpoints/${endpoint}`;
}

/** What the streams of a job begin with: `JOB/algo-1-1585057344`. */
export function streamPrefix(job: string): string {
  return `${job}/`;
}

/** The host in a stream's name: `algo-1`. */
export function hostOf(stream: string): string {
  return inOneLine(stream.slice(stream.indexOf("/") + 1).replace(/-\d{6,}(?=\/|$)/, ""));
}

/** Whether a transform's stream is the one about its data: `JOB/HOST-1585057344/data-log`. */
export function isDataLog(stream: string): boolean {
  return stream.endsWith("/data-log");
}

/** What each line of a job's stream begins with: its host, and that it is about data. */
export function linePrefix(stream: string, hosts: number): string {
  const name = hosts > 1 ? hostOf(stream) : isDataLog(stream) ? "data-log" : "";
  return name === "" ? "" : `${name}: `;
}

/**
 * An event of a log as lines. A progress bar (tqdm) writes over its line again and again, with a
 * carriage return: its last state counts, as on a terminal. Colours go, what else a terminal would
 * obey becomes `?`.
 */
export function logLines(message: string): string[] {
  const lines = message.split("\n").map((line) => terminalText(lastState(line)));
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((state) => state.trim() !== "") ?? "";
}

/** Stands in the place of earlier lines that are the same as those that follow. */
const AGAIN = "[earlier repeats omitted]";

/** Fewer equal lines are no restart: a word may simply come twice. */
const LEAST_DROPPED = 5;

/**
 * The end of a log without repeats: a server that fails is restarted, and writes the same each time.
 * Only the last time is kept, after a line that says so.
 */
export function withoutRepeats(lines: readonly string[]): readonly string[] {
  let [length, dropped] = [0, 0];
  for (let one = 1; 2 * one <= lines.length; one++) {
    const same = sameAsBefore(lines, one);
    // At the beginning of the lines, the first repeat may be cut.
    const droppable = same + one === lines.length ? same : same - same % one;
    if (same >= one && droppable > dropped) [length, dropped] = [one, droppable];
  }
  if (dropped < LEAST_DROPPED) return lines;
  return [...lines.slice(0, lines.length - length - dropped), AGAIN, ...lines.slice(-length)];
}

/** How many of the last lines equal those `length` lines before them. */
function sameAsBefore(lines: readonly string[], length: number): number {
  let count = 0;
  while (
    count + length < lines.length &&
    lines[lines.length - 1 - count] === lines[lines.length - 1 - count - length]
  ) count++;
  return count;
}
