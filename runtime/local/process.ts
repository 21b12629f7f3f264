/**
 * `local process`: one of the user's processing scripts, or a program of an image, in a container.
 */

import { join } from "@std/path/join";
import { isOfAppsDirectory, noScripts } from "../app/image.ts";
import { requireLayoutInside, requireProcessingFile, requireTestDirectory } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { recordedPath, shellWord } from "../app/typed_path.ts";
import { processingFiles } from "../contract/configuration_files.ts";
import { jobName } from "../contract/names.ts";
import { commandDifferences } from "../contract/differences.ts";
import { isSharded, requireShards } from "../contract/hosts.ts";
import { holdsHarness, isRoot } from "../contract/images.ts";
import { JOBS, PATHS } from "../contract/jobs.ts";
import { processingLaunchOf } from "../contract/launch.ts";
import { CODE_INPUT, plainData, type ProcessingData } from "../contract/processing_data.ts";
import { UsageError } from "../errors.ts";
import { type Message, warning } from "../messages.ts";
import { makeLike } from "../model/versions.ts";
import { packCode } from "../source/source.ts";
import { listed } from "../text.ts";
import { writable } from "./container/body.ts";
import { maskOf, regionOf, withCredentials } from "./credentials.ts";
import { imageToRun } from "./differences/image.ts";
import {
  clusterFor,
  layShards,
  placesIn,
  requireNetworks,
  shardOn,
  writtenBy,
} from "./hosts/places.ts";
import type { HostRun, JobRun } from "./job_run.ts";
import type { Host, ProcessingJob, ProcessingOutput } from "./jobs.ts";
import { processPlan } from "./plan.ts";
import { inputsOf, makeInputs } from "./processing_inputs.ts";
import { settleEarlierRuns } from "./runs/earlier.ts";
import { keepOutputs, moveOutputs, outputFolder, requireFree } from "./runs/outputs.ts";
import { brokenDifferences, layLinked, lookAt, planLinked } from "./runs/linked.ts";
import { factsOf } from "./runs/record.ts";
import { openToContainer, withRun, writeConfiguration } from "./runs/run.ts";

/**
 * Runs the script or the program. What it wrote is in the layout's `output` afterwards, or where the user
 * has named.
 *
 * @throws MlcliError when the layout, the script, the image or the engine cannot be used.
 * @throws UserCodeError when the script failed.
 */
export async function process(job: ProcessingJob, host: Host): Promise<void> {
  // Of another image, its own program may run.
  if (isOfAppsDirectory(job.app)) requireProgram(job);
  await withProcessing(job, host, async () => {
    const { runJob } = await import("./job.ts");
    return async (run) => {
      if (holdsHarness(run.image)) requireProgram(job);
      await runJob(job, run, host);
    };
  });
}

/** @throws UsageError where nothing says which program of an image of mlcli's is to run. */
function requireProgram({ file, program: { code, command } }: ProcessingJob): void {
  if (file !== undefined || code !== undefined || command.length > 0) return;
  throw new UsageError("Missing option: use --file, --entry-point or --command", {
    hint: "List the options: mlcli local process --help",
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
  const layout = job.app.paths;
  const { program: { code, command }, outputs } = job;
  const checkPaths = async (): Promise<void> => {
    const except = job.inputs.length === 0 ? [] : [layout.processingData];
    await requireLayoutInside(layout, "processing", except, inputRemedy(job));
    await requireFree(layout, outputs, job.inputs);
  };
  await checkPaths();
  await requireTestDirectory(layout);
  const inputs = await inputsOf(layout, job.inputs);
  const recorded = ({ name, path, place }: ProcessingOutput): string =>
    `${name}:${path}=${recordedPath(layout, place ?? join(layout.output, name))}`;
  const sent = code && await packCode([code], code.entryPoint, host.messages);
  const isOwnImage = isOfAppsDirectory(job.app);
  // Whether another image has scripts is not known yet.
  const own = isOwnImage ? await scriptOf(job, layout) : undefined;
  await settleEarlierRuns(job, host);
  const engine = await host.engine();
  requireNetworks(engine, job);
  requireShards(job.hosts.shards, inputs.map(({ name }) => name));
  const [image, region, work, looked] = await Promise.all([
    imageToRun(engine, job, host),
    regionOf(job, host),
    load(),
    lookAt(layout, inputs.map(({ name, place, path }) => ({ name, source: place, path }))),
  ]);
  const broken = brokenDifferences(layout, looked, job.strict);
  if (!isOwnImage && job.file !== undefined && !holdsHarness(image)) {
    throw noScripts(job.app, job.file);
  }
  const script = own ?? await scriptOf(job, layout);
  const launch = processingLaunchOf(command, code?.entryPoint, script, job.program.arguments);
  const lent = await withCredentials(job, host.messages);
  const container = jobName(job.app.name, "process");
  await withRun(layout, host, async (run) => {
    const { name } = run;
    const places = placesIn(run.directory, container, job.hosts.count);
    const isAlone = places.length === 1;
    const linked = planLinked(looked, run.directory, job, sent !== undefined);
    await layLinked(linked, layout, host.interruption.signal);
    await layShards(job.hosts, places, linked, host.messages);
    // If the results have their own destinations, SageMaker drops other files in its output.
    const isApart = job.strict || outputs.length > 0;
    const results = outputs.length > 0
      ? outputs.map((output) => ({ ...output, source: outputFolder(layout, name, output) }))
      : [{ ...plainData("output"), source: layout.output }];
    const installing = { job, isRoot: isRoot(image.Config?.User), engine, host };
    const hosts = await Array.fromAsync(places, async (place): Promise<HostRun> => {
      const config = join(place.directory, "config");
      const files = processingFiles({
        job: { name, region },
        image: job.app.image,
        launch,
        inputs: [
          ...inputs.map((input) => ({
            ...input,
            isSharded: isSharded(job.hosts.shards, input.name),
          })),
          ...sent ? [CODE_INPUT] : [],
        ],
        outputs: results,
        variables: job.variables,
      }, clusterFor(engine, place, job));
      await writeConfiguration(config, files);
      openToContainer(config);
      const input = join(place.directory, "input");
      const own = inputs.map((one, index) => ({
        ...one,
        place: shardOn(job.hosts, place, one.name) ?? linked[index]!.source,
        mounts: linked[index]!.mounts,
      }));
      const { mounts, codeFolder } = await makeInputs(layout, input, own, {
        copies: job.copyInputs,
        hasCode: sent !== undefined,
      });
      const pip = sent &&
        await (await import("./sent_code.ts")).layCode(sent, launch.launcher, {
          ...installing,
          folder: codeFolder,
          networkFolder: join(place.directory, "network"),
        });
      openToContainer(input);
      const made = isAlone
        ? results
        : results.map((one) => ({ ...one, source: writtenBy(place, one.name) }));
      if (outputs.length > 0) {
        for (const { source } of [...results, ...made]) await makeLike(layout.output, source);
      }
      const output = isApart ? join(place.directory, "output") : made[0]!.source;
      return {
        ...place,
        plan: (ofImage) =>
          processPlan(lent, {
            name: place.container,
            region,
            ...ofImage,
            launch,
            configFolder: config,
            data: [...mounts, ...made.map(({ source, path }) => writable(source, path))],
            outputFolder: output,
            pip,
          }),
        written: [output, ...isApart ? made.map(({ source }) => source) : []],
      };
    });
    await work({
      kind: "process",
      run,
      image,
      mask: await maskOf(lent),
      launcher: launch.launcher,
      sent,
      hosts,
      places: [
        ...isApart ? [join(run.directory, "output")] : [],
        ...results.map(({ source }) => source),
      ],
      again: commandOf(job).map(shellWord).join(" "),
      looked,
      differences: [
        ...broken,
        ...commandDifferences("processing", launch.entrypoint ?? [], launch.arguments),
      ],
      checkPaths,
      uploaded: results,
      merge: async (first) => {
        const { mergeProcessing } = await import("./hosts/merged.ts");
        const reasonFile = isApart ? undefined : JOBS.process.reasonFile;
        return await mergeProcessing(places, first, results, reasonFile);
      },
      facts: factsOf("process", job, container, {
        options: {
          file: job.file,
          // Not what they say: a password may be among them.
          command: command.slice(0, 1),
          arguments: [...command.slice(1), ...job.program.arguments].length || undefined,
          input: job.inputs.map(recorded),
          output_dir: outputs.map(recorded),
          ...sent && {
            launcher: launch.launcher,
            entry_point: code?.entryPoint,
            source_dir: recordedPath(layout, sent.source.path),
          },
        },
      }),
      stopAfter: undefined,
      settle: async (ending) => {
        const difference = isApart
          ? lostOutput(hosts.map(({ written: [output] }) => output), results)
          : undefined;
        if (outputs.length === 0) return { difference };
        const isGood = ending === "succeeded" && !(job.strict && difference);
        if (isGood) {
          return {
            difference,
            ...await moveOutputs(layout, name, outputs, {
              messages: host.messages,
              signal: host.interruption.signal,
            }),
          };
        }
        const kept = await keepOutputs(layout, name);
        return { difference, ...kept && { note: `The outputs of this run are in ${kept}` } };
      },
      report: () => Promise.resolve(),
    });
  });
}

async function scriptOf({ file }: ProcessingJob, layout: Paths): Promise<string | undefined> {
  return file === undefined ? undefined : await requireProcessingFile(layout, file);
}

/** Of `/opt/ml/output`, SageMaker reads the message of a processing job, and drops the rest. */
function lostOutput(
  folders: readonly string[],
  outputs: readonly ProcessingData[],
): Message | undefined {
  const names = folders.flatMap((folder) =>
    Array.from(Deno.readDirSync(folder), ({ name }) => name)
  );
  const lost = [...new Set(names)].filter((name) =>
    !["data", JOBS.process.reasonFile].includes(name)
  ).sort();
  if (lost.length === 0) return undefined;
  return warning(
    `Processing wrote files to ${PATHS.output}, so they are lost: ${listed(lost)}`,
    `Write results to ${listed(outputs.map(({ path }) => path))}`,
  );
}

/** Returns the words of the command that runs the same program. */
function commandOf({ file, program: { code, command } }: ProcessingJob): readonly string[] {
  return [
    ...["mlcli", "local", "process"],
    ...file === undefined ? [] : ["--file", file],
    ...code === undefined ? [] : ["--entry-point", code.entryPoint],
    ...command.map((word) => `--command=${word}`),
  ];
}

/** What to do when the test data lies somewhere else. */
function inputRemedy(job: ProcessingJob): (target: string) => string {
  return (target) =>
    `If you trust that path, pass it as an input: ${
      [...commandOf(job), "--input", target].map(shellWord).join(" ")
    }`;
}
