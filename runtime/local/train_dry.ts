/** `local train --dry-run`: which containers would run. Nothing is made, moved or pulled. */

import { join } from "@std/path/join";
import { typedPath } from "../app/typed_path.ts";
import { requireShards } from "../contract/hosts.ts";
import { holdsHarness, isRoot } from "../contract/images.ts";
import { launchOf } from "../contract/launch.ts";
import { jobName, platformJobName } from "../contract/names.ts";
import { KEY_VARIABLES } from "../contract/variables.ts";
import { isDirectory } from "../files.ts";
import { modelOfRun, runDirectoryOf } from "../model/runs.ts";
import { installsPackages } from "../source/source.ts";
import { mountedCode, NOT_MOUNTED } from "./code.ts";
import { requireLimits } from "./container/create.ts";
import { regionOf } from "./credentials.ts";
import { imageToRun } from "./differences/image.ts";
import { networkName, onNetwork } from "./hosts/network.ts";
import { placesIn, requireNetworks, shardOn, trainingFolders } from "./hosts/places.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { hasInit, hasOwnAlone, trainPlan } from "./plan.ts";
import {
  brokenDifferences,
  lookAt,
  notesOn,
  planLinked,
  pointerDifferences,
} from "./runs/linked.ts";
import { channelMounts, codeTree, MOST_OTHERS, othersIn } from "./runs/working_copy.ts";
import { pipPlan } from "./sent_code.ts";
import { inContainer } from "./channels.ts";
import { knownTraining, programOf } from "./known_training.ts";

/**
 * The run's name, its channels (host directories, as the user would type them), its hyperparameters, and
 * the body of the Engine's create call; of several hosts, that of each, and their network. Of variables
 * that may be secrets, a body has the names alone.
 *
 * @throws MlcliError for all that stands in the way of creating the container.
 */
export async function plannedTraining(
  job: TrainingJob,
  host: Host,
): Promise<Readonly<Record<string, unknown>>> {
  const known = await knownTraining(job, host);
  const { layout, sent, channels } = known;
  const engine = await host.engine();
  requireNetworks(engine, job);
  requireShards(job.hosts.shards, channels.map(({ name }) => name));
  const image = await imageToRun(engine, job, host, false);
  const region = await regionOf(job, host);
  const program = await programOf(job, known, image);
  const { codeFolder, commonFolder } = sent
    ? NOT_MOUNTED
    : await mountedCode(job, layout, "training", image, host.messages);
  const looked = await lookAt(layout, channels.map(inContainer));
  const broken = brokenDifferences(layout, looked, job.strict);
  const pointers = pointerDifferences(layout, looked, job.strict);
  for (const text of notesOn(layout, looked)) host.messages.note(text);
  host.messages.tell([...broken, ...pointers]);
  if (codeFolder !== undefined) await codeTree(codeFolder, layout);
  if (commonFolder !== undefined) await codeTree(commonFolder, layout);
  const name = platformJobName(job.app.name, host.clock.date().toISOString());
  const directory = runDirectoryOf(layout, name);
  const linked = planLinked(looked, directory, job);
  const isThere = !hasOwnAlone(job) && await isDirectory(layout.inputData);
  const others = isThere ? othersIn(layout, channels).slice(0, MOST_OTHERS) : [];
  const launch = launchOf(program, { name, region });
  const { count } = job.hosts;
  const places = placesIn(directory, jobName(job.app.name, "train"), count);
  const network = { name: networkName(name), addresses: {} };
  async function planned(place: (typeof places)[number]) {
    const networkFolder = join(place.directory, "network");
    const pip = sent && installsPackages(sent)
      ? await pipPlan({ job, isRoot: isRoot(image.Config?.User), networkFolder, engine, host })
      : undefined;
    const alone = trainPlan(job, {
      name: place.container,
      jobName: name,
      region,
      withInit: hasInit(job, image, program.launcher),
      codeFolder: codeFolder && join(place.directory, "code"),
      commonFolder: commonFolder && join(place.directory, "common"),
      isWritable: true,
      reportFile: holdsHarness(image) ? join(place.directory, "report") : undefined,
      inputFolder: join(place.directory, "input"),
      inputs: [
        ...job.copyInputs
          ? []
          : linked.flatMap((one) =>
            channelMounts({ ...one, source: shardOn(job.hosts, place, one.name) ?? one.source })
          ),
        ...others,
      ],
      folders: trainingFolders(layout, modelOfRun(layout, name), place, count === 1),
      launch,
      pip,
    });
    const body = count === 1 ? alone : onNetwork(alone, place.host, network);
    await requireLimits(engine, body);
    const secret = new Set(
      [job.variables, job.proxies, pip?.variables].flatMap((some) => Object.keys(some ?? {})),
    );
    const shown = (variable: string): string => {
      const [name = ""] = variable.split("=", 1);
      return secret.has(name) ? name : variable;
    };
    // AWS isn't asked for credentials.
    const Env = [...body.Env?.map(shown) ?? [], ...job.lender ? KEY_VARIABLES : []];
    return [place.host, { ...body, Env }] as const;
  }
  const containers = await Promise.all(places.map(planned));
  return {
    name,
    channels: Object.fromEntries(
      channels.map(({ name, source }) => [name, typedPath(layout, source)]),
    ),
    hyperparameters: { ...known.hyperparameters, ...launch.hyperparameters },
    ...count === 1 ? { container: containers[0]![1] } : {
      network: { Name: network.name, Internal: job.network === "none" },
      containers: Object.fromEntries(containers),
    },
  };
}
