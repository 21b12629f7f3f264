/** The hosts of a run with all that their containers need. */

import { join } from "@std/path/join";
import { typedPath } from "../../app/typed_path.ts";
import { holdsHarness } from "../../contract/images.ts";
import { makeDirectory } from "../../files.ts";
import type { MountedCode } from "../code.ts";
import { withInput } from "../container/body.ts";
import { FoldedFrames } from "../container/folded.ts";
import { LastOutput } from "../container/last_output.ts";
import type { HostRun, JobRun } from "../job_run.ts";
import type { BatchJob, Host } from "../jobs.ts";
import { makeReport } from "../differences/report.ts";
import type { Messages } from "../../messages.ts";
import { RECORD_FILES } from "../../model/records.ts";
import { lastValues, type MetricsLine } from "../metrics/messages.ts";
import { hasInit } from "../plan.ts";
import { type OwnOutput, watchOutput } from "../runs/reason.ts";
import { copyCode, type RunCode } from "../runs/working_copy.ts";
import type { HostContainer } from "./run.ts";
import { hostStreams } from "./streams.ts";

export interface ReadyHost extends HostContainer {
  readonly of: HostRun;
  readonly code: RunCode;
  /** A file that the harness in the container reports to. */
  readonly report: string;
  readonly lastOutput: LastOutput;
  /** Is called at the run's end. */
  readonly ownOutput: () => OwnOutput;
  /** Is called after the last byte of its output. */
  readonly endOutput: () => Promise<void>;
}

/** Inputs of the preparation of a host. */
export interface Making {
  readonly job: BatchJob;
  readonly run: JobRun;
  readonly mounted: MountedCode;
  readonly status: MetricsLine;
  readonly host: Host;
  readonly messages: Messages;
}

/** Copies a host's code, and creates the directories that it writes to. */
export async function readyHost(
  of: HostRun,
  { job, run, mounted, status, host, messages }: Making,
): Promise<ReadyHost> {
  const { kind, image, hosts, launcher, run: { name, record } } = run;
  const layout = job.app.paths;
  // Each host would print the same note.
  const noted = of === hosts[0] ? messages : { note() {} };
  const code = await copyCode(layout, of.directory, mounted, noted);
  const report = makeReport(of.directory);
  const planned = of.plan({
    withInit: hasInit(job, image, launcher),
    ...code,
    reportFile: holdsHarness(image) ? report : undefined,
  });
  const body = job.interactive ? withInput(planned, host) : planned;
  const { written: [outputFolder] } = of;
  for (const folder of of.written) await makeDirectory(folder);
  const ownOutput = await watchOutput(layout, { kind, outputFolder, name });
  // SageMaker's toolkits write there without creating the directory.
  await makeDirectory(join(outputFolder, "data"));
  const log = typedPath(layout, join(run.run.directory, RECORD_FILES.log));
  const frames = new FoldedFrames(host.err, log);
  const above = { out: host.out, err: frames.output };
  const shown = hosts.length === 1
    ? { ...record.log.of(above), end: () => Promise.resolve() }
    : hostStreams(of.host, (streams) => record.log.of(streams), above);
  const metered = record.metrics?.listen(shown, host.interruption.signal, ({ all }) => {
    // If the code has a terminal, the user's typing would appear in the live line.
    if (!body.Tty) status.text = lastValues(all);
  });
  const lastOutput = new LastOutput();
  const remembered = lastOutput.of(metered ?? shown);
  return {
    of,
    code,
    report,
    host: of.host,
    name: of.container,
    body,
    streams: run.mask?.of(remembered) ?? remembered,
    lastOutput,
    ownOutput,
    endOutput: async () => {
      await run.mask?.end();
      await metered?.end();
      await shown.end();
      await frames.end();
    },
  };
}
