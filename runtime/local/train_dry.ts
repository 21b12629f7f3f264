/** `local train --dry-run`: which container would run. Nothing is made, moved or pulled. */

import { join } from "@std/path/join";
import { typedPath } from "../app/typed_path.ts";
import { holdsHarness, isRoot } from "../contract/images.ts";
import { launchOf } from "../contract/launch.ts";
import { jobName, platformJobName } from "../contract/names.ts";
import { isDirectory } from "../files.ts";
import { noteText, tell } from "../messages.ts";
import { modelOfRun, runDirectoryOf } from "../model/runs.ts";
import { installsPackages } from "../source/source.ts";
import { mountedCode, NOT_MOUNTED } from "./code.ts";
import { requireLimits } from "./container/create.ts";
import { imageToRun } from "./differences/image.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { hasInit, trainPlan } from "./plan.ts";
import { MOST_OTHERS, othersIn } from "./runs/working_copy.ts";
import { pipPlan } from "./sent_code.ts";
import { knownTraining, programOf } from "./known_training.ts";

/**
 * The run's name, its channels (host directories, as the user would type them), its hyperparameters, and
 * the body of the Engine's create call. Of variables that may be secrets, that has the names alone.
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
  const image = await imageToRun(engine, job, host, false);
  const region = await host.region(job.app.configuration);
  const program = await programOf(job, known, image);
  const note = (text: string): void => tell(host.err, noteText(text));
  const { codeFolder, commonFolder } = sent
    ? NOT_MOUNTED
    : await mountedCode(job, layout, "training", image, note);
  const name = platformJobName(job.app.name, host.clock.date().toISOString());
  const directory = runDirectoryOf(layout, name);
  const isThere = !job.strict && await isDirectory(layout.inputData);
  const others = isThere ? othersIn(layout, channels).slice(0, MOST_OTHERS) : [];
  const launch = launchOf(program, { name, region, distribution: job.program.distribution });
  const networkFolder = join(directory, "network");
  const pip = sent && installsPackages(sent)
    ? await pipPlan({ job, isRoot: isRoot(image.Config?.User), networkFolder, engine, host })
    : undefined;
  const body = trainPlan(job, {
    name: jobName(job.app.name, "train"),
    jobName: name,
    region,
    withInit: hasInit(job, image, program.launcher),
    codeFolder: codeFolder && join(directory, "code"),
    commonFolder: commonFolder && join(directory, "common"),
    isWritable: true,
    reportFile: holdsHarness(image) ? join(directory, "report") : undefined,
    inputFolder: join(directory, "input"),
    inputs: [
      ...job.copyInputs
        ? []
        : channels.map(({ name, source }) => ({ path: `data/${name}`, source })),
      // A link is copied.
      ...others.filter(({ source }) => !Deno.lstatSync(source).isSymlink),
    ],
    modelFolder: modelOfRun(layout, name),
    outputFolder: layout.output,
    checkpointsFolder: job.checkpoints ? layout.checkpoints : undefined,
    launch,
    pip,
  });
  await requireLimits(engine, body);
  const secret = new Set([...Object.keys(job.variables), ...Object.keys(pip?.variables ?? {})]);
  const shown = (variable: string): string => {
    const [name = ""] = variable.split("=", 1);
    return secret.has(name) ? name : variable;
  };
  return {
    name,
    channels: Object.fromEntries(
      channels.map(({ name, source }) => [name, typedPath(layout.directory, source)]),
    ),
    hyperparameters: { ...known.hyperparameters, ...launch.hyperparameters },
    container: { ...body, Env: body.Env?.map(shown) },
  };
}
