/**
 * `local process`: one of the user's processing scripts, or a program of an image, in a container.
 */

import { join } from "@std/path/join";
import { imageReference } from "../app/app.ts";
import {
  type Layout,
  layoutOf,
  requireLayoutInside,
  requireProcessingFile,
  requireTestDirectory,
} from "../app/layout.ts";
import { requireNamed } from "../app/named_path.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { processingFiles } from "../contract/configuration_files.ts";
import { jobName } from "../contract/names.ts";
import { commandDifferences, type Difference } from "../contract/differences.ts";
import { JOBS, PATHS, processingArguments } from "../contract/jobs.ts";
import { UsageError } from "../errors.ts";
import { copyTree, statIfThere } from "../files.ts";
import { listed } from "../text.ts";
import { hostOf } from "./container/body.ts";
import { imageToRun } from "./differences/image.ts";
import type { JobRun } from "./job.ts";
import type { Host, ProcessingJob } from "./jobs.ts";
import { processPlan } from "./plan.ts";
import { settleEarlierRuns } from "./runs/earlier.ts";
import { factsOf } from "./runs/record.ts";
import { openToContainer, withRun, writeConfiguration } from "./runs/run.ts";

/**
 * Runs the script or the program. What it wrote is in the layout's `output` afterwards.
 *
 * @throws MlcliError when the layout, the script, the image or the engine cannot be used.
 * @throws UserCodeError when the script failed.
 */
export async function process(job: ProcessingJob, host: Host): Promise<void> {
  await withProcessing(job, host, async () => {
    const { runJob } = await import("./job.ts");
    return (run) => runJob(job, run, host);
  });
}

/**
 * Makes all that processing needs, runs it, and removes what is of that run alone.
 *
 * @param load what runs it, loaded while the engine answers.
 * @throws MlcliError when the layout, the script or the engine cannot be used.
 */
export async function withProcessing(
  job: ProcessingJob,
  host: Host,
  load: () => Promise<(run: JobRun) => Promise<void>>,
): Promise<void> {
  const layout = layoutOf(job.app);
  const checkPaths = () =>
    requireLayoutInside(
      layout,
      "processing",
      job.input === undefined ? [] : [layout.processingData],
      inputRemedy(job),
    );
  await checkPaths();
  await requireTestDirectory(layout);
  const inputFolder = await inputOf(layout, job.input);
  const script = job.file === undefined
    ? []
    : processingArguments(await requireProcessingFile(layout, job.file));
  const args = [...script, ...job.arguments];
  await settleEarlierRuns(job, host);
  const engine = await host.engine();
  const [image, region, work] = await Promise.all([
    imageToRun(engine, job, host),
    host.region(job.app.configuration),
    load(),
  ]);
  const container = jobName(job.app.name, "process");
  await withRun(layout, host, async (run) => {
    const config = join(run.directory, "config");
    const files = processingFiles({
      job: { name: run.name, region },
      image: imageReference(job.app, job.tag),
      entrypoint: job.entrypoint,
      arguments: args,
      variables: job.variables,
    }, hostOf(engine));
    await writeConfiguration(config, files);
    openToContainer(config);
    const copy = join(run.directory, "input");
    if (job.copyInputs) {
      await copyTree(inputFolder, copy);
      openToContainer(copy);
    }
    const outputFolder = job.strict ? join(run.directory, "output") : layout.output;
    await work({
      kind: "process",
      run,
      image,
      container,
      differences: commandDifferences("a processing job", job.entrypoint, args),
      checkPaths,
      plan: (ofImage) =>
        processPlan(job, {
          name: container,
          region,
          ...ofImage,
          arguments: args,
          configFolder: config,
          inputFolder: job.copyInputs ? copy : inputFolder,
          isInputCopied: job.copyInputs,
          outputFolder,
        }),
      outputFolder,
      uploaded: layout.output,
      written: job.strict ? [layout.output] : [],
      prepare: () => Promise.resolve(),
      facts: factsOf("process", job, container, {
        options: {
          file: job.file,
          entrypoint: job.entrypoint.slice(0, 1),
          // Not what they say: a password may be among them.
          arguments: [...job.entrypoint.slice(1), ...job.arguments].length || undefined,
          input: job.input,
        },
      }),
      stopAfter: undefined,
      settle: async () => ({ difference: await strictOutput(outputFolder, job.strict) }),
      report: () => Promise.resolve(),
    });
  });
}

/** Of `/opt/ml/output`, the platform reads the message of a processing job, and drops the rest. */
async function strictOutput(folder: string, isStrict: boolean): Promise<Difference | undefined> {
  if (!isStrict) return undefined;
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const lost = names.filter((name) => !["data", JOBS.process.reasonFile].includes(name)).sort();
  if (lost.length === 0) return undefined;
  return {
    message: `Processing wrote ${listed(lost)} to ${PATHS.output}, of which nothing is kept`,
    hint: `Write it to ${PATHS.processingOutput}.`,
  };
}

/** What to do when the test data lies somewhere else. */
function inputRemedy({ file, entrypoint }: ProcessingJob): (target: string) => string {
  const program = file === undefined
    ? entrypoint.map((word) => `--entrypoint=${shellWord(word)}`).join(" ")
    : `--file ${shellWord(file)}`;
  return (target) =>
    "If you trust that path, name the data yourself: " +
    `mlcli local process ${program} --input ${shellWord(target)}`;
}

/** @throws UsageError when the path that the user named is not a directory. */
async function inputOf(layout: Layout, named: string | undefined): Promise<string> {
  if (named === undefined) return layout.processingData;
  await requireNamed(layout.directory, named, "--input ");
  if ((await statIfThere(named))?.isDirectory) return named;
  throw new UsageError(
    `Not a directory: ${typedPath(layout.directory, named)} (--input)`,
    {
      hint: "It takes a directory on this machine.",
    },
  );
}
