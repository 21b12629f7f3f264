/**
 * What names the packages of an app's image: a requirements file, or the `pyproject.toml` and the
 * `uv.lock` of a project of uv.
 */

import { join } from "@std/path/join";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { isFile, readTextFile } from "../files.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";
import { DEFAULT_REQUIREMENTS } from "./configuration.ts";

export interface Requirements {
  /** Relative to the directory of `NAME.json`, with slashes. */
  readonly files: readonly string[];
  readonly isLock: boolean;
}

const PROJECT = "pyproject.toml";
const LOCK = "uv.lock";

/** In bytes; a lock of a thousand packages has some MiB. */
const LARGEST_LOCK = 64 * 1024 ** 2;

/**
 * The files of an app, there or not: what the configuration names; the project's where it names one
 * of its two files, or where there is no `requirements.txt` and both of the project's are.
 */
export async function requirementsOf(
  { directory, configuration: { requirements } }: Pick<App, "directory" | "configuration">,
): Promise<Requirements> {
  const [, folder = "", name = ""] = /^(.*\/)?([^/]*)$/.exec(requirements) ?? [];
  const project = { files: [`${folder}${PROJECT}`, `${folder}${LOCK}`], isLock: true };
  if (name === PROJECT || name === LOCK) return project;
  const isProject = requirements === DEFAULT_REQUIREMENTS &&
    await defaultRequirements(directory) === LOCK;
  return isProject ? project : { files: [requirements], isLock: false };
}

/** The requirements file of a directory where the configuration names none. */
export async function defaultRequirements(directory: string): Promise<string> {
  const isThere = (path: string): Promise<boolean> => isFile(join(directory, path));
  const isProject = !await isThere(DEFAULT_REQUIREMENTS) && await isThere(PROJECT) &&
    await isThere(LOCK);
  return isProject ? LOCK : DEFAULT_REQUIREMENTS;
}

/** A package of `uv.lock` that comes from no index, and so cannot be installed in an image. */
const OTHER_SOURCE =
  /^source = \{ (?:editable|directory|virtual|path|git|url) = "((?:[^"\\]|\\.)*)"/gm;

/**
 * Requires that all packages of a `uv.lock` come from indexes. The project itself is not installed:
 * its code is the app's.
 *
 * @throws MlcliError that names one that does not.
 */
export async function requireIndexedPackages(directory: string, lock: string): Promise<void> {
  const text = await readTextFile(join(directory, lock), LARGEST_LOCK).catch((cause) => {
    throw new MlcliError(`Cannot read ${lock}: ${fileErrorReason(cause)}`, { cause });
  });
  for (const [line, place = ""] of text.matchAll(OTHER_SOURCE)) {
    if (place === "." && /\{ (editable|virtual|directory) /.test(line)) continue;
    throw new MlcliError(`${lock} names a package that is on no index: ${inOneLine(place)}`, {
      hint:
        "mlcli build installs packages from indexes only, as the lock pins them. Put your own " +
        "code beside the app's, or name the package in a requirements.txt.",
    });
  }
}
