/** A requirements file of a project that mlcli did not make, with the files that it refers to. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { type FoundReference, NO_RULES, requirementTree, slashed } from "../app/requirements.ts";
import { cleanedPath } from "../app/typed_path.ts";
import { decodeRequirements, type RequirementLine } from "../contract/requirement_lines.ts";
import { isDirectory, lstatIfThere } from "../files.ts";
import type { GivenFile } from "../image/scaffold.ts";
import { inOneLine } from "../text.ts";
import { bytesIn, copiesOf, leftOutText, type Project } from "./project.ts";

/** The text of a requirements file; `undefined` as for `textIn`. */
export async function requirementsTextIn(
  project: Project,
  path: string,
): Promise<string | undefined> {
  const bytes = await bytesIn(project, path);
  return bytes && decodeRequirements(bytes);
}

export interface TakenRequirements {
  /** Lines of the file itself that the app can use, without comments. */
  readonly lines: readonly string[];
  /** Lines of all files that it cannot. */
  readonly dropped: readonly string[];
  /** The files that it refers to. */
  readonly files: readonly GivenFile[];
  /** Sentences about references that do not come along. */
  readonly left: readonly string[];
}

/**
 * Finds what a requirements file of a project becomes at another place. Included files keep their
 * place beside it, and others theirs in the directory that pip runs in.
 *
 * @param to relative to the app's directory.
 * @param fits whether a line without references may come along; without it, files stay as they are.
 */
export async function takenRequirements(
  project: Project,
  path: string,
  to: string,
  name: string,
  fits?: (line: string) => boolean,
): Promise<TakenRequirements> {
  const { path: directory, boundary } = project;
  const root = {
    directory,
    boundary,
    owner: "project",
    rules: NO_RULES,
  } as const;
  const tree = await requirementTree(root, path);
  const places = new Map([[slashed(path), to]]);
  const left: string[] = [];
  const refused = new Set<RequirementLine>();
  const copied: GivenFile[] = [];
  for (const reference of tree.references) {
    const { file, line, target } = reference;
    const includer = places.get(file);
    if (includer === undefined) continue;
    // The rest of the line may lead elsewhere.
    if (fits !== undefined && /:\/\/|\$\{/.test(line.text)) refused.add(line);
    if (refused.has(line)) continue;
    const place = placeOf(reference, includer);
    const why = reference.problem?.message ?? await refusal(project, target, place, name);
    if (why === undefined) places.set(target, place);
    else {
      refused.add(line);
      left.push(`Not copied: ${why}`);
    }
  }
  const comesAlong = (line: RequirementLine): boolean =>
    fits === undefined || !refused.has(line) && (line.references.length > 0 || fits(line.text));
  const dropped: string[] = [];
  const linesOf = (file: string): readonly string[] => {
    const lines = tree.files.get(file) ?? [];
    dropped.push(...lines.filter((line) => !comesAlong(line)).map(({ text }) => text));
    return lines.filter(comesAlong).map(({ text }) => text);
  };
  const lines = linesOf(slashed(path));
  for (const [target, place] of [...places].slice(1)) {
    const source = join(directory, target);
    // The project's directory becomes the app's.
    if (source === join(project.cwd, place)) continue;
    if (fits !== undefined && tree.files.has(target)) {
      copied.push({ path: place, content: `${linesOf(target).join("\n")}\n` });
    } else if (await isDirectory(source)) {
      const { files, leftOut } = await copiesOf(project, target, place);
      copied.push(...files);
      left.push(...leftOutText(leftOut));
    } else copied.push({ path: place, content: (to) => Deno.copyFile(source, to) });
  }
  // A directory may hold files that have lines of their own.
  const files = [...new Map(copied.map((file) => [file.path, file])).values()];
  return { lines, dropped, files, left };
}

/** @param includer the place of the file that has the line. */
function placeOf(
  { kind, isOfApp, file, path, target }: FoundReference,
  includer: string,
): string {
  // pip looks for archives beside the file, and then in its own directory.
  const isOwn = isOfApp || kind === "find" && cleanedPath(path) === target;
  return isOwn ? target : slashed(dirname(includer), relative(`/${dirname(file)}`, `/${target}`));
}

/** Files that only pip reads: any other could be code of the app, or settings of other programs. */
const OF_PIP = /\.(?:txt|in|html?|whl|zip|tgz|tar(?:\.\w+)?)$/i;

/** Why mlcli does not copy something that a project names; `undefined` if it does. */
async function refusal(
  project: Project,
  target: string,
  place: string,
  name: string,
): Promise<string | undefined> {
  const [shown, where] = [inOneLine(target), inOneLine(place)];
  const source = join(project.path, target);
  const isFolder = await isDirectory(source);
  const isOfApp = isFolder && `${place}/`.startsWith(`${name}/`);
  if (isOfApp || place.split("/").some((part) => part.startsWith("."))) {
    return `${shown} would become ${where}`;
  }
  if (!isFolder) return OF_PIP.test(place) ? undefined : `${shown} is not a file of pip`;
  const here = join(project.cwd, place);
  const isTaken = source !== here && await lstatIfThere(here) !== undefined;
  return isTaken ? `this directory already has ${where}/` : undefined;
}
