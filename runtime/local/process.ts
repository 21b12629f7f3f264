/**
 * `local process`: one of the user's processing scripts, in a container.
 *
 * @module
 */

import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { UsageError } from "../errors.ts";
import { statIfThere } from "../files.ts";
import {
  type Layout,
  requireLayoutInside,
  requireProcessingFile,
  requireTestDirectory,
} from "../app/layout.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { processingFiles } from "../contract/configuration_files.ts";
import { jobName, runJob } from "./job.ts";
import { type PlanInput, processCommand, processPlan } from "./plan.ts";
import type { RunConsole } from "./container/run.ts";
import { withRunFolder } from "./run_folder.ts";

/** Which script to run. */
export interface ProcessRequest extends PlanInput {
  /** Relative to `processing/`, as the user typed it. */
  readonly file: string;
  /** Absolute path of data that the user named, instead of the layout's. */
  readonly input: string | undefined;
  readonly caller: Caller | undefined;
  readonly console: RunConsole;
  readonly engine: () => Promise<Engine>;
}

/**
 * Runs the script. What it wrote is in the layout's `output` afterwards.
 *
 * @throws MlcliError when the layout, the script, the image or the engine are not fit.
 * @throws UserCodeError when the script failed.
 */
export async function process(request: ProcessRequest): Promise<void> {
  const { layout } = request;
  const checkPaths = () =>
    requireLayoutInside(
      layout,
      "processing",
      request.input === undefined ? [] : [layout.processingData],
      inputRemedy(request.file),
    );
  await checkPaths();
  await requireTestDirectory(layout);
  const input = await inputOf(layout, request.input);
  const file = await requireProcessingFile(layout, request.file);
  const engine = await request.engine();
  const name = jobName(request.app, "process");
  const files = processingFiles(request.image, processCommand(file));
  await withRunFolder(engine, layout, name, files, async ({ config }) => {
    await runJob(
      { ...request, engine, checkPaths, title: "Processing", reasonFile: "message" },
      name,
      (withInit) => processPlan({ ...request, withInit, file, name, configFolder: config, input }),
    );
  });
}

/** What to do when the test data lies somewhere else. */
function inputRemedy(file: string): (target: string) => string {
  return (target) =>
    "If you trust that path, name the data yourself: " +
    `mlcli local process --file ${shellWord(file)} --input ${shellWord(target)}`;
}

/** @throws UsageError when the user named no directory. */
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
