import type { Aws } from "../../aws/aws.ts";
import { reasonBesideLog } from "../../contract/outcome.ts";
import { printable } from "../../text.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import { EndpointLog, followEndpointLog } from "../endpoints/endpoint_log.ts";
import { followJob, type FollowReport } from "../jobs/follow.ts";
import { hasEnded, type Kind, KIND_NAMES } from "../jobs/job.ts";
import { JobLog, type LogReader } from "../log_reader.ts";
import { findByName, type Found, KINDS, type NamedRequest } from "./by_name.ts";

/** Settings of `mlcli logs`, under the names of their options. */
export interface LogRequest extends NamedRequest {
  /** Whether to print new lines until the job has ended or the endpoint is deleted. */
  readonly follow: boolean;
  /** Number of last lines. */
  readonly tail: number | "all";
  /** Skips earlier lines. A number is the age in ms. */
  readonly since: number | Date | undefined;
}

/**
 * Shows the log of a job or an endpoint.
 *
 * @throws AwsError where there is nothing of that name, or its log may not be read; MlcliError where
 * there are several.
 */
export async function showLog(
  request: LogRequest,
  host: CloudHost,
  report: FollowReport,
): Promise<void> {
  const { name, kind, follow, tail, since } = request;
  const aws = await connectToAws(request, host);
  const found = await findByName(await aws.sagemaker(), name, kind ? [kind] : KINDS);
  const start = typeof since === "number" ? new Date(host.clock.date().getTime() - since) : since;
  const log = await logOf(found, aws, start);
  let count = 0;
  const show = async (lines: readonly string[]): Promise<void> => {
    count += lines.length;
    if (lines.length > 0) await report.log(`${lines.join("\n")}\n`);
  };
  if (tail !== "all") await show(await log.tail(tail));
  if (follow) {
    const counted: FollowReport = {
      note: (text) => report.note(text),
      always: (text) => report.always(text),
      progress: (text, running) => report.progress(text, running),
      log: (text) => (count++, report.log(text)),
    };
    const end = await followLog(found, log, aws, host, counted, request);
    report.note(`The ${KIND_NAMES[found.kind]} has ended: ${end}`);
  } else if (tail === "all") {
    for await (const lines of log.news()) await show(lines);
  }
  if (count === 0 && tail !== 0) {
    const isOver = found.kind === "endpoint" ? found.status === "Failed" : hasEnded(found);
    const what = found.kind === "endpoint" ? "endpoint" : "job";
    const when = start ? " since the given time" : isOver ? "" : " yet";
    report.note(`No log lines${when}: the ${what} is ${found.status}`);
  }
}

async function logOf(
  found: Found<Kind>,
  aws: Aws,
  since: Date | undefined,
): Promise<LogReader> {
  const logs = await aws.logs();
  return found.kind === "endpoint"
    ? new EndpointLog(logs, { name: found.name, since })
    : new JobLog(logs, { ...found, since });
}

/** Follows it to its end. Returns how it ended, in words. */
async function followLog(
  found: Found<Kind>,
  log: LogReader,
  aws: Aws,
  host: CloudHost,
  report: FollowReport,
  request: LogRequest,
): Promise<string> {
  if (found.kind === "endpoint") {
    return await followEndpointLog(found, log, await aws.sagemaker(), host, report);
  }
  const options = { log, states: false, choice: request } as const;
  const { job, lastLines } = await followJob(found, aws, host, report, options);
  const reason = reasonBesideLog(job.failureReason ?? "", lastLines);
  return `${job.status}${reason ? `: ${printable(reason)}` : ""}`;
}
