/**
 * `local process`: one of the user's processing scripts, in a container.
 *
 * @module
 */

import { imageReference } from "../app/app.ts";
import {
  type Layout,
  layoutOf,
  requireLayoutInside,
  requireProcessingFile,
  requireTestDirectory,
} from "../app/layout.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { processingFiles } from "../contract/configuration_files.ts";
import { jobName, platformJobName } from "../contract/job_names.ts";
import { processingArguments } from "../contract/jobs.ts";
import { UsageError } from "../errors.ts";
import { statIfThere } from "../files.ts";
import { runJob } from "./job.ts";
import type { Host, ProcessingJob } from "./jobs.ts";
import { processPlan } from "./plan.ts";
import { withRunFolder } from "./run_folder.ts";

/**
 * Runs the script. What it wrote is in the layout's `output` afterwards.
 *
 * @throws MlcliError when the layout, the script, the image or the engine cannot be used.
 * @throws UserCodeError when the script failed.
 */
export async function process(job: ProcessingJob, host: Host): Promise<void> {
  const layout = layoutOf(job.app);
  const checkPaths = () =>
    requireLayoutInside(
      layout,
      "processing",
      job.input === undefined ? [] : [layout.processingData],
      inputRemedy(job.file),
    );
  await checkPaths();
  await requireTestDirectory(layout);
  const inputFolder = await inputOf(layout, job.input);
  const script = await requireProcessingFile(layout, job.file);
  const engine = await host.engine();
  const region = await host.region(job.app.configuration);
  const name = jobName(job.app.name, "process");
  const files = processingFiles({
    job: { name: platformJobName(job.app.name, new Date().toISOString()), region },
    image: imageReference(job.app, job.tag),
    entrypoint: [],
    arguments: processingArguments(script),
    variables: {},
  });
  await withRunFolder(engine, layout, name, files, async ({ config }) => {
    await runJob(job, {
      kind: "process",
      name,
      checkPaths,
      plan: (withInit) =>
        processPlan(job, { name, region, withInit, script, configFolder: config, inputFolder }),
    }, host);
  });
}

/** What to do when the test data lies somewhere else. */
function inputRemedy(file: string): (target: string) => string {
  return (target) =>
    "If you trust that path, name the data yourself: " +
    `mlcli local process --file ${shellWord(file)} --input ${shellWord(target)}`;
}

/** @throws UsageError when the path that the user named is not a directory. */
async function inputOf(layout: Layout, named: string | undefined): Promise<string> {
  if (named === undefined) return layout.processingData;
  if ((await statIfThere(named))?.isDirectory) return named;
  throw new UsageError(
    `Not a directory: ${typedPath(layout.directory, named)} (--input)`,
    {
      hint: "It takes a directory on this machine.",
    },
  );
}
