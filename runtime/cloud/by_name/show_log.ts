import type { Aws } from "../../aws/aws.ts";
import type { Context } from "../../context.ts";
import { reasonBesideLog } from "../../contract/outcome.ts";
import { type Output, overlaid } from "../../streams.ts";
import { printable } from "../../text.ts";
import { connectToAws, type WaitingHost } from "../connection.ts";
import { EndpointLog, followEndpointLog } from "../endpoints/endpoint_log.ts";
import { followJob } from "../jobs/follow.ts";
import { hasEnded, type Kind, KIND_NAMES } from "../jobs/job.ts";
import { JobLog, type LogReader, printLog } from "../log_reader.ts";
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
 * Prints the log of a job or an endpoint to standard output.
 *
 * @throws AwsError if no job or endpoint has the name, or if mlcli has no permission to read the log;
 * MlcliError if several have the name.
 */
export async function showLog(
  request: LogRequest,
  host: WaitingHost & Pick<Context, "out">,
): Promise<void> {
  const { out, messages } = host;
  const { name, kind, follow, tail, since } = request;
  const aws = await connectToAws(request, host);
  const found = await findByName(await aws.sagemaker(), name, kind ? [kind] : KINDS);
  const start = typeof since === "number" ? new Date(host.clock.date().getTime() - since) : since;
  const log = await logOf(found, aws, start);
  let isEmpty = true;
  const logTo = overlaid(out, { write: (bytes) => (isEmpty = false, out.write(bytes)) });
  const last = tail === "all" ? [] : await log.tail(tail);
  if (last.length > 0) await printLog(last, logTo);
  if (follow) {
    const end = await followLog(found, log, aws, host, logTo, request);
    messages.state(`The ${KIND_NAMES[found.kind]} has ended: ${end}`);
  } else if (tail === "all") {
    for await (const lines of log.news()) await printLog(lines, logTo);
  }
  if (isEmpty && tail !== 0) {
    const isOver = found.kind === "endpoint" ? found.status === "Failed" : hasEnded(found);
    const what = found.kind === "endpoint" ? "endpoint" : "job";
    const when = start ? " since the given time" : isOver ? "" : " yet";
    messages.state(`No log lines${when}: the ${what} is ${found.status}`);
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

/** Follows the log to its end. Returns how the job or the endpoint ended, in words. */
async function followLog(
  found: Found<Kind>,
  log: LogReader,
  aws: Aws,
  host: WaitingHost,
  logTo: Output,
  request: LogRequest,
): Promise<string> {
  if (found.kind === "endpoint") {
    const show = (lines: readonly string[]) => printLog(lines, logTo);
    return await followEndpointLog(found, log, await aws.sagemaker(), host, show);
  }
  const options = { log, logTo, states: false, choice: request } as const;
  const { job, lastLines } = await followJob(found, aws, host, options);
  const reason = reasonBesideLog(job.failureReason ?? "", lastLines);
  return `${job.status}${reason ? `: ${printable(reason)}` : ""}`;
}
