import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import type { TransformJob } from "../../runtime/local/jobs.ts";
import type { Results } from "../../runtime/local/transform/results.ts";
import { transform, type TransformReport } from "../../runtime/local/transform/transform.ts";
import { printableJson } from "../../runtime/text.ts";
import { counted } from "../../runtime/quantities.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { Pace, TransferProgress } from "../render/progress/transfer.ts";
import { programRequest, requireReachable } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { TransformValues } from "./transform.ts";

/** Transforms files with the app's server, and prints where the results are. */
export async function transformAction(
  context: Context,
  options: TransformValues,
): Promise<void> {
  const request = await programRequest(context, options, "mlcli local deploy");
  const { cwd, out } = context;
  const job: TransformJob = {
    ...request,
    code: request.program.code,
    port: 0,
    allowHost: [],
    // The command line has one of them.
    input: absolutePath(cwd, (options.path ?? options.input)!),
    output: options.outputDir === undefined ? undefined : absolutePath(cwd, options.outputDir),
  };
  requireReachable(job);
  if (options.dryRun) {
    const { plannedTransform } = await import("../../runtime/local/transform/dry_run.ts");
    const { planned, requireNone } = await plannedTransform(job, context);
    out.print(`${printableJson(planned, 2)}\n`);
    return requireNone();
  }
  using shown = new ProgressOutput(context.err, options);
  const { pipNetwork } = runHost(context, options.app, options);
  const host = { ...context, pipNetwork, err: shown.above() };
  const report = transformReport(shown, context);
  const place = await transform(job, host, report);
  shown.end();
  out.print(`${place}\n`);
}

function transformReport(shown: ProgressOutput, context: Context): TransformReport {
  let transfer: TransferProgress | undefined;
  let pace: Pace | undefined;
  shown.live(() => [{ text: "Starting the server" }]);
  return {
    limits(text) {
      shown.say(text);
      transfer = new TransferProgress(context);
      pace = new Pace(() => context.clock.now());
    },
    progress({ bytes, files, records, failedFiles }, total) {
      pace?.reached(records);
      const more = [
        counted(records, "record") +
        (pace?.rate === undefined ? "" : `, ${Math.round(pace.rate)} records/s`),
        counted(files, "file"),
        ...failedFiles === 0 ? [] : [`${counted(failedFiles, "file")} failed`],
      ];
      transfer?.reached({ bytes, total, more });
    },
    end(results) {
      shown.end();
      shown.say(summary(results));
    },
  };
}

/** `2 files, 1,000 records in 3.2 s (312 records/s); responses took 5 ms (p50), 9 ms (p95), 12 ms (p99)` */
function summary(results: Results): string {
  const { files, records, requests, retries, seconds, recordsPerSecond } = results;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => `${results.latencies.within(part)} ms`);
  const times =
    ` (${recordsPerSecond} records/s); responses took ${p50} (p50), ${p95} (p95), ${p99} (p99)`;
  return `${counted(files, "file")}, ${counted(records, "record")} in ${seconds} s` +
    (requests === 0 ? "" : times) +
    (retries === 0 ? "" : `; ${counted(retries, "request")} retried`);
}
