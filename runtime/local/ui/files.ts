/**
 * What a run keeps, read for the page. A repository may have brought anything in the place of it: no link
 * is followed, and nothing but files is read.
 */

import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { requireInside } from "../../app/confinement.ts";
import { isMissing } from "../../errors.ts";
import { RECORD_FILES, recordOf, type RunSummary } from "../../model/records.ts";
import { isRunName, runDirectoryOf } from "../../model/runs.ts";
import { currentRun } from "../../model/versions.ts";
import type { CurvesPart, FileEntry, Files, LogPart } from "../../page/api.ts";
import { noSuchRun } from "../runs/list.ts";
import { curvesIn } from "./curves.ts";

/** The most that is read of a run's values, in bytes: mlcli keeps 100,000 of them. */
export const MOST_VALUES = 32 * 1024 ** 2;

/** The most of a log in an answer, in bytes. */
const MOST_LOG = 256 * 1024;

const MOST_FILES = 1_000;

const NEW_LINE = 10;

/** @throws UsageError where there is no such run; MlcliError where the records lie elsewhere. */
async function foundRun(layout: Paths, name: string): Promise<RunSummary> {
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  const isThere = isRunName(name) && lstatOrNothing(runDirectoryOf(layout, name))?.isDirectory;
  const run = isThere ? await recordOf(layout, name) : undefined;
  if (run === undefined) throw noSuchRun(name);
  return run;
}

/** What became of a run's metrics, from a place in the file on. */
export async function curvesOf(layout: Paths, name: string, from: number): Promise<CurvesPart> {
  const { started } = await foundRun(layout, name);
  return curvesIn(valuesOf(layout, name, from), from, started.getTime());
}

function valuesOf(layout: Paths, name: string, from: number): Uint8Array {
  const path = join(runDirectoryOf(layout, name), RECORD_FILES.values);
  return bytesOf(path, from, MOST_VALUES - from);
}

/** A run's metrics; of one whose record has none yet, by the values that have come. */
export function metricsOf(
  layout: Paths,
  { name, metrics }: Pick<RunSummary, "name" | "metrics">,
): RunSummary["metrics"] {
  if (Object.keys(metrics).length > 0) return metrics;
  const { curves } = curvesIn(valuesOf(layout, name, 0), 0, 0);
  return Object.fromEntries(
    Object.entries(curves).map(([metric, { value }]) => [metric, {
      last: value.at(-1)!,
      min: value.reduce((least, one) => Math.min(least, one)),
      max: value.reduce((most, one) => Math.max(most, one)),
      count: value.length,
    }]),
  );
}

/**
 * A part of a run's log, whole lines where that is possible, and whole letters.
 *
 * @param from `undefined`: its end.
 */
export async function logOf(layout: Paths, name: string, from?: number): Promise<LogPart> {
  await foundRun(layout, name);
  const path = join(runDirectoryOf(layout, name), RECORD_FILES.log);
  const size = fileSize(path);
  const start = from ?? Math.max(0, size - MOST_LOG);
  const bytes = bytesOf(path, start, MOST_LOG);
  const begin = from === undefined && start > 0 ? bytes.indexOf(NEW_LINE) + 1 : 0;
  const isLast = start + bytes.length >= size;
  const lines = isLast ? 0 : bytes.lastIndexOf(NEW_LINE) + 1;
  const end = Math.max(begin, lines || endOfLetters(bytes));
  const text = new TextDecoder().decode(bytes.subarray(begin, end));
  return { from: start + begin, next: start + end, text };
}

/** Without the beginning of a letter of UTF-8 at the end. */
function endOfLetters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) return bytes.length - back;
    if (byte < 0x80 || byte >= 0xc0) break;
  }
  return bytes.length;
}

/** The files of a run; of the one whose model is the current one, those of the model, too. */
export async function filesOf(layout: Paths, name: string): Promise<Files> {
  await foundRun(layout, name);
  const entries = [...entriesIn(runDirectoryOf(layout, name), "").take(MOST_FILES + 1)];
  if (await currentRun(layout) === name) {
    await requireInside(layout, [layout.testDirectory, layout.model]);
    entries.push(...entriesIn(layout.model, "model/").take(MOST_FILES + 1));
  }
  entries.sort((one, other) => one.path < other.path ? -1 : 1);
  return { entries: entries.slice(0, MOST_FILES), is_cut: entries.length > MOST_FILES };
}

/** What is in a directory at any depth; nothing where it went meanwhile, or is closed to this user. */
function* entriesIn(directory: string, prefix: string): Generator<FileEntry> {
  if (!lstatOrNothing(directory)?.isDirectory) return;
  let found: readonly Deno.DirEntry[] = [];
  try {
    found = [...Deno.readDirSync(directory)];
  } catch {
    return;
  }
  for (const { name, isFile, isDirectory, isSymlink } of found) {
    const place = join(directory, name);
    const path = prefix + name;
    const kind = isFile ? "file" : isDirectory ? "directory" : isSymlink ? "link" : "other";
    yield { path, kind, bytes: fileSize(place) };
    if (isDirectory) yield* entriesIn(place, `${path}/`);
  }
}

export function lstatOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The size of a file; 0 where none is there, or something else. */
export function fileSize(path: string): number {
  const info = lstatOrNothing(path);
  return info?.isFile ? info.size : 0;
}

/** Returns the text of a file, as `bytesOf` reads it. */
export function textAt(path: string, most: number): string {
  return new TextDecoder().decode(bytesOf(path, 0, most));
}

/** Bytes of a file, so many at most; none where none is there, or something else. */
function bytesOf(path: string, from: number, most: number): Uint8Array {
  const length = Math.min(most, fileSize(path) - from);
  if (length <= 0) return new Uint8Array();
  try {
    using file = Deno.openSync(path);
    file.seekSync(from, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, file.readSync(bytes) ?? 0);
  } catch (error) {
    if (isMissing(error)) return new Uint8Array();
    throw error;
  }
}
