/**
 * Runs `train` and `process`: a container runs the user's code until it ends, and mlcli reports how it ended.
 */

import type { CodeFolder } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { typedPath } from "../app/typed_path.ts";
import { fit } from "../cells.ts";
import { environmentDifferences, networkDifferences } from "../contract/differences.ts";
import type { ProgramKind } from "../contract/jobs.ts";
import { STOP_SECONDS } from "../contract/limits.ts";
import { MlcliError, OutputClosed } from "../errors.ts";
import { realPathOf } from "../files.ts";
import { holdsHarness } from "../contract/images.ts";
import { showLive } from "../live_lines.ts";
import { userDifference } from "../contract/image_rules.ts";
import { commitOf } from "../source/commit.ts";
import { mountedCode, NOT_MOUNTED } from "./code.ts";
import { codeDifferences } from "./differences/code.ts";
import { imageDifferences } from "./differences/image.ts";
import { decisive, endingOf, factsOfHosts } from "./hosts/ends.ts";
import { type ReadyHost, readyHost } from "./hosts/ready.ts";
import { runCluster } from "./hosts/cluster.ts";
import type { HostEnd, StopReason } from "./hosts/run.ts";
import { Findings } from "./differences/findings.ts";
import type { JobRun } from "./job_run.ts";
import type { BatchJob, Host } from "./jobs.ts";
import {
  linkDifferences,
  type OutputBefore,
  outputBefore,
  outputDifferences,
} from "./differences/output.ts";
import type { MetricsLine } from "./metrics/messages.ts";
import type { Ending, Settled } from "../model/versions.ts";
import { giveToCaller, ownersBefore } from "./ownership.ts";
import { readReport } from "./differences/report.ts";
import { clearReason, type OwnOutput, type Reason } from "./runs/reason.ts";
import type { JobDocument } from "../model/records.ts";
import { notesOn, pointerDifferences } from "./runs/linked.ts";
import { workingFolders } from "./runs/run.ts";
import { dataOf } from "./runs/data.ts";
import { keepCode, keepSent } from "./runs/kept_code.ts";
import type { Message, Messages } from "../messages.ts";

/** Directory of the code for each kind of job. */
const CODE: Readonly<Record<ProgramKind, CodeFolder>> = {
  train: "training",
  process: "processing",
};

/** Of a host that was killed, or frozen and killed at the end. */
const REHEARSED =
  "Remove --kill-host or --freeze-host to run without a fault: a job that loses a host fails";

/** Default time for the code to exit after SIGTERM, as with `docker stop`, in seconds. */
const GRACE = 10;

/**
 * Runs the job until it exits with 0, or until `stopAfter` stops it in time.
 *
 * @throws UserCodeError if the user's code exited with another code.
 * @throws MlcliError for a difference from SageMaker, with `--strict`.
 * @throws Interrupted if the user stopped it, OutputClosed if the reader of its output has exited.
 */
export async function runJob(job: BatchJob, run: JobRun, host: Host): Promise<void> {
  const { kind, image, hosts, run: { record } } = run;
  const status: MetricsLine = { text: "" };
  showLive(
    host.messages,
    ({ columns }) => status.text === "" ? [] : [{ text: fit(status.text, columns) }],
  );
  // The run must end properly even if its messages cannot be printed.
  const messages = host.messages.ignoringFailures();
  const layout = job.app.paths;
  const engine = await host.engine();
  await run.checkPaths();
  const isOurs = holdsHarness(image);
  const mounted = run.sent
    ? NOT_MOUNTED
    : await mountedCode(job, layout, CODE[kind], image, messages);
  const writesOutput = run.places.includes(layout.output);
  if (hosts.length > 1 && writesOutput) await clearReason(layout.output, kind);
  const ready: ReadyHost[] = [];
  for (const one of hosts) {
    ready.push(await readyHost(one, { job, run, mounted, status, host, messages }));
  }
  const reference = ready[0]!.body.Image;
  const folders: string[] = [];
  for (const { written, directory } of hosts) {
    folders.push(...written, ...await workingFolders(directory));
  }
  const owners = await ownersBefore(folders, host.caller);
  const grace = job.grace ?? (job.strict || run.stopAfter ? STOP_SECONDS.train : GRACE);
  const findings = new Findings(job.strict, messages, againOf(job, run));
  /** Reads the state of the directories before the code starts. */
  async function lookAround(): Promise<OutputBefore> {
    // After this, the engine is asked to create the containers.
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (const text of notesOn(layout, run.looked)) messages.note(text);
    findings.add([
      ...run.differences,
      ...pointerDifferences(layout, run.looked, job.strict),
      ...networkDifferences(job.network),
      ...environmentDifferences(kind, job.variables),
      ...imageDifferences(job.app, image),
      kind === "train" && !isOurs ? userDifference(job.app.image, image.Config?.User) : undefined,
      ...run.sent ? [] : await codeDifferences(job, CODE[kind], image),
    ]);
    const output = await outputBefore(layout);
    const hash = run.sent
      ? await keepSent(layout, run.sent)
      : await keepCode(layout, ready[0]!.code);
    const commit = run.sent ? run.sent.commit : await commitOf(layout.base);
    record.begin(
      { ...run.facts, code: hash ?? null, commit: commit ?? null },
      { reference, id: image.Id },
    );
    return output;
  }
  let first: HostEnd | undefined;
  let reason: Reason | undefined;
  let isLeft = false;
  let isTaken = false;
  let data: Promise<JobDocument["data"]> | undefined;
  /** Processes the files that the run wrote. */
  async function takeOver(ends: readonly HostEnd[] = []): Promise<void> {
    isTaken = true;
    for (const { endOutput } of ready) await endOutput();
    host.messages.showBelow(undefined);
    if (isLeft) return;
    record.data = await data ?? null;
    const moves = hosts.length === 1 ? [] : await Promise.all(
      hosts.flatMap(({ written }) =>
        written.map(async (from, index) => [await realPathOf(from), run.places[index]!] as const)
      ),
    );
    const warnings = await giveToCaller(reference, owners, host);
    first = decisive(ends, hosts.at(-1)!.host);
    const failed = ready.find(({ host }) => host === first?.host);
    let own: OwnOutput | undefined;
    if (first !== undefined && failed !== undefined) {
      record.exitStatus = first.status;
      record.wasStopped = first.stoppedWithin !== undefined;
      if (hosts.length > 1) record.hosts = factsOfHosts(ends);
      own = failed.ownOutput();
      for (const { of, report: path } of ready) {
        const report = await readReport(path);
        record.python ??= report.python;
        findings.add(report.differences);
        if (of === failed.of) {
          const { text, ...more } = await own.reason(report.reason);
          reason = { ...more, text: text && (run.mask?.text(text) ?? text) };
        }
      }
    }
    if (hosts.length > 1) findings.add(await run.merge(first?.host));
    if (own !== undefined) {
      if (writesOutput) {
        const left = await outputDifferences(layout, kind, await around);
        if (own.isShared && kind === "train") sayShared(left, messages);
        else findings.add(left);
      }
      for (const folder of run.uploaded) findings.add(await linkDifferences(kind, folder));
    }
    const ending = first === undefined || findings.hasViolations ? "failed" : endingOf(first);
    await settle(run, ending, { findings, warnings, moves, messages });
  }
  // While the engine creates the containers.
  const around = lookAround();
  around.catch(() => {});
  let verdicts: readonly string[] = [];
  try {
    const cluster = { job, run: run.run.name, containers: ready };
    verdicts = await runCluster(engine, cluster, { ...host, messages }, {
      grace,
      before: around,
      after: run.stopAfter,
      onStart: () => {
        data = dataOf(run.looked, host.interruption.signal).catch(() => null);
      },
      onStop: (why) => {
        // Also with --quiet: the user must know how long it takes, and how to kill.
        if (why !== "unread") messages.stream.print(`${stopText(why, grace)}\n`);
      },
      onLeft: () => {
        if (isLeft) return;
        isLeft = true;
        run.run.leave();
        messages.note(leftWords(run, layout));
      },
      whileRemoved: takeOver,
    });
  } finally {
    await around.catch(() => {});
    if (!isTaken) await takeOver();
  }
  const outcome = first!;
  for (const text of verdicts) messages.state(text);
  if (outcome.cause === undefined) {
    await run.report(outcome, messages);
    const isStopped = outcome.stoppedWithin !== undefined && endingOf(outcome) === "stopped";
    if (outcome.status === 0 || isStopped) {
      if (findings.hasViolations) sayRun(run, messages);
      findings.requireNone();
      const { remedy } = findings;
      if (remedy !== undefined) run.run.sayLast(() => messages.hint(remedy));
      return;
    }
  }
  findings.warnOfAll();
  if (!(outcome.cause instanceof OutputClosed)) sayRun(run, messages);
  if (outcome.cause !== undefined) throw outcome.cause;
  const { failureOf } = await import("./failure.ts");
  throw await failureOf({
    kind,
    host: hosts.length > 1 ? outcome.host : undefined,
    outcome,
    grace,
    reason: reason?.text,
    unquoted: reason?.unquoted && typedPath(layout, reason.unquoted),
    lastOutput: ready.find(({ host }) => host === outcome.host)!.lastOutput,
    user: image.Config?.User,
    interactive: job.interactive,
    asked: job,
    hint: outcome.isLost ? REHEARSED : undefined,
    remedyOfOtherCode: findings.remedyOfOtherCode,
    remedy: findings.remedy,
    inputs: run.looked,
    hyperparameters: run.facts.hyperparameters,
    launcher: run.launcher,
    importer: {
      app: job.app,
      code: CODE[kind],
      image,
      installed: record.python?.packages,
      source: run.sent?.source,
    },
  });
}

/**
 * Returns the text after a stop signal. The first Ctrl-C only sends SIGTERM, and the text says how to kill.
 */
function stopText(why: Exclude<StopReason, "unread">, grace: number): string {
  if (typeof why === "object") {
    const { host, words } = why.failed;
    return `${host} failed (${words}); stopping the others (up to ${grace} s)`;
  }
  const killer = why === "asked" ? "Ctrl-C again" : "Ctrl-C twice";
  return `Stopping (up to ${grace} s; press ${killer} to kill)`;
}

/** Returns the command line again, without values of variables. */
function againOf({ dockerTag: tag, strict }: BatchJob, { again }: JobRun): string {
  return [again, ...tag === "latest" ? [] : ["--docker-tag", tag], ...strict ? ["--strict"] : []]
    .join(" ");
}

/** Prints where to look after a run that failed. */
function sayRun({ run: { name, record } }: JobRun, messages: Messages): void {
  if (record.isThere) messages.note(`See this run: mlcli local describe ${name}`);
}

/** Returns a sentence about the directory of a container that might still run and write. */
function leftWords({ kind, run, hosts }: JobRun, layout: Paths): string {
  const next = hosts.length > 1
    ? "stops the remaining hosts"
    : "cleans it up when the container is gone";
  return `Kept ${typedPath(layout, run.directory)}; the app's next mlcli local ${kind} ${next}`;
}

/** Prints a note instead of a warning, because another active run might have written to the shared `output`. */
function sayShared(left: readonly Message[], messages: Messages): void {
  for (const { message } of left) {
    messages.note(`${message}, unless another active run of the app wrote it`);
  }
}

type Moves = NonNullable<Settled["moved"]>;

/** Messages at the end of a run, and the object that prints them. */
interface LastWords {
  readonly findings: Findings;
  /** Warnings about files, some of which mlcli has moved or is moving. */
  readonly warnings: readonly Message[];
  readonly moves: Moves;
  readonly messages: Messages;
}

/** Returns a message with the paths that files have once they are moved. */
function inPlace({ level, message, hint }: Message, moves: Moves): Message {
  const moved = (text: string): string =>
    moves.reduce((said, [from, to]) => said.replaceAll(from, () => to), text);
  return { level, message: moved(message), hint: hint && moved(hint) };
}

/** A failure here fails the run, unless an earlier error matters more. */
async function settle(
  run: JobRun,
  ending: Ending,
  { findings, warnings, moves, messages }: LastWords,
): Promise<void> {
  let last: Moves = [];
  try {
    const { difference, note, moved } = await run.settle(ending);
    last = moved ?? [];
    findings.add([difference]);
    if (note !== undefined) messages.note(note);
  } catch (error) {
    if (ending === "succeeded" || !(error instanceof MlcliError)) throw error;
    messages.warning(error.message, error.hint);
  } finally {
    messages.tell(warnings.map((one) => inPlace(one, [...moves, ...last])));
  }
}
