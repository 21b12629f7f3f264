/** The runs of an app as they come, change and go. */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { requireInside } from "../../app/confinement.ts";
import { lstatIfThere } from "../../files.ts";
import { RECORD_FILES, recordOf } from "../../model/records.ts";
import { runDirectoryOf, runNames } from "../../model/runs.ts";
import type { Event, ListedRun } from "../../page/api.ts";
import { jsonRun } from "../runs/json.ts";
import { fileSize } from "./files.ts";

/** A run when its record was read. */
interface SeenRun {
  /** Another one of a run that has changed. */
  readonly stamp: string;
  /** `undefined`: a directory that is no run's. */
  readonly run: ListedRun | undefined;
}

/** By name; a run that has not changed is the same object. */
export type SeenRuns = ReadonlyMap<string, SeenRun>;

/** Looks at all of them. A record is read again where it has changed, or may have ended meanwhile. */
export async function lookAtRuns(layout: Layout, before: SeenRuns = new Map()): Promise<SeenRuns> {
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  const found = await Promise.all(
    runNames(layout).map(async (name) =>
      [name, await seenRun(layout, name, before.get(name))] as const
    ),
  );
  const isSame = found.length === before.size &&
    found.every(([name, run]) => before.get(name) === run);
  return isSame ? before : new Map(found);
}

async function seenRun(layout: Layout, name: string, before?: SeenRun): Promise<SeenRun> {
  const path = (file: string): string => join(runDirectoryOf(layout, name), file);
  const document = await lstatIfThere(path(RECORD_FILES.document)).catch(() => undefined);
  const log_bytes = fileSize(path(RECORD_FILES.log));
  const curve_bytes = fileSize(path(RECORD_FILES.values));
  const stamp = [document?.mtime?.getTime(), document?.size, log_bytes, curve_bytes].join(" ");
  const isSame = before?.stamp === stamp;
  if (isSame && before.run?.status !== "InProgress") return before;
  const summary = await recordOf(layout, name);
  // It may have been lost without another trace.
  if (isSame && before.run?.status === summary?.status) return before;
  return { stamp, run: summary && { ...jsonRun(summary), log_bytes, curve_bytes } };
}

/** What is new to one who knows what was seen before. */
export function runsEvent(before: SeenRuns, now: SeenRuns): Event {
  const listed = [...now].filter(([name, seen]) => before.get(name) !== seen);
  const gone = [...before].filter(([name, seen]) => seen.run && !now.get(name)?.run);
  return {
    kind: "runs",
    runs: listed.flatMap(([, { run }]) => run ? [run] : []),
    gone: gone.map(([name]) => name),
  };
}
