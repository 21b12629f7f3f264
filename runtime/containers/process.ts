/**
 * `local process`: one of the user's processing scripts, in a container.
 *
 * @module
 */

import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { requireProcessingFile, requireTestDirectory } from "../project/layout.ts";
import { processingFiles } from "./contract_files.ts";
import { jobName, runJob } from "./job.ts";
import { type PlanInput, processCommand, processPlan } from "./plan.ts";
import type { RunConsole } from "./run.ts";
import { withRunFolder } from "./run_folder.ts";

/** Which script to run. */
export interface ProcessRequest extends PlanInput {
  /** Relative to `processing/`, as the user typed it. */
  readonly file: string;
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
  await requireTestDirectory(layout);
  const file = await requireProcessingFile(layout, request.file);
  const engine = await request.engine();
  const name = jobName(request.app, "process");
  const files = processingFiles(request.image, processCommand(file));
  await withRunFolder(engine, layout, name, files, async (configFolder) => {
    const body = processPlan({ ...request, file, name, configFolder });
    await runJob({ ...request, engine, title: "Processing", reasonFile: "message" }, name, body);
  });
}
