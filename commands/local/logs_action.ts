import { join } from "@std/path/join";
import type { Context } from "../../runtime/context.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { readTextFile } from "../../runtime/files.ts";
import { LARGEST_LOG } from "../../runtime/local/runs/log.ts";
import { wholeRun } from "../../runtime/local/runs/list.ts";
import { showLogs } from "../../runtime/local/server/logs.ts";
import { chosenApp } from "../chosen_app.ts";
import type { LogsOptions } from "./logs.ts";

/** Prints the log of a server, or the kept log of a run. */
export async function logsAction(context: Context, options: LogsOptions): Promise<void> {
  const { run, follow, tail } = options;
  if (run === undefined) return await showLogs(options, context);
  if (follow) {
    throw new UsageError('Option "--follow" cannot be used with the name of a run', {
      hint: "Remove --follow. To follow a run, use the terminal where it was started.",
    });
  }
  const app = await chosenApp(context, options);
  const { run: { name }, places: { log } } = await wholeRun(app, run);
  if (log === null) throw new MlcliError(`Run ${name} has no log`);
  const lines = (await readTextFile(join(app.cwd, log), LARGEST_LOG)).split("\n").slice(0, -1);
  const encoder = new TextEncoder();
  for (const line of tail === "all" ? lines : lines.slice(Math.max(0, lines.length - tail))) {
    const stream = line.startsWith("err ") ? context.err : context.out;
    await stream.write(encoder.encode(`${line.replace(/^(out|err) /, "")}\n`));
  }
}
