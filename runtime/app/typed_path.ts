import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { relative } from "@std/path/relative";

export { shellWord } from "../text.ts";

/** A path as the user would type it in `directory`: relative when it lies below, else absolute. */
export function typedPath(directory: string, path: string): string {
  const inner = relative(directory, path);
  return inner === "" || isOutside(inner) ? path : inner;
}

export function absolutePath(directory: string, typed: string): string {
  return isAbsolute(typed) ? normalize(typed) : join(directory, typed);
}

/** Whether a relative, normalized path leads out of the directory that it starts in. */
export function isOutside(path: string): boolean {
  return isAbsolute(path) || /^\.\.([/\\]|$)/.test(path);
}

/**
 * A path of the build context, as builders take it: without `.` and `..` in it, and without a slash
 * at its start or end. Empty: the whole context.
 */
export function cleanedPath(path: string): string {
  const text = normalize(path).replaceAll(SEPARATOR, "/").replace(/^\/+|\/+$/g, "");
  return text === "." ? "" : text;
}
