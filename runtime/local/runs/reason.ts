/**
 * Why a run failed, in its code's words. They are in a file of the app's `output`, which two runs at
 * once share: what may be another run's is not quoted.
 */

import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { JOBS, type ProgramKind } from "../../contract/jobs.ts";
import { failureReason, REASON_BYTES } from "../../contract/outcome.ts";
import { lstatIfThere, removeTreeIfThere } from "../../files.ts";
import { isUnfinished, runNames } from "../../model/runs.ts";

/** Of which run this is to be known. */
export interface ReasonOf {
  readonly kind: ProgramKind;
  /** The run's name. */
  readonly name: string;
  /** Host directory that is `/opt/ml/output`. */
  readonly outputFolder: string;
}

/** What the code said. */
export interface Reason {
  readonly text: string | undefined;
  /** The file whose words are not quoted, since another run may have written them. */
  readonly unquoted: string | undefined;
}

/** What is known of a run's output at its end. */
export interface OwnOutput {
  /** Whether another run of the app may have written there, too, since the run began. */
  readonly isShared: boolean;
  /** @param reported what the harness in the container knows. */
  reason(reported: string | undefined): Promise<Reason>;
}

/**
 * Takes away the reason of an earlier run, and begins to notice other runs.
 *
 * @returns is called at the run's end.
 */
export async function watchOutput(
  layout: Paths,
  { kind, name, outputFolder }: ReasonOf,
): Promise<() => OwnOutput> {
  const path = join(outputFolder, JOBS[kind].reasonFile);
  const hadOthers = outputFolder === layout.output ? await noticeOthers(layout, name) : () => false;
  await clearReason(outputFolder, kind);
  // What cannot be taken away is no reason of this run, unless it changes.
  const before = await stateOf(path);
  return () => {
    const isShared = hadOthers();
    return {
      isShared,
      async reason(reported): Promise<Reason> {
        const isNew = await stateOf(path) !== before;
        const text = isNew ? await reasonIn(path) : undefined;
        if (!isShared) return { text: text ?? reported, unquoted: undefined };
        const isUntold = reported === undefined && text !== undefined;
        return { text: reported, unquoted: isUntold ? path : undefined };
      },
    };
  };
}

/**
 * Begins to notice other runs of the app. No clock is asked: each has a directory of its own.
 *
 * @returns tells whether another run was there at any time since. (It may say yes where a directory was
 * put there by something else.)
 */
async function noticeOthers(layout: Paths, run: string): Promise<() => boolean> {
  const before = new Set(runNames(layout));
  const unfinished = await Promise.all(
    [...before].map(async (name) => name !== run && await isUnfinished(layout, name)),
  );
  const hadOthers = unfinished.includes(true);
  // Where models are moved, a directory is made for one that a person put there.
  const isNew = (name: string): boolean => !before.has(name) && !name.startsWith("kept-");
  return () => {
    try {
      return hadOthers || runNames(layout).some(isNew);
    } catch {
      return true; // the directory cannot be read: nobody knows
    }
  };
}

/** Takes away the reason of an earlier run. */
export async function clearReason(outputFolder: string, kind: ProgramKind): Promise<void> {
  await removeTreeIfThere(join(outputFolder, JOBS[kind].reasonFile));
}

/** What changes when something is written; no clock is asked for it. */
async function stateOf(path: string): Promise<string> {
  const info = await lstatIfThere(path).catch(() => undefined);
  return [info?.dev, info?.ino, info?.size, info?.mtime?.getTime()].join();
}

/** The reason that user code wrote. It may be anything: a pipe, a link, a file of any size. */
async function reasonIn(path: string): Promise<string | undefined> {
  try {
    if (!(await Deno.lstat(path)).isFile) return undefined;
    using file = await Deno.open(path);
    const buffer = new Uint8Array(REASON_BYTES);
    const length = await file.read(buffer) ?? 0;
    return failureReason(buffer.subarray(0, length));
  } catch {
    return undefined; // the code gave no reason
  }
}
