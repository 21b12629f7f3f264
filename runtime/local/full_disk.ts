/**
 * What to do where the user's code had no room for what it wrote.
 *
 * @module
 */

import { statfs } from "node:fs/promises";
import { FREES_ENGINE_DISK, saysDiskFull } from "../docker/full_disk.ts";

/** With less room than this, in bytes, a disk counts as full: what failed was larger, mostly. */
const FULL = 1024 ** 2;

const APP = "The disk that holds the app is full: free some space there, and run it again.";
const SHARED_MEMORY = "/dev/shm is full: --shm-size gives more.";
const OTHER =
  "The disk that holds the app has room. It may be /dev/shm (--shm-size gives more), or the disk of " +
  `the Docker Engine, which has what is written elsewhere: ${FREES_ENGINE_DISK}`;

/**
 * The hint for a failure in which the code said that a disk is full; `undefined` for others. Which one
 * that is shows in the path, where Python puts one behind its words, or on the disk.
 *
 * @param words the line with which the code ended.
 * @param directory of the app, on this machine.
 */
export async function fullDiskHint(words: string, directory: string): Promise<string | undefined> {
  if (!saysDiskFull(words)) return undefined;
  if (words.includes("/dev/shm")) return SHARED_MEMORY;
  return words.includes("/opt/ml/") || await isFull(directory) ? APP : OTHER;
}

/** Of an engine on another machine, this is not the disk either. */
async function isFull(directory: string): Promise<boolean> {
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined) return false;
  const { bavail, bsize, files, ffree } = disk;
  // Some file systems do not count files.
  return bavail * bsize < FULL || (files > 0 && ffree === 0);
}
