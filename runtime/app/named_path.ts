/**
 * Paths that the user types. They may lead anywhere, since the user chose them; but where a link in a
 * repository leads, its author chose.
 */

import { SEPARATOR_PATTERN } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { MlcliError, UsageError } from "../errors.ts";
import { isDirectory, lstatIfThere, MOST_LINKS, realPathOf } from "../files.ts";
import type { Setting } from "../setting.ts";
import { inOneLine } from "../text.ts";
import { type App, appNames, settingOf } from "./app.ts";
import { boundaryOf, escapeOf, workTreeOf } from "./confinement.ts";
import { isPrivateName } from "./private_files.ts";
import { absolutePath, isOutside, shellWord, typedPath } from "./typed_path.ts";
import { writtenTop } from "./written.ts";

/** A path that is an option's value, or that of a key of the app's file. */
export interface NamedPath {
  /** Relative to the current directory if it was typed, or else to the file. */
  readonly named: Setting<string>;
  /** `--source-dir` */
  readonly option: string;
  /** `source_dir` */
  readonly key: string;
}

/**
 * Returns where such a path leads. If only the file names it, it has to be in the app's repository, with
 * links followed, and not private. (A path that is typed has passed `requireNamed`.)
 *
 * @throws MlcliError
 */
export async function placeNamed(
  app: Pick<App, "name" | "directory" | "cwd" | "boundary">,
  { named: { value: named, from }, option, key }: NamedPath,
): Promise<{ readonly path: string; readonly shown: string }> {
  const isTyped = from === "typed";
  const path = absolutePath(isTyped ? app.cwd : app.directory, named);
  const shown = path === app.cwd ? "." : typedPath(app, path);
  if (isTyped) return { path, shown };
  const inner = relative(app.boundary, await realPathOf(path));
  const isPrivate = inner.split(SEPARATOR_PATTERN).some(isPrivateName);
  if (!isOutside(inner) && !isPrivate) return { path, shown };
  throw new MlcliError(
    `"${key}" in ${app.name}.json ${
      isPrivate ? "is a private path" : `is outside ${app.boundary}`
    }: ${inOneLine(named)}`,
    { hint: `To use it anyway, set it on the command line: ${option} PATH` },
  );
}

/** A directory that a person, or an app's file, has named. */
export interface NamedDirectory {
  /** Absolute. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
  /** Real path of what no link in it may lead out of. */
  readonly boundary: string;
}

/**
 * The directory at such a path.
 *
 * @param what it holds, for the hint: `the code`.
 * @throws MlcliError as `placeNamed`, and where it is no directory: UsageError for one that is typed.
 */
export async function directoryNamed(
  app: Parameters<typeof placeNamed>[0],
  place: NamedPath,
  what: string,
): Promise<NamedDirectory> {
  const { path, shown } = await placeNamed(app, place);
  if (await isDirectory(path)) {
    const isWithin = !isOutside(relative(app.boundary, Deno.realPathSync(path)));
    return { path, shown, boundary: isWithin ? app.boundary : await boundaryOf(path) };
  }
  const Failure = place.named.from === "typed" ? UsageError : MlcliError;
  throw new Failure(`Not a directory: ${inOneLine(shown)}`, {
    hint: `Choose the directory of ${what} with ${place.option}, or ${place.key} in NAME.json`,
  });
}

/**
 * Returns the build context of the user's own Dockerfile; `undefined`: the app's directory is built.
 *
 * @param named default: what the configuration file sets.
 */
export async function ownContext(
  app: Pick<App, "name" | "directory" | "cwd" | "configuration" | "boundary">,
  named: Setting<string> | undefined = settingOf(app, "context"),
): Promise<NamedDirectory | undefined> {
  if (named === undefined) return undefined;
  const place = { named, option: "--context", key: "context" };
  return await directoryNamed(app, place, "your own Dockerfile");
}

/**
 * Requires that no link of a repository on the way of a typed path leads out of that repository, or
 * to something private in it. A link outside of repositories is the user's own.
 *
 * @param cwd absolute path of the current directory. With an app in it, it counts as a repository.
 * @param links how many of the user's own are followed: more, or a circle, cannot be opened.
 * @throws MlcliError
 */
export async function requireNamed(
  cwd: string,
  typed: string,
  links = MOST_LINKS,
): Promise<void> {
  const path = absolutePath(cwd, typed);
  for (const link of await linksOn(path)) {
    const folder = dirname(link);
    const boundary = await repositoryOf(cwd, folder) ?? writtenTop(await Deno.realPath(folder));
    if (boundary === undefined) {
      if (links === 0) return;
      // The user's own link may lead to a link of a repository, or to one that a container planted.
      const target = absolutePath(await Deno.realPath(folder), await Deno.readLink(link));
      return await requireNamed(cwd, join(target, relative(link, path)), links - 1);
    }
    const escape = await escapeOf({ directory: folder, boundary }, link);
    if (escape === undefined) continue;
    const behind = join(escape.target, relative(link, path));
    throw new MlcliError(`${inOneLine(typed)} ${inOneLine(escape.words)}`, {
      hint: escape.isPrivate
        ? "Use the file's own path: mlcli does not follow links of a repository to private data"
        : `Use the link's target: ${shellWord(behind)}`,
    });
  }
}

/** The links on the way of a path, and at its end. */
async function linksOn(path: string): Promise<readonly string[]> {
  const links: string[] = [];
  const names = path.split(SEPARATOR_PATTERN);
  for (let count = 1; count <= names.length; count++) {
    const part = names.slice(0, count).join("/") || "/";
    // Whoever opens the path reports what cannot be looked at.
    const info = await lstatIfThere(part).catch(() => undefined);
    if (info === undefined) break;
    if (info.isSymlink) links.push(part);
  }
  return links;
}

async function repositoryOf(cwd: string, folder: string): Promise<string | undefined> {
  const workTree = await workTreeOf(folder);
  if (workTree !== undefined) return workTree;
  const [here, real] = await Promise.all([Deno.realPath(cwd), Deno.realPath(folder)]);
  return !isOutside(relative(here, real)) && (await appNames(cwd)).length > 0 ? here : undefined;
}
