import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { relative } from "@std/path/relative";
import { shellWord } from "../text.ts";

export { shellWord } from "../text.ts";

/** The directories that shown paths depend on. */
export interface Viewpoint {
  /** Absolute path of a directory: paths below it are shown as relative ones. */
  readonly directory: string;
  /** Absolute path of the current directory: `directory`, the default, or one below it. */
  readonly cwd?: string;
}

/** Returns a path as the user would type it: relative below the directory, else absolute. */
export function typedPath({ directory, cwd = directory }: Viewpoint, path: string): string {
  const typed = relative(cwd, path);
  return typed === "" || isOutside(relative(directory, path)) ? path : typed;
}

/** Returns a path for a run's record, which does not depend on the current directory. */
export function recordedPath({ directory }: Viewpoint, path: string): string {
  return path === directory ? "." : typedPath({ directory }, path);
}

/** Returns the command that completes an app, since `init` looks for it in the current directory only. */
export function initCommand({ directory, cwd = directory }: Viewpoint, words: string): string {
  const place = cwd === directory ? "" : ` --directory ${shellWord(relative(cwd, directory))}`;
  return `mlcli${place} init ${words}`;
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
