/**
 * Following the log of an endpoint: as long as there is one.
 *
 * @module
 */

import { orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import { printable } from "../../text.ts";
import type { JobReport } from "../jobs/report.ts";
import type { LogReader } from "../log_reader.ts";
import { Waiter, type WaiterHost } from "../waiter.ts";

/** How often (ms) it is asked whether the endpoint is still there. */
const DESCRIBE_EVERY = 30_000;
/** After the end lines may still come: so many times in a row there must be none. */
const QUIET_ROUNDS = 2;
const MOST_ROUNDS_AFTER = 30;

/**
 * Shows what comes of an endpoint's log until it is gone or `Failed`: an endpoint does not end by
 * itself. A service that does not answer for a while is asked again.
 *
 * @returns how it ended, in words.
 * @throws AwsError where the log may not be read, or the endpoint not described.
 * @throws Interrupted after Ctrl-C.
 */
export async function followEndpointLog(
  endpoint: EndpointDescription,
  log: LogReader,
  sagemaker: Pick<SageMaker, "describeEndpoint">,
  host: WaiterHost,
  report: Pick<JobReport, "note" | "log">,
): Promise<string> {
  const { clock } = host;
  const waiter = new Waiter(host, { what: "endpoint", note: (text) => report.note(text) });
  let [end, asked, quiet, after] = [endOf(endpoint), clock.now(), 0, 0];
  for (;;) {
    const lines = await waiter.ask("log", () => showNews(log, report));
    if (end !== undefined) {
      quiet = lines?.answer === 0 ? quiet + 1 : 0;
      if (quiet === QUIET_ROUNDS || ++after === MOST_ROUNDS_AFTER) return end;
    }
    await waiter.pause((lines?.answer ?? 0) > 0);
    if (end !== undefined || clock.now() - asked < DESCRIBE_EVERY) continue;
    const latest = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(endpoint.name)),
    );
    asked = clock.now();
    if (latest) end = endOf(latest.answer, endpoint.creationTime);
  }
}

async function showNews(log: LogReader, report: Pick<JobReport, "log">): Promise<number> {
  let count = 0;
  for await (const lines of log.news()) {
    count += lines.length;
    await report.log(`${lines.join("\n")}\n`);
  }
  return count;
}

/** How it ended; `undefined` while it goes on. A newer endpoint of the same name is another one. */
function endOf(latest: EndpointDescription | undefined, created?: Date): string | undefined {
  if (!latest || (created && latest.creationTime > created)) return "it is gone";
  if (latest.status !== "Failed") return undefined;
  return `Failed${latest.failureReason ? `: ${printable(latest.failureReason)}` : ""}`;
}
