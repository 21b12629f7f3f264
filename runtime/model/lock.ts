/**
 * The lock of an app's model: who moves it has it alone, who starts something on it shares it until it
 * is mounted. The system takes it back when the process ends, however that is.
 */

import { join } from "@std/path/join";
import type { Paths } from "../app/paths.ts";
import { isSystemError } from "../errors.ts";
import { lstatIfThere } from "../files.ts";
import type { Messages } from "../messages.ts";
import { abortOf } from "../time.ts";
import { giveToOwner, makeJobs } from "./runs.ts";

/** Time without a note about the wait, in ms. */
const SILENCE = 1_000;

/** Who waits. */
export interface LockHost {
  readonly messages: Messages;
  /** Ends the wait; its reason is thrown. Absent while a run's model is moved. */
  readonly signal?: AbortSignal;
}

/** Does something while no other command moves the app's model. */
export function sharingModel<T>(
  layout: Paths,
  host: LockHost,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(layout, "shared", host, work);
}

/** Does something while no other command moves the app's model, or starts something on it. */
export function movingModel<T>(layout: Paths, host: LockHost, work: () => Promise<T>): Promise<T> {
  return withLock(layout, "alone", host, work);
}

async function withLock<T>(
  layout: Paths,
  kind: "shared" | "alone",
  host: LockHost,
  work: () => Promise<T>,
): Promise<T> {
  using file = await openLock(layout);
  if (file !== undefined) await acquire(file, kind === "alone", host);
  return await work();
}

/** A file, as newer versions of Deno have it. */
interface Tried {
  tryLock?(exclusive: boolean): Promise<boolean>;
}

async function acquire(
  file: Deno.FsFile,
  isAlone: boolean,
  { messages, signal }: LockHost,
): Promise<void> {
  try {
    // Deno 2.6 has no `tryLock`. With `tryLock`, mlcli needs no timer, whose first use takes 10 ms.
    if (await (file as Tried).tryLock?.(isAlone)) return;
    const timer = setTimeout(() => messages.note(WAITING), SILENCE);
    const held = file.lock(isAlone);
    held.catch(() => {});
    try {
      await (signal === undefined ? held : Promise.race([held, abortOf(signal)]));
    } finally {
      clearTimeout(timer);
    }
  } catch (error) {
    if (signal?.aborted || !isSystemError(error)) throw error;
    // Some file systems have no locks. Only the command that moves the model prints the note.
    if (isAlone) messages.note(NO_LOCKS);
  }
}

const WAITING = "Waiting for another mlcli command that uses the app's model";
const NO_LOCKS = "The app's file system has no locks, so run only one command of the app at a time";

/**
 * Returns `undefined` if the lock cannot be created: on a full disk, or in an app that cannot be written to.
 */
async function openLock(layout: Paths): Promise<Deno.FsFile | undefined> {
  const path = join(layout.jobs, ".lock");
  try {
    await makeJobs(layout);
    const info = await lstatIfThere(path);
    // Not through a link that a repository holds.
    if (info !== undefined && !info.isFile) await Deno.remove(path, { recursive: true });
    const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
    await giveToOwner(path);
    return file;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
