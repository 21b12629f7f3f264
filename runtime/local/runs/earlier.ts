import { isLeft } from "../../owner.ts";
import { isUnfinished, runDirectoryOf, runNames } from "../../model/runs.ts";
import { finishMove } from "../../model/versions.ts";
import type { LocalJob } from "../jobs.ts";
import type { AdoptHost } from "./adopt.ts";

/**
 * Handles leftovers of earlier commands of the app, and tells the user about them. Without leftovers, which
 * is the usual case, does not call the engine.
 */
export async function settleEarlierRuns(job: LocalJob, host: AdoptHost): Promise<void> {
  const layout = job.app.paths;
  await finishMove(layout, { messages: host.messages, signal: host.interruption.signal });
  const left: string[] = [];
  for (const name of runNames(layout)) {
    const isOver = await isUnfinished(layout, name) && await isLeft(runDirectoryOf(layout, name));
    if (isOver) left.push(name);
  }
  if (left.length > 0) await (await import("./adopt.ts")).adoptRuns(job, left, host);
}
