/**
 * What to do where the user's code had no room for what it wrote.
 *
 * @module
 */

import { ENGINE_DISK_FULL, saysDiskFull } from "../docker/full_disk.ts";

/**
 * The hint for a failure in which the code said that a disk is full; `undefined` for others. Which one
 * that is shows in the path, which Python puts behind its words.
 *
 * @param words the line with which the code ended.
 */
export function fullDiskHint(words: string): string | undefined {
  if (!saysDiskFull(words)) return undefined;
  if (words.includes("/dev/shm")) return "/dev/shm is full: --shm-size gives more.";
  if (words.includes("/opt/ml/")) {
    return "The disk that holds the app is full: free some space there, and run it again.";
  }
  return `The disk that holds the app is full (/opt/ml), or else: ${ENGINE_DISK_FULL}`;
}
