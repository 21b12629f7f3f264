/**
 * The records of an app's runs: `local_test/jobs/NAME/`.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { LARGEST_TEXT, lstatIfThere, readTextFile, removeIfThere } from "../../files.ts";
import { isRunOver } from "../../model/runs.ts";
import { type RunSummary, summaryOf } from "./document.ts";

/** How many are kept. */
export const KEPT_RECORDS = 50;

/** What a record consists of. */
export const RECORD_FILES = {
  document: "job.json",
  values: "metrics.csv",
  picture: "metrics.svg",
} as const;

/** The records that there are, the newest first. What is none of mlcli's is left out. */
export async function recordsOf(layout: Layout): Promise<readonly RunSummary[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(layout.jobs)) {
      if (isDirectory) names.push(name);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  const found = await Promise.all(names.map((name) => recordOf(layout, name)));
  return found.filter((record) => record !== undefined).sort((a, b) =>
    b.started.getTime() - a.started.getTime() || (a.name < b.name ? 1 : -1)
  );
}

/** One record; `undefined` where there is none of that name. */
async function recordOf(layout: Layout, name: string): Promise<RunSummary | undefined> {
  const path = join(layout.jobs, name, RECORD_FILES.document);
  const info = await lstatIfThere(path).catch(() => undefined);
  if (!info?.isFile) return undefined;
  const summary = summaryOf(name, await readTextFile(path, LARGEST_TEXT).catch(() => ""));
  if (summary?.status !== "InProgress") return summary;
  return await isOver(layout, summary.container) ? { ...summary, status: "Lost" } : summary;
}

/** Whether no mlcli sees to a container any more. A record may name anything as its container. */
async function isOver(layout: Layout, container: string): Promise<boolean> {
  return !/^[\w.-]+$/.test(container) || await isRunOver(layout, container);
}

/**
 * Removes the oldest records, until as many are left as are kept: the files that mlcli wrote, and the
 * directory if nothing else is in it. A failure is none of the run that ends.
 */
export async function removeOldRecords(layout: Layout): Promise<void> {
  try {
    const count = (await Array.fromAsync(Deno.readDir(layout.jobs))).length;
    if (count <= KEPT_RECORDS) return;
    for (const { name, status } of (await recordsOf(layout)).slice(KEPT_RECORDS)) {
      if (status === "InProgress") continue;
      const folder = join(layout.jobs, name);
      const { document, values, picture } = RECORD_FILES;
      // The document last: without it, nobody knows whose the rest is.
      const files = [values, picture, document].flatMap((file) => [`${file}.part`, file]);
      for (const file of files) await removeIfThere(join(folder, file));
      await Deno.remove(folder).catch(() => {});
    }
  } catch {
    // Another command does the same, or somebody keeps them.
  }
}
