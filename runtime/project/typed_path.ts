/**
 * Paths in messages.
 *
 * @module
 */

import { isAbsolute } from "@std/path/is-absolute";
import { relative } from "@std/path/relative";

/** A path as the user would type it in `directory`: relative when it lies below, else absolute. */
export function typedPath(directory: string, path: string): string {
  const inner = relative(directory, path);
  return inner === "" || leaves(inner) ? path : inner;
}

/** Whether a relative path, normalized, leads out of where it starts. */
export function leaves(path: string): boolean {
  return isAbsolute(path) || /^\.\.([/\\]|$)/.test(path);
}
