/**
 * `logs`: what a job writes.
 *
 * @module
 */

import { printable } from "../../text.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import { findJob } from "./find_job.ts";
import { followJob } from "./follow.ts";
import { hasEnded, KIND_WORDS } from "./job.ts";
import { JobLog } from "./job_log.ts";
import type { JobReport } from "./report.ts";
import type { JobRequest } from "./request.ts";

/** Which log, and how much of it. */
export interface LogRequest extends JobRequest {
  /** Stay until the job has ended. */
  readonly follow: boolean;
  /** Lines from the end. */
  readonly tail: number | "all";
  /** Leaves out what was written before; so many milliseconds ago, or at a time. */
  readonly since: number | Date | undefined;
}

/**
 * Shows the log of a job.
 *
 * @throws AwsError where there is no such job, or its log may not be read; MlcliError where there
 * are several.
 */
export async function showJobLog(
  { choice, name, kind, follow, tail, since }: LogRequest,
  host: CloudHost,
  report: JobReport,
): Promise<void> {
  const aws = await connectToAws(choice, host);
  const job = await findJob(await aws.sagemaker(), name, kind);
  const start = typeof since === "number" ? new Date(host.clock.date().getTime() - since) : since;
  const log = new JobLog(await aws.logs(), { ...job, since: start });
  let count = 0;
  const show = async (lines: readonly string[]): Promise<void> => {
    count += lines.length;
    if (lines.length > 0) await report.log(`${lines.join("\n")}\n`);
  };
  if (tail !== "all") await show(await log.tail(tail));
  if (follow) {
    const { job: end } = await followJob(job, aws, host, {
      ...shownBy(report),
      log: (text) => (count++, report.log(text)),
    }, { log, states: false, choice });
    const reason = end.failureReason ? `: ${printable(end.failureReason)}` : "";
    report.note(`The ${KIND_WORDS[end.kind]} has ended: ${end.status}${reason}`);
  } else if (tail === "all") {
    for await (const lines of log.news()) await show(lines);
  }
  if (count === 0 && tail !== 0) {
    const yet = hasEnded(job) ? "" : " yet";
    report.note(`No lines${start ? " since then" : ""}${yet}: the job is ${job.status}.`);
  }
}

function shownBy(report: JobReport): JobReport {
  return {
    note: (text) => report.note(text),
    progress: (text, running) => report.progress(text, running),
    log: (text) => report.log(text),
    result: (text) => report.result(text),
  };
}
