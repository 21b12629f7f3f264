import { isLeft } from "../../owner.ts";
import { isUnfinished, runDirectoryOf, runNames } from "../../model/runs.ts";
import { finishMove } from "../../model/versions.ts";
import type { LocalJob } from "../jobs.ts";
import type { AdoptHost } from "./adopt.ts";

/**
 * Sees to what earlier commands of the app left, and tells the user what became of it. Where that is
 * nothing, which is nearly always, the engine is not asked.
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
