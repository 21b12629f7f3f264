/** A requirements file of a project that mlcli did not make, with the files that it refers to. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { isIncluded, NO_RULES, requirementTree } from "../app/requirements.ts";
import { cleanedPath } from "../app/typed_path.ts";
import type { RequirementLine } from "../contract/requirement_lines.ts";
import { isDirectory, lstatIfThere } from "../files.ts";
import type { GivenFile } from "../image/scaffold.ts";
import { inOneLine } from "../text.ts";
import { copiesOf, leftOutText, named, type Project } from "./project.ts";

export interface TakenRequirements {
  /** Lines of the file itself that the app can use, without comments. */
  readonly lines: readonly string[];
  /** Lines of all files that it can use. */
  readonly all: readonly string[];
  /** Lines of all files that it cannot. */
  readonly dropped: readonly string[];
  /** The files that it refers to. */
  readonly files: readonly GivenFile[];
  /** Sentences about references that do not come along, and packages that PyPI lacks. */
  readonly left: readonly string[];
}

/**
 * Finds what a requirements file of a project becomes at another place. Included files keep their
 * place beside it, and others theirs in the directory that pip runs in.
 *
 * @param to relative to the app's directory.
 * @param fits whether a line may come along; with a reference, only if what it names does.
 * @param more lines that count as the last ones of the file.
 */
export async function takenRequirements(
  project: Project,
  path: string,
  to: string,
  name: string,
  fits: (line: RequirementLine) => boolean,
  more = "",
): Promise<TakenRequirements> {
  const { path: directory, boundary } = project;
  const root = { directory, boundary, owner: "project", rules: NO_RULES } as const;
  const tree = await requirementTree(root, path, more);
  const references = new Map(tree.references.map((reference) => [reference.line, reference]));
  const places = new Map([[cleanedPath(path), to]]);
  const left: string[] = [];
  const comesAlong = async (line: RequirementLine, includer: string): Promise<boolean> => {
    const reference = references.get(line);
    if (reference === undefined || !fits(line)) return fits(line);
    const { target } = reference;
    const place = cleanedPath(
      isIncluded(reference) ? join(dirname(includer), reference.path) : reference.path,
    );
    const why = reference.problem?.message ?? await refusal(project, target, place, name);
    if (why === undefined) places.set(target, place);
    else if (left.length < 20) left.push(`Not copied: ${why}`.slice(0, 400));
    return why === undefined;
  };
  const kept = new Map<string, string[]>();
  const dropped: string[] = [];
  for (const [file, lines] of tree.files) {
    const includer = places.get(file);
    if (includer === undefined) continue;
    const texts: string[] = [];
    for (const line of lines) (await comesAlong(line, includer) ? texts : dropped).push(line.text);
    kept.set(file, texts);
  }
  const files: GivenFile[] = [];
  for (const [target, place] of [...places].slice(1)) {
    const source = join(directory, target);
    // The project's directory becomes the app's.
    if (source === join(project.cwd, place)) continue;
    const texts = kept.get(target);
    if (texts !== undefined) files.push({ path: place, content: `${texts.join("\n")}\n` });
    else if (await isDirectory(source)) {
      const copies = await copiesOf(project, target, place);
      // An included file may lie in the directory, and replaces its copy.
      files.unshift(...copies.files);
      left.push(...leftOutText(copies.leftOut));
    } else files.push({ path: place, content: (to) => Deno.copyFile(source, to) });
  }
  const unique = new Map(files.map((file) => [file.path, file]));
  const lines = kept.get(cleanedPath(path)) ?? [];
  const all = [...kept.values()].flat();
  left.push(...ofOtherIndexes(all, to));
  return { lines, all, dropped, files: [...unique.values()], left };
}

/** Returns a sentence about lines that mlcli doesn't trust; none without lines. */
export function droppedText(dropped: readonly string[], to: string): readonly string[] {
  return named(`Not from a package index (add the ones you trust to ${to})`, dropped);
}

/** Says what to do about packages such as torch==2.1.0+cu118, unless the lines name an index. */
function ofOtherIndexes(lines: readonly string[], to: string): readonly string[] {
  if (lines.some((line) => /^-(i|f|-(extra-)?index-url|-find-links)\b/.test(line))) return [];
  const version = /==[ \t]*[\w.!]{1,50}\+([\w.]{1,50})/;
  const labels = Map.groupBy(lines, (line) => version.exec(line)?.[1]?.toLowerCase() ?? "");
  return [...labels].flatMap(([label, packages]) => {
    const isTorch = /^(cpu|xpu|cu\d+|rocm[\d.]+)$/.test(label);
    const index = isTorch ? `https://download.pytorch.org/whl/${label}` : "INDEX";
    const words = `Not on PyPI (add the line "--extra-index-url ${index}" to ${to}, ` +
      `or remove "+${label}" to use PyPI's build)`;
    return label === "" ? [] : named(words, packages);
  }).slice(0, 20);
}

/** Files that only pip reads: any other could be code of the app, or settings of other programs. */
const OF_PIP = /\.(?:txt|in|html?|whl|zip|tgz|tar(?:\.\w+)?)$/i;

/** Why mlcli does not copy something that a project names; `undefined` if it does. */
async function refusal(
  { path, cwd }: Project,
  target: string,
  place: string,
  name: string,
): Promise<string | undefined> {
  const [source, here] = [join(path, target), join(cwd, place)];
  const isNew = source === here || await lstatIfThere(here) === undefined;
  const isOfApp = `${place}/`.startsWith(`${name}/`);
  const isHidden = /(?:^|\/)\./.test(place);
  const fits = await isDirectory(source) ? isNew && !isOfApp : OF_PIP.test(place);
  if (fits && !isHidden) return undefined;
  return `${inOneLine(target)} is not a requirements file, an archive or a new directory`;
}
