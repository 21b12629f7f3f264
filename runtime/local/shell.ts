/**
 * `local shell`: a shell, or a program, in the environment of a job or a server: with its image, mounts and
 * variables.
 */

import { join } from "@std/path/join";
import { type CodeFolder, requireLayoutInside, requireTestDirectory } from "../app/layout.ts";
import { PATHS } from "../contract/jobs.ts";
import type { CreateBody } from "../docker/engine.ts";
import { ProgramEnded } from "../errors.ts";
import { makeDirectory } from "../files.ts";
import { holdsHarness } from "../contract/images.ts";
import { type MountedCode, mountedCode } from "./code.ts";
import { regionOf, withCredentials } from "./credentials.ts";
import { imageToRun } from "./differences/image.ts";
import { runContainer, type RunOutcome } from "./container/run.ts";
import { NO_LOG, withInput } from "./container/body.ts";
import { requirePublishing } from "./container/refusals.ts";
import type { HostRun, JobRun } from "./job_run.ts";
import { type BatchJob, type Host, ONE_HOST, type ShellJob } from "./jobs.ts";
import { unpackCode } from "./sent_code.ts";
import { giveToCaller, ownersBefore } from "./ownership.ts";
import { servingPlan } from "./plan.ts";
import { withProcessing } from "./process.ts";
import { settleEarlierRuns } from "./runs/earlier.ts";
import { filesIn } from "./runs/rehearsal.ts";
import { withRun } from "./runs/run.ts";
import { codeTree, copyCode } from "./runs/working_copy.ts";
import { bodyLimit, withPorts } from "../serving/plan.ts";
import { servedVersion } from "./server/servable.ts";
import { modelIn } from "./server/served_model.ts";
import { withTraining } from "./train.ts";

interface Place extends Pick<JobRun, "image" | "checkPaths">, Pick<HostRun, "plan"> {
  /** The directory of the run. */
  readonly directory: string;
  readonly written: readonly string[];
  /** Called once those are there. */
  readonly prepare: () => Promise<void>;
  readonly name: string;
  readonly code: CodeFolder;
  /** Where code that comes in a channel is unpacked. */
  readonly unpacked?: string | undefined;
  /** Whether code comes so, and none is mounted. */
  readonly isSent?: boolean;
}

/** Seconds between SIGTERM and SIGKILL. A shell at which somebody types ignores the first. */
const GRACE = { shell: 1, command: 10 } as const;

/**
 * Runs the program to its end.
 *
 * @throws MlcliError when the layout, the image or the engine cannot be used.
 * @throws ProgramEnded when it ended with another status than 0.
 */
export async function shell(job: ShellJob, host: Host): Promise<void> {
  switch (job.role) {
    case "train":
      return await withTraining(
        { ...batch(job), hyperparameter: [], inputs: [], stopAfter: undefined, checkpoints: false },
        host,
        () => Promise.resolve((run) => inScratch(job, run, host)),
      );
    case "process":
      return await withProcessing(
        { ...batch(job), file: undefined, inputs: [], outputs: [] },
        host,
        () => Promise.resolve((run) => runIn(job, placeOf(run, "processing"), host)),
      );
    case "serve":
      return await withServing(job, host, (place) => runIn(job, place, host));
  }
}

function batch(job: ShellJob): BatchJob {
  return {
    ...job,
    interactive: true,
    grace: undefined,
    copyInputs: false,
    hosts: ONE_HOST,
    networkSettings: false,
  };
}

function placeOf(run: JobRun, code: CodeFolder): Place {
  const { sent, hosts: [one] } = run;
  const { container, plan, written } = one!;
  // That of processing is unpacked where it lies, by its start script.
  const unpacked = sent && run.kind === "train" ? join(run.run.directory, "code") : undefined;
  return {
    ...run,
    directory: run.run.directory,
    name: container,
    plan,
    code,
    unpacked,
    isSent: sent !== undefined,
    written,
    prepare: async () => {
      if (sent && unpacked) await unpackCode(sent, unpacked);
      // As for a job.
      await makeDirectory(join(written[0], "data"));
    },
  };
}

/** Runs the shell with a temporary model directory, because manual tests don't create a model of the app. */
async function inScratch(job: ShellJob, run: JobRun, host: Host): Promise<void> {
  try {
    await runIn(job, placeOf(run, "training"), host);
  } finally {
    if (await filesIn(run.uploaded[0]!.source).catch(() => 0) > 0) {
      const what = `The files in ${PATHS.model} were removed with the container`;
      host.messages.note(`${what}; to keep a model, run mlcli local train`);
    }
  }
}

/** Like `withTraining`, for a server. */
async function withServing(
  job: ShellJob,
  host: Host,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const layout = job.app.paths;
  const checkPaths = () => requireLayoutInside(layout, "prediction");
  await checkPaths();
  await requireTestDirectory(layout);
  await settleEarlierRuns(job, host);
  await servedVersion(layout, { app: job.app, run: undefined });
  const { signal } = host.interruption;
  const engine = await host.engine();
  requirePublishing(engine, job);
  const image = await imageToRun(engine, job, host);
  const region = await regionOf(job, host);
  const lent = await withCredentials(job, host.messages);
  const name = `mlcli-${job.app.name}-shell-${crypto.randomUUID().slice(0, 8)}`;
  await withRun(layout, host, async ({ directory }) => {
    const modelFolder = await modelIn(layout, join(directory, "model"), signal);
    await work({
      name,
      directory,
      image,
      code: "prediction",
      checkPaths,
      plan: (ofImage) =>
        withPorts(
          servingPlan({ ...lent, allowHost: [] }, {
            name,
            region,
            ...ofImage,
            ofServer: bodyLimit(image, job.variables),
            modelFolder,
          }),
          job.publish,
        ),
      written: [],
      prepare: () => Promise.resolve(),
    });
  });
}

/** Returns the code of the app: mounted, so that edits show at once, or copied if it has links. */
async function codeOf(
  { app, strict }: ShellJob,
  { code, image, directory }: Place,
  { messages }: Host,
): Promise<MountedCode> {
  const layout = app.paths;
  const mounted = await mountedCode({ app, strict }, layout, code, image, messages);
  const folders = [mounted.codeFolder, mounted.commonFolder].filter((path) => path !== undefined);
  const trees = await Promise.all(folders.map((folder) => codeTree(folder, layout)));
  if (!trees.some((tree) => tree?.hasLinks)) return mounted;
  const { codeFolder, commonFolder } = await copyCode(layout, directory, mounted, messages);
  return { codeFolder, commonFolder };
}

async function runIn(job: ShellJob, place: Place, host: Host): Promise<void> {
  const { strict, command } = job;
  const { image } = place;
  const engine = await host.engine();
  await place.checkPaths();
  const planned = place.plan({
    withInit: holdsHarness(image) && !strict,
    ...place.isSent
      ? { codeFolder: place.unpacked, commonFolder: undefined, isWritable: true }
      : await codeOf(job, place, host),
    // Only runs of the user's code have a report.
    reportFile: undefined,
  });
  const body = withInput(shellPlan(planned, command), host);
  for (const folder of place.written) await makeDirectory(folder);
  await place.prepare();
  const owners = await ownersBefore(place.written, host.caller);
  let outcome: RunOutcome;
  try {
    outcome = await runContainer(engine, place.name, body, host, {
      grace: command.length === 0 ? GRACE.shell : GRACE.command,
    });
  } finally {
    host.messages.tell(await giveToCaller(body.Image, owners, host));
  }
  if (outcome.cause !== undefined) throw outcome.cause;
  if (outcome.status !== 0) throw new ProgramEnded(outcome.status);
}

/** Starts bash if the image has it, else sh, which every image with a shell has. */
const ANY_SHELL = [
  "/bin/sh",
  "-c",
  "if command -v bash > /dev/null 2>&1; then exec bash; else exec sh; fi",
] as const;

/**
 * The same container with a program of its own, at whose end it is gone.
 *
 * @param command the program and its arguments; empty: a shell.
 */
function shellPlan(body: CreateBody, command: readonly string[]): CreateBody {
  const { HostConfig } = body;
  const [program, ...words] = command.length === 0 ? ANY_SHELL : command;
  const hasCode = HostConfig.Mounts.some(({ Target }) => Target === PATHS.code);
  return {
    ...body,
    Entrypoint: [program!],
    Cmd: words,
    // Where the harness runs the code, too.
    ...(hasCode ? { WorkingDir: PATHS.code } : {}),
    HostConfig: { ...HostConfig, AutoRemove: true, LogConfig: NO_LOG },
  };
}
