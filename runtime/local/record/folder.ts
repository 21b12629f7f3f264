/**
 * The directory of a record.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { platformJobName } from "../../contract/names.ts";
import { fileErrorReason, isSystemError } from "../../errors.ts";
import { lstatIfThere, removeIfThere } from "../../files.ts";
import { type MessageStream, tell, warningText } from "../../messages.ts";
import type { Clock } from "../../time.ts";

/** Where a record is written, and what it may touch. */
export interface RecordPlace {
  readonly layout: Layout;
  readonly clock: Pick<Clock, "date">;
  readonly err: MessageStream;
}

/** Where a record lies. */
export interface RecordFolder {
  /** `undefined` where it could not be made. */
  readonly path: string | undefined;
  /** Whether it is the first of its app. */
  readonly isFirst: boolean;
}

/** A directory of a name that no other run has: two of the same millisecond get two. */
export async function newFolder(
  base: string,
  place: RecordPlace,
): Promise<{ readonly name: string; readonly folder: RecordFolder }> {
  const { layout: { jobs }, clock } = place;
  const start = clock.date().getTime();
  const nameAt = (time: number): string => platformJobName(base, new Date(time).toISOString());
  let isFirst = false;
  try {
    isFirst = await lstatIfThere(jobs) === undefined;
    await Deno.mkdir(jobs, { recursive: true });
    await ignoreAll(jobs);
    for (let time = start;; time++) {
      const path = join(jobs, nameAt(time));
      try {
        await Deno.mkdir(path, { mode: 0o700 });
        return { name: nameAt(time), folder: { path, isFirst } };
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (isFirst) await removeEmpty(jobs);
    sayNoRecord(place, error);
    return { name: nameAt(start), folder: { path: undefined, isFirst: false } };
  }
}

/** Takes away what was made for a run that never began, as far as nobody else uses it. */
export async function removeFolder(
  { path, isFirst }: RecordFolder,
  { layout: { jobs } }: RecordPlace,
): Promise<void> {
  if (path === undefined) return;
  await Deno.remove(path).catch(() => {});
  if (isFirst) await removeEmpty(jobs);
}

/** Removes the directory of records if there is none in it. */
async function removeEmpty(jobs: string): Promise<void> {
  const others = await Array.fromAsync(Deno.readDir(jobs), ({ name }) => name).catch(() => [""]);
  if (others.some((name) => name !== IGNORE)) return;
  await removeIfThere(join(jobs, IGNORE)).catch(() => {});
  await Deno.remove(jobs).catch(() => {});
}

const IGNORE = ".gitignore";

/** Git leaves out what is in it; a file of the user's own stays. */
async function ignoreAll(jobs: string): Promise<void> {
  const path = join(jobs, IGNORE);
  try {
    await Deno.writeTextFile(path, "*\n", { createNew: true });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    // An empty one would be taken for the user's own.
    await removeIfThere(path).catch(() => {});
    throw error;
  }
}

/** Says that a record cannot be written. */
export function sayNoRecord({ layout, err }: RecordPlace, error: unknown): void {
  const jobs = typedPath(layout.directory, layout.jobs);
  tell(
    err,
    warningText(
      `The run leaves no whole record in ${jobs}: ${fileErrorReason(error)}`,
      "The run itself goes on.",
    ),
  );
}
