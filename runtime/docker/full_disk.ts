/**
 * The words of a full disk: the engine has no status for it, and programs in containers have none
 * either.
 *
 * @module
 */

/** strerror(3) of ENOSPC and EDQUOT; Go writes the same small (syscall/zerrors_linux_amd64.go). */
const FULL = /no space left on device|disk quota exceeded/i;

/** Whether words say that a disk has no room. */
export function saysDiskFull(words: string): boolean {
  return FULL.test(words);
}

/** What frees the disk of the engine, which holds images, containers and caches of builds. */
export const FREES_ENGINE_DISK =
  "docker system df shows what takes room there, and docker system prune removes what nothing uses.";

/** What to do where it is full. */
export const ENGINE_DISK_FULL = `The disk of the Docker Engine is full: ${FREES_ENGINE_DISK}`;
