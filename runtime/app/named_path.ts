/**
 * Paths that the user types. They may lead anywhere, since the user chose them; but where a link in a
 * repository leads, its author chose.
 */

import { SEPARATOR_PATTERN } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { MlcliError } from "../errors.ts";
import { lstatIfThere, MOST_LINKS } from "../files.ts";
import { inOneLine } from "../text.ts";
import { appNames } from "./app.ts";
import { escapeOf, workTreeOf } from "./confinement.ts";
import { absolutePath, isOutside, shellWord } from "./typed_path.ts";

/**
 * Requires that no link of a repository on the way of a typed path leads out of that repository, or
 * to something private in it. A link outside of repositories is the user's own.
 *
 * @param cwd absolute path of the current directory. With an app in it, it counts as a repository.
 * @param option what comes before a path, for the hint: `--input-dir `, `--input training=`.
 * @param links how many of the user's own are followed: more, or a circle, cannot be opened.
 * @throws MlcliError
 */
export async function requireNamed(
  cwd: string,
  typed: string,
  option: string,
  links = MOST_LINKS,
): Promise<void> {
  const path = absolutePath(cwd, typed);
  for (const link of await linksOn(path)) {
    const folder = dirname(link);
    const boundary = await repositoryOf(cwd, folder);
    if (boundary === undefined) {
      if (links === 0) return;
      // The user's own link may lead to a link of a repository.
      const target = absolutePath(await Deno.realPath(folder), await Deno.readLink(link));
      return await requireNamed(cwd, join(target, relative(link, path)), option, links - 1);
    }
    const escape = await escapeOf({ directory: folder, boundary }, link);
    if (escape === undefined) continue;
    const behind = join(escape.target, relative(link, path));
    throw new MlcliError(`${inOneLine(typed)} ${inOneLine(escape.words)}`, {
      hint: escape.isPrivate
        ? "A link of the repository leads to it. mlcli reads private files only by their own path."
        : "A link of the repository leads there. If you mean that place, name it yourself: " +
          `${option}${shellWord(behind)}`,
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
