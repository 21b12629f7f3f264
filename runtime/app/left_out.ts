/** Which files of a directory a build takes into the image, and which it leaves out. */

import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { SEPARATOR } from "@std/path/constants";
import { isDirectory } from "../files.ts";
import type { App } from "./app.ts";
import { escapeOf } from "./confinement.ts";
import { isJunk } from "./junk.ts";
import { followLink } from "./links.ts";
import { cannotRead, isPrivateName, staysOut, TEST_DATA } from "./private_files.ts";
import { typedPath } from "./typed_path.ts";
import { type IgnoreRules, parseIgnoreRules, readIgnoreRules } from "./ignore_rules.ts";

/** Besides junk, caches, version control and editors' files: nobody misses them in an image. */
const NOT_MISSED = new RegExp(
  "^(__pycache__|.*\\.py[co]|\\.(mypy|pytest|ruff)_cache|\\.?venv" +
    "|\\.git.*|\\.hg|\\.svn|\\.dockerignore|\\.idea|\\.vscode|.*~|\\..*\\.sw[a-p]|\\.#.*|#.*#)$",
);

/** How many files and directories are looked at by default. A directory of data can have more. */
const MOST_ENTRIES = 2_000;

/** How many are looked at to compare them with an image. */
export const MOST_SENT = 20_000;

/** Paths relative to the app's directory, with slashes. */
export interface Sent {
  readonly files: readonly string[];
  /**
   * What stays out because `.dockerignore` says so or because it is private. A path with a slash at
   * its end is a directory of which nothing is sent.
   */
  readonly leftOut: readonly string[];
}

/** A directory of an app, whose links are followed, or without a boundary a context of the user's own. */
export type Root = Pick<App, "directory"> & Partial<Pick<App, "boundary">>;

interface SentOptions {
  /** How many entries are listed at most. */
  readonly most?: number;
  /** Absolute path of the file that is used instead of `.dockerignore`. */
  readonly ignoreFile?: string | undefined;
}

/**
 * Looks through a directory of the app, or of a context of the user's own. Both lists are without
 * caches, test data and version control, and empty if the directory is missing or leads out of the
 * app's repository.
 *
 * @throws MlcliError when `.dockerignore` is broken, or something cannot be read.
 */
export async function sentOf(
  app: Root,
  directory: string,
  { most = MOST_ENTRIES, ignoreFile }: SentOptions = {},
): Promise<Sent> {
  const files: string[] = [];
  const leftOut: string[] = [];
  const { boundary } = app;
  const isOut = boundary && await escapeOf({ ...app, boundary }, directory) !== undefined;
  if (isOut || !await isDirectory(directory)) return { files, leftOut };
  const rules = await readIgnoreRules(app.directory, ignoreFile);
  const open: Folder[] = [{
    path: relative(app.directory, directory).replaceAll(SEPARATOR, "/"),
    privatePart: undefined,
  }];
  let looked = 0;
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    for (const { name, ...entry } of entriesOf(app, folder.path)) {
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      const isTestData = TEST_DATA.test(join(app.directory, path));
      if (isTestData || isJunk(name) || NOT_MISSED.test(name)) continue;
      if (looked++ === most) return { files, leftOut };
      const info = targetOf(app, path, rules) ?? entry;
      const privatePart = folder.privatePart ?? (isPrivateName(name) ? path : undefined);
      if (info.isDirectory) {
        if (isLeftOutWhole(rules, path, privatePart)) leftOut.push(`${path}/`);
        else open.push({ path, privatePart });
      } else if (
        rules.ignores(path) || await staysOut(rules, app.directory, path, privatePart, info.isFile)
      ) leftOut.push(path);
      else files.push(path);
    }
  }
  return { files, leftOut };
}

/** Returns what a link leads to if a build follows it. */
export function targetOf(
  { directory, boundary }: Root,
  path: string,
  rules: IgnoreRules,
): Deno.FileInfo | undefined {
  const place = join(directory, path);
  if (boundary === undefined || !Deno.lstatSync(place).isSymlink) return undefined;
  const followed = followLink(place, boundary, realParentsOf(directory, path));
  return followed.target === undefined || !isSent(rules, directory, followed.target)
    ? undefined
    : followed.info;
}

/** Returns the real paths of the directories between a directory and a path in it. */
export function realParentsOf(directory: string, path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, depth) => Deno.realPathSync(join(directory, ...names.slice(0, depth + 1))));
}

/** Returns whether a build sends what a link in the code leads to: not test data, nor what is ignored. */
export function isSent(rules: IgnoreRules, directory: string, target: string): boolean {
  const path = relative(Deno.realPathSync(directory), target).replaceAll(SEPARATOR, "/");
  return !TEST_DATA.test(target) && !rules.ignores(path);
}

/**
 * Returns whether links of code are followed: those that a build sends, and not to test data.
 *
 * @param directory of the app.
 * @param folder absolute path of the code.
 */
export async function followedInCode(
  directory: string,
  folder: string,
): Promise<(path: string, target?: string) => boolean> {
  // The build reports a broken file.
  const rules = await readIgnoreRules(directory).catch(() => parseIgnoreRules(""));
  const base = relative(directory, folder).replaceAll(SEPARATOR, "/");
  return (path, target) =>
    !rules.ignores(`${base}/${path}`) && !path.split("/").some((name) => isPrivateName(name)) &&
    (target === undefined || isSent(rules, directory, target));
}

interface Folder {
  readonly path: string;
  /** The outermost private directory that is the folder, or contains it. */
  readonly privatePart: string | undefined;
}

/** Whether nothing in a directory gets into the image: then it is not searched. */
function isLeftOutWhole(
  rules: IgnoreRules,
  path: string,
  privatePart: string | undefined,
): boolean {
  if (rules.ignores(path)) return !rules.mayHoldException(path);
  return privatePart !== undefined && !rules.bringBack(path, privatePart) &&
    !rules.mayBringBackBelow(path, privatePart);
}

function entriesOf(app: Pick<App, "directory">, folder: string): readonly Deno.DirEntry[] {
  const directory = join(app.directory, folder);
  try {
    const entries = [...Deno.readDirSync(directory)];
    return entries.sort((one, other) => one.name < other.name ? -1 : 1);
  } catch (error) {
    throw cannotRead(typedPath(app, directory), error);
  }
}
