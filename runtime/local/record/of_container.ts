/**
 * The record of a run whose mlcli is gone, found by the name of its container.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { isObject, parseJson } from "../../text.ts";
import type { Outcome, RunSummary } from "./document.ts";
import { RECORD_FILES, recordsOf } from "./records.ts";

/** The record of a container's run; `undefined` where there is none that can be read. */
export async function recordOfContainer(
  layout: Layout,
  container: string,
): Promise<RunSummary | undefined> {
  const records = await recordsOf(layout).catch(() => []);
  return records.find((record) => record.container === container);
}

/**
 * Writes into the record of a run how it ended, where that has become known later. (When it ended is
 * not.) A record is no must: a failure is not said.
 */
export async function completeRecord(
  layout: Layout,
  container: string,
  outcome: Outcome,
): Promise<void> {
  const record = await recordOfContainer(layout, container);
  if (record?.status !== "Lost") return;
  const path = join(layout.jobs, record.name, RECORD_FILES.document);
  try {
    const document = parseJson(await readTextFile(path, LARGEST_TEXT));
    if (!isObject(document)) return;
    const text = `${JSON.stringify({ ...document, outcome }, null, 2)}\n`;
    // createNew: never through a link that somebody left there.
    await Deno.writeTextFile(`${path}.part`, text, { createNew: true });
    await Deno.rename(`${path}.part`, path);
  } catch {
    await Deno.remove(`${path}.part`).catch(() => {});
  }
}
