/**
 * `mlcli local process`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { withContainerOptions } from "./container_options.ts";
import type { ContainerOptions } from "./local_job.ts";

interface Options extends ContainerOptions {
  readonly file: string;
  readonly input?: string;
}

/** Runs a processing script. */
export function processCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("Run a processing script on the test data.");
  return withContainerOptions(command)
    .option("-f, --file <file:string:script>", "The script, relative to processing/.", {
      required: true,
    })
    .option("--input <dir:file>", "A directory instead of input/data/processing, read-only.")
    .example("Run processing/processing.py", "mlcli local process --file processing.py")
    .action(async (options: Options) => {
      const { localJob } = await import("./local_job.ts");
      const { process } = await import("../../runtime/local/process.ts");
      const { absolutePath } = await import("../../runtime/app/typed_path.ts");
      await process({
        ...await localJob(context, options),
        file: options.file,
        input: options.input === undefined ? undefined : absolutePath(context.cwd, options.input),
      }, context);
    });
}
