/**
 * What `train` and `process` have in common: a container that runs the user's code to its end, and
 * the report of how it ended.
 */

import { join } from "@std/path/join";
import { imageReference } from "../app/app.ts";
import { type CodeFolder, type Layout, layoutOf } from "../app/layout.ts";
import { typedPath } from "../app/typed_path.ts";
import type { Channel } from "../contract/channels.ts";
import {
  type Difference,
  environmentDifferences,
  networkDifferences,
} from "../contract/differences.ts";
import type { ProgramKind } from "../contract/jobs.ts";
import { STOP_SECONDS } from "../contract/limits.ts";
import { SIGKILL_STATUS } from "../contract/outcome.ts";
import type { CreateBody } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { MlcliError, OutputClosed } from "../errors.ts";
import { makeDirectory, removeTreeIfThere } from "../files.ts";
import { WRITTEN } from "../model/runs.ts";
import { holdsHarness } from "../contract/images.ts";
import { userDifference } from "../contract/image_rules.ts";
import type { Program } from "../contract/launch.ts";
import { commitOf } from "../source/commit.ts";
import { mountedCode, NOT_MOUNTED } from "./code.ts";
import { codeDifferences } from "./differences/code.ts";
import { LastOutput } from "./container/last_output.ts";
import { imageDifferences } from "./differences/image.ts";
import type { RunOutcome } from "./container/run.ts";
import { runCluster } from "./hosts/cluster.ts";
import { shortageNotes } from "./hosts/network.ts";
import type { HostPlace } from "./hosts/places.ts";
import type { HostEnd, StopReason } from "./hosts/run.ts";
import { hostStreams } from "./hosts/streams.ts";
import { withInput } from "./container/body.ts";
import { Findings, ignoringFailures } from "./differences/findings.ts";
import type { BatchJob, Host } from "./jobs.ts";
import {
  linkDifferences,
  type OutputBefore,
  outputBefore,
  outputDifferences,
} from "./differences/output.ts";
import { lastValues, StatusLine } from "./metrics/messages.ts";
import type { Ending, Settled } from "../model/versions.ts";
import { giveToCaller, ownersBefore } from "./ownership.ts";
import { hasInit, type OfImage } from "./plan.ts";
import { readReport } from "./differences/report.ts";
import { type Reason, watchOutput } from "./runs/reason.ts";
import type { JobDocument, RunFacts } from "../model/records.ts";
import { type Run, workingFolders } from "./runs/run.ts";
import { dataOf } from "./runs/data.ts";
import { keepCode, keepSent } from "./runs/kept_code.ts";
import type { PackedCode } from "../source/source.ts";
import { copyCode, type RunCode } from "./runs/working_copy.ts";
import { hintText, type MessageStream, noteText, tell, warningText } from "../messages.ts";

/** Where the code of each kind of job lies. */
const CODE: Readonly<Record<ProgramKind, CodeFolder>> = {
  train: "training",
  process: "processing",
};

/** One of the hosts of a run. */
export interface HostRun extends HostPlace {
  /** The container to create. */
  readonly plan: (ofImage: OfImage) => CreateBody;
  /** Directory of this machine that is `/opt/ml/output`. */
  readonly outputFolder: string;
  /** Others that the container may write to. */
  readonly written: readonly string[];
}

/** One run of a job. */
export interface JobRun {
  readonly kind: ProgramKind;
  readonly run: Run;
  /** What it runs. Asked for before the run is made: without it, there is none. */
  readonly image: ImageDetails;
  /** What starts the code, where it is not the image's own entry point. */
  readonly launcher?: Program["launcher"];
  /** Code that comes in a channel, in the place of what is mounted. */
  readonly sent?: PackedCode | undefined;
  /** The command line that runs it again. */
  readonly again: string;
  /** What is known to differ on SageMaker before it starts. */
  readonly differences: readonly Difference[];
  /** Requires that nothing that is mounted leads out of the app's repository. */
  readonly checkPaths: () => Promise<void>;
  readonly hosts: readonly HostRun[];
  /** Whether the layout's `output` has what it writes. */
  readonly writesOutput: boolean;
  /** Directories of this machine whose contents SageMaker uploads: the model, or what processing made. */
  readonly uploaded: readonly { readonly source: string; readonly path: string }[];
  /** Puts what several hosts wrote into one place, that of `first` last; there is none where none ended. */
  readonly merge: (first: string | undefined) => Promise<readonly (Difference | undefined)[]>;
  /** Called once its hosts' directories are there. */
  readonly prepare: () => Promise<void>;
  /** What it reads. */
  readonly data: readonly Channel[];
  /** What is in that from the start. */
  readonly facts: RunFacts;
  /** Seconds after its start at which it is stopped; `undefined`: never. */
  readonly stopAfter: number | undefined;
  /** Puts away what it wrote, once that is the caller's. */
  readonly settle: (ending: Ending) => Promise<Settled>;
  /** Tells more of a run that nobody interrupted. */
  readonly report: (outcome: RunOutcome, err: MessageStream) => Promise<void>;
}

/** Of a host that was killed, or frozen and killed at the end. */
const REHEARSED =
  "That was rehearsed (--kill-host, --freeze-host). A job that loses a host has failed.";

/** How long the code may take to end after SIGTERM, as with `docker stop`, in seconds. */
const GRACE = 10;

/**
 * Runs the job, until it ends with 0, or is stopped by `stopAfter` in time.
 *
 * @throws UserCodeError when the user's code ended with another status.
 * @throws MlcliError when something was not as on SageMaker, under `--strict`.
 * @throws Interrupted when the user stopped it, OutputClosed when nobody reads its output.
 */
export async function runJob(job: BatchJob, run: JobRun, host: Host): Promise<void> {
  const { kind, image, hosts, run: { record } } = run;
  const status = new StatusLine(host);
  const err = ignoringFailures(status.above.err);
  const layout = layoutOf(job.app);
  const engine = await host.engine();
  await run.checkPaths();
  const isOurs = holdsHarness(image);
  const note = (text: string): void => tell(err, noteText(text));
  for (const text of await shortageNotes(engine, job)) note(text);
  const mounted = run.sent ? NOT_MOUNTED : await mountedCode(job, layout, CODE[kind], image, note);
  const codes: RunCode[] = [];
  for (const { directory } of hosts) {
    const say = codes.length === 0 ? note : () => {};
    codes.push(await copyCode(layout, directory, mounted, say));
  }
  const bodies = hosts.map((one, index) =>
    one.plan({
      withInit: hasInit(job, image, run.launcher),
      ...codes[index]!,
      reportFile: isOurs ? one.report : undefined,
    })
  );
  const reference = bodies[0]!.Image;
  const written = hosts.flatMap(({ outputFolder, written }) => [outputFolder, ...written]);
  for (const folder of written) await makeDirectory(folder);
  await run.prepare();
  const outputs = await Promise.all(hosts.map(async ({ outputFolder }) => {
    const own = await watchOutput(layout, { kind, outputFolder, name: run.run.name });
    // SageMaker's toolkits write there without making it.
    await makeDirectory(join(outputFolder, "data"));
    return own;
  }));
  const folders = [...written];
  for (const { directory } of hosts) folders.push(...await workingFolders(directory));
  const owners = await ownersBefore(folders, host.caller);
  const grace = job.grace ?? (job.strict || run.stopAfter ? STOP_SECONDS.train : GRACE);
  const findings = new Findings(job.strict, err, againOf(job, run));
  /** Looks at what there is before the code starts. */
  async function lookAround(): Promise<OutputBefore> {
    findings.add([
      ...run.differences,
      ...networkDifferences(job.network),
      ...environmentDifferences(kind, job.variables),
      ...imageDifferences(job, image),
      kind === "train" && !isOurs
        ? userDifference(imageReference(job.app, job.tag), image.Config?.User)
        : undefined,
      ...run.sent ? [] : await codeDifferences(job, CODE[kind], image),
    ]);
    const output = await outputBefore(layout);
    const hash = run.sent ? await keepSent(layout, run.sent) : await keepCode(layout, codes[0]!);
    const commit = run.sent ? run.sent.commit : await commitOf(layout.base);
    record.begin(
      { ...run.facts, code: hash ?? null, commit: commit ?? null },
      { reference, id: image.Id },
    );
    return output;
  }
  const hears = hosts.map(({ host: name }) => {
    const lines = hosts.length === 1
      ? record.log.of(status.above)
      : hostStreams(name, (streams) => record.log.of(streams), status.above);
    const metered = record.metrics?.listen(lines, host.interruption.signal, ({ all }) => {
      // Whoever types at the code's own terminal would type into the line.
      if (!bodies[0]!.Tty) status.set(lastValues(all));
    });
    const lastOutput = new LastOutput();
    async function end(): Promise<void> {
      await metered?.end();
      if ("end" in lines) await lines.end();
    }
    return { lastOutput, streams: lastOutput.of(metered ?? lines), end };
  });
  let first: HostEnd | undefined;
  let reason: Reason | undefined;
  let isLeft = false;
  let isTaken = false;
  let data: Promise<JobDocument["data"]> | undefined;
  /** Sees to what the run wrote. */
  async function takeOver(ends: readonly HostEnd[] = []): Promise<void> {
    isTaken = true;
    for (const { end } of hears) await end();
    status.close();
    if (isLeft) return;
    record.data = await data ?? null;
    const warnings = await giveToCaller(reference, owners, host);
    first = decisive(ends, hosts.at(-1)!.host);
    let own: ReturnType<(typeof outputs)[number]> | undefined;
    if (first !== undefined) {
      const index = hosts.findIndex(({ host }) => host === first!.host);
      record.exitStatus = first.status;
      record.wasStopped = first.stoppedWithin !== undefined;
      if (hosts.length > 1) record.hosts = hostFacts(hosts, ends);
      const reports = await Promise.all(hosts.map((one) => readReport(one.report, kind)));
      record.python = reports[0]!.python;
      findings.add(reports.flatMap(({ differences }) => differences));
      own = outputs[index]!();
      reason = await own.reason(reports[index]!.reason);
    }
    try {
      findings.add(await run.merge(first?.host));
      if (hosts.length > 1) await removeWritten(hosts);
    } catch (error) {
      await settle(run, "failed", { findings, warnings, err });
      throw error;
    }
    if (own !== undefined) {
      if (run.writesOutput) {
        const left = await outputDifferences(layout, kind, await around);
        if (own.isShared && kind === "train") sayShared(left, err);
        else findings.add(left);
      }
      for (const folder of run.uploaded) findings.add(await linkDifferences(kind, folder));
    }
    const ending = first === undefined || findings.hasViolations ? "failed" : endingOf(first);
    await settle(run, ending, { findings, warnings, err });
  }
  // While the engine creates the containers.
  const around = lookAround();
  around.catch(() => {});
  const containers = hosts.map((one, index) => ({
    host: one.host,
    name: one.container,
    body: job.interactive ? withInput(bodies[index]!, host) : bodies[index]!,
    streams: hears[index]!.streams,
  }));
  let verdicts: readonly string[] = [];
  try {
    const cluster = { job, run: run.run.name, containers, note };
    verdicts = await runCluster(engine, cluster, host, {
      grace,
      before: around,
      after: run.stopAfter,
      onStart: () => {
        data = dataOf(run.data, host.interruption.signal).catch(() => null);
      },
      onStop: (why) => err.print(stopText(why, grace)),
      onLeft: () => {
        if (isLeft) return;
        isLeft = true;
        run.run.leave();
        tell(err, noteText(leftWords(run, layout)));
      },
      whileRemoved: takeOver,
    });
  } finally {
    await around.catch(() => {});
    if (!isTaken) await takeOver();
  }
  const outcome = first!;
  for (const text of verdicts) tell(err, `${text}\n`);
  if (outcome.cause === undefined) {
    await run.report(outcome, err);
    const isStopped = outcome.stoppedWithin !== undefined && endingOf(outcome) === "stopped";
    if (outcome.status === 0 || isStopped) {
      if (findings.hasViolations) sayRun(run, err);
      findings.requireNone();
      const { remedy } = findings;
      if (remedy !== undefined) run.run.sayLast(() => tell(err, hintText(remedy)));
      return;
    }
  }
  findings.warnOfAll();
  if (!(outcome.cause instanceof OutputClosed)) sayRun(run, err);
  if (outcome.cause !== undefined) throw outcome.cause;
  const { failureOf } = await import("./failure.ts");
  throw await failureOf({
    kind,
    host: hosts.length > 1 ? outcome.host : undefined,
    outcome,
    grace,
    reason: reason?.text,
    unquoted: reason?.unquoted && typedPath(layout.directory, reason.unquoted),
    lastOutput: hears[hosts.findIndex(({ host }) => host === outcome.host)]!.lastOutput,
    user: image.Config?.User,
    interactive: job.interactive,
    hint: outcome.isLost ? REHEARSED : findings.remedyOfOlderCode,
    lastHint: findings.remedy && `If it is because the image is older: ${findings.remedy}`,
    launcher: run.launcher,
    importer: {
      app: job.app,
      code: CODE[kind],
      image,
      installed: Object.keys(record.python?.packages ?? {}),
      source: run.sent?.source,
    },
  });
}

/** What is said when the code is told to end. What kills it: the first Ctrl-C only asks it to. */
function stopText(why: StopReason, grace: number): string {
  if (typeof why === "object") {
    const { host, words, cause } = why.failed;
    // Nobody reads what it says any more.
    if (cause !== undefined) return "";
    return `${host} failed (${words}): stopping the others, up to ${grace} s\n`;
  }
  const killer = why === "asked" ? "Ctrl-C again" : "Ctrl-C twice";
  return `Stopping, up to ${grace} s; ${killer} kills it.\n`;
}

/** The command once more, as far as it may be shown: values of variables are not. */
function againOf({ tag, strict }: BatchJob, { again }: JobRun): string {
  return [again, ...tag === "latest" ? [] : ["--docker-tag", tag], ...strict ? ["--strict"] : []]
    .join(" ");
}

/** Where to look after a run that did not go well. */
function sayRun({ run: { name, record } }: JobRun, err: MessageStream): void {
  if (record.isThere) tell(err, noteText(`mlcli local list-jobs ${name} shows this run`));
}

/** What is left with a container that may still run and write. */
function leftWords({ kind, run }: JobRun, layout: Layout): string {
  return `${typedPath(layout.directory, run.directory)} is left with it; ` +
    `the app's next mlcli local ${kind} sees to that once the container is gone`;
}

/** Two runs at once share `output`: what one of them wrote is not held against the other. */
function sayShared(left: readonly Difference[], err: MessageStream): void {
  for (const { message } of left) {
    tell(err, noteText(`${message}, if this run wrote it: another run of the app was there, too`));
  }
}

/** What there is to say at the end of a run, and where. */
interface LastWords {
  readonly findings: Findings;
  /** Of files, some of which may be in the run's model directory. */
  readonly warnings: readonly string[];
  readonly err: MessageStream;
}

/** A failure here is the run's, unless something else was before: that matters more. */
async function settle(
  run: JobRun,
  ending: Ending,
  { findings, warnings, err }: LastWords,
): Promise<void> {
  let placed = (text: string): string => text;
  try {
    const { difference, note, moved } = await run.settle(ending);
    if (moved) {
      placed = (text) => moved.reduce((said, [from, to]) => said.replaceAll(from, () => to), text);
    }
    findings.add([difference]);
    if (note !== undefined) tell(err, noteText(note));
  } catch (error) {
    if (ending === "succeeded" || !(error instanceof MlcliError)) throw error;
    tell(err, warningText(error.message, error.hint));
  } finally {
    for (const text of warnings) tell(err, placed(text));
  }
}

/** The end that counts as that of all; `undefined` where there is none. */
export function decisive(ends: readonly HostEnd[], last: string): HostEnd | undefined {
  const asked = ends.filter(({ cause, stoppedWithin, endedBy }) =>
    cause !== undefined || stoppedWithin !== undefined && endedBy === undefined
  );
  const failed = ends.filter(({ status, endedBy }) => status !== 0 && endedBy === undefined);
  return asked.find(({ status }) => status === SIGKILL_STATUS) ?? asked.at(-1) ??
    failed.find(({ isLost }) => !isLost) ?? failed[0] ??
    ends.find(({ host }) => host === last);
}

async function removeWritten(hosts: readonly HostRun[]): Promise<void> {
  for (const { directory } of hosts) await removeTreeIfThere(join(directory, WRITTEN));
}

/** What is kept of each host. */
function hostFacts(hosts: readonly HostRun[], ends: readonly HostEnd[]): JobDocument["hosts"] {
  return hosts.flatMap(({ host }) => {
    const end = ends.find((end) => end.host === host);
    return end === undefined ? [] : [{
      name: host,
      exit_status: end.status,
      seconds: Math.round(end.seconds * 10) / 10,
      peak_memory: end.peakMemory ?? null,
      ended_by: end.endedBy ?? null,
    }];
  });
}

function endingOf({ status, cause, stoppedWithin }: RunOutcome): Ending {
  const isStopped = cause !== undefined || stoppedWithin !== undefined;
  if (isStopped) return status === SIGKILL_STATUS ? "failed" : "stopped";
  return status === 0 ? "succeeded" : "failed";
}
