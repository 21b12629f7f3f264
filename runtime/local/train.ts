/** `local train`: the user's training code on the test data, in a container. */

import { join } from "@std/path/join";
import { recordedPath, typedPath } from "../app/typed_path.ts";
import type { Paths } from "../app/paths.ts";
import { trainingFiles } from "../contract/configuration_files.ts";
import { jobName } from "../contract/names.ts";
import {
  channelDifferences,
  commandDifferences,
  hyperparameterDifferences,
} from "../contract/differences.ts";
import { isSharded, requireShards } from "../contract/hosts.ts";
import { isRoot } from "../contract/images.ts";
import { PATHS } from "../contract/jobs.ts";
import { CODE_CHANNEL, launchOf } from "../contract/launch.ts";
import { makeDirectory } from "../files.ts";
import { inContainer } from "./channels.ts";
import { maskOf, regionOf, withCredentials } from "./credentials.ts";
import { imageToRun } from "./differences/image.ts";
import type { Restored } from "./hosts/restored.ts";
import {
  clusterFor,
  layShards,
  placesIn,
  requireNetworks,
  shardOn,
  trainingFolders,
} from "./hosts/places.ts";
import type { HostRun, JobRun } from "./job_run.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { fileOf, knownTraining, programOf } from "./known_training.ts";
import { sayMetrics, sayUnmatched } from "./metrics/messages.ts";
import { modelOfRun } from "../model/runs.ts";
import { makeLike, settleModel } from "../model/versions.ts";
import { hasOwnAlone, trainPlan } from "./plan.ts";
import { settleEarlierRuns } from "./runs/earlier.ts";
import { brokenDifferences, layLinked, lookAt, planLinked } from "./runs/linked.ts";
import { factsOf } from "./runs/record.ts";
import { filesIn, rehearsalText } from "./runs/rehearsal.ts";
import { openToContainer, withRun, writeConfiguration } from "./runs/run.ts";
import { copyConfiguration, makeInput, MOST_OTHERS } from "./runs/working_copy.ts";

/**
 * Trains. Artifacts are in the layout's `model`, everything else in its `output` afterwards.
 *
 * @throws MlcliError when the layout, the hyperparameters, the image or the engine cannot be used,
 * or, under `--strict`, something was not as on SageMaker.
 * @throws UserCodeError when the training code failed.
 */
export async function train(job: TrainingJob, host: Host): Promise<void> {
  await withTraining(job, host, async () => {
    const { runJob } = await import("./job.ts");
    return (run) => runJob(job, run, host);
  });
}

/**
 * Makes all that a training needs, runs it, and removes what is of that run alone.
 *
 * @param load what runs it, loaded while the engine answers.
 * @throws MlcliError when the layout, the hyperparameters or the engine cannot be used.
 */
export async function withTraining(
  job: TrainingJob,
  host: Host,
  load: () => Promise<(run: JobRun) => Promise<void>>,
): Promise<void> {
  const known = await knownTraining(job, host);
  const { layout, checkPaths, metrics, sent, empty, channels, hyperparameters } = known;
  await settleEarlierRuns(job, host);
  // A mount point inside a read-only mount cannot be made by the engine; what is in the model's way is
  // to be known now, and not when that is put there.
  for (const folder of [layout.configInput, layout.inputData, layout.model]) {
    await makeDirectory(folder);
  }
  const engine = await host.engine();
  requireNetworks(engine, job);
  requireShards(job.hosts.shards, channels.map(({ name }) => name));
  const [image, region, work, looked] = await Promise.all([
    imageToRun(engine, job, host),
    regionOf(job, host),
    load(),
    lookAt(layout, channels.map(inContainer)),
  ]);
  const broken = brokenDifferences(layout, looked, job.strict);
  const program = await programOf(job, known, image);
  const lent = await withCredentials(job, host.messages);
  const container = jobName(job.app.name, "train");
  const names = [...channels.map(({ name }) => name), ...sent ? [CODE_CHANNEL] : []].sort();
  await withRun(layout, host, async (run) => {
    const { name, record } = run;
    record.measure(metrics);
    const places = placesIn(run.directory, container, job.hosts.count);
    const launch = launchOf(program, { name, region });
    const all = { ...hyperparameters, ...launch.hyperparameters };
    const linked = planLinked(looked, run.directory, job);
    await layLinked(linked, layout, host.interruption.signal);
    await layShards(job.hosts, places, linked, host.messages);
    const model = modelOfRun(layout, name);
    await makeLike(layout.model, model);
    const restored: Restored[] = [];
    const installing = { job, isRoot: isRoot(image.Config?.User), engine, host };
    // One after the other, so that no host is prepared after a failure.
    const hosts = await Array.fromAsync(places, async (place, index): Promise<HostRun> => {
      const { directory } = place;
      const input = join(directory, "input");
      const config = join(input, "config");
      const files = trainingFiles(
        all,
        names.map((name) => ({ name, isSharded: isSharded(job.hosts.shards, name) })),
        clusterFor(engine, place, job),
      );
      await writeConfiguration(config, files);
      await copyConfiguration(layout, config, Object.keys(files));
      const data = linked.map((one) => ({
        ...one,
        source: shardOn(job.hosts, place, one.name) ?? one.source,
      }));
      const { mounts, left } = await makeInput(layout, input, data, {
        copies: job.copyInputs,
        isStrict: hasOwnAlone(job),
      });
      if (left > 0 && index === 0) warnOfLeft(layout, left, host.messages);
      const pip = sent &&
        await (await import("./sent_code.ts")).layCode(sent, program.launcher, {
          ...installing,
          folder: join(input, "data", CODE_CHANNEL),
          networkFolder: join(directory, "network"),
        });
      openToContainer(input);
      const own = trainingFolders(layout, model, place, places.length === 1);
      await makeLike(layout.model, own.model);
      if (job.checkpoints && places.length > 1) {
        const { restore } = await import("./hosts/restored.ts");
        const copied = restore(layout.checkpoints, own.checkpoints, host.interruption.signal);
        const words = `Copying the checkpoints for ${place.host}`;
        restored.push(await (host.waiting?.during(() => words, copied) ?? copied));
      }
      return {
        ...place,
        plan: (ofImage) =>
          trainPlan(lent, {
            name: place.container,
            jobName: name,
            region,
            ...ofImage,
            inputFolder: input,
            inputs: mounts,
            folders: own,
            launch,
            pip,
          }),
        written: [own.output, own.model, ...(job.checkpoints ? [own.checkpoints] : [])],
      };
    });
    let written = 0;
    let isPlaced = false;
    await work({
      kind: "train",
      run,
      image,
      mask: await maskOf(lent),
      launcher: program.launcher,
      sent,
      hosts,
      places: [layout.output, model, ...job.checkpoints ? [layout.checkpoints] : []],
      again: "mlcli local train",
      looked,
      differences: [
        ...broken,
        ...hyperparameterDifferences(all),
        ...channelDifferences(names, sent ? [] : empty),
        ...commandDifferences("training", launch.entrypoint ?? [], launch.arguments ?? []),
      ],
      checkPaths,
      uploaded: [{ source: model, path: PATHS.model }],
      merge: async (first) => {
        const { mergeTraining } = await import("./hosts/merged.ts");
        return await mergeTraining(layout, model, places, first, restored, host.messages);
      },
      facts: factsOf("train", job, container, {
        hyperparameters,
        channels: Object.fromEntries(
          channels.map(({ name, source }) => [name, recordedPath(layout, source)]),
        ),
        options: {
          stop_after: job.stopAfter,
          checkpoints: job.checkpoints,
          ...job.program.distribution && { distribution: job.program.distribution },
          ...sent && {
            launcher: program.launcher,
            entry_point: job.program.code?.entryPoint,
            source_dir: recordedPath(layout, sent.source.path),
          },
        },
      }),
      stopAfter: job.stopAfter,
      settle: async (ending) => {
        written = ending === "failed" ? 0 : await filesIn(model);
        const settled = await settleModel(layout, name, ending, host, job.strict);
        isPlaced = settled.moved !== undefined;
        return settled;
      },
      report: async (outcome, messages) => {
        if (metrics && outcome.status === 0) {
          sayMetrics(metrics.all, messages);
          sayUnmatched(metrics, fileOf(job), messages);
        }
        if (job.stopAfter !== undefined) {
          messages.state(await rehearsalText(layout, job.stopAfter, written, outcome));
        }
        const place = typedPath(layout, layout.model);
        if (!isPlaced) return;
        run.sayLast(() => messages.note(`Model: ${place} (run ${name})`));
      },
    });
  });
}

function warnOfLeft(layout: Paths, left: number, messages: Host["messages"]): void {
  messages.warning(
    `${left} files and directories in ${typedPath(layout, layout.input)} are missing in the ` +
      `container: mlcli mounts only ${MOST_OTHERS} outside channels`,
    "Move files into a channel, which is a directory in input/data",
  );
}
