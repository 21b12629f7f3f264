/**
 * Paths that a Dockerfile names.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import { normalize } from "@std/path/normalize";

/**
 * A path of the build context, as builders take it: without `.` and `..` in it, and without a slash
 * at its start or end. Empty: the whole context.
 */
export function cleanedPath(path: string): string {
  const text = normalize(path).replaceAll(SEPARATOR, "/").replace(/^\/+|\/+$/g, "");
  return text === "." ? "" : text;
}
