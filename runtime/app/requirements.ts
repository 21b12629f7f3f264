/**
 * What names the packages of an app's image: a requirements file and what it refers to, or the
 * `pyproject.toml` and the `uv.lock` of a project of uv.
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import {
  decodeRequirements,
  type Reference,
  type RequirementLine,
  requirementLines,
} from "../contract/requirement_lines.ts";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { isDirectory, isFile, readFile, readTextFile, statIfThere } from "../files.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";
import { DEFAULT_REQUIREMENTS } from "./configuration.ts";
import { type Confined, escapeOf, PUT_IT_THERE, requireInside } from "./confinement.ts";
import { type IgnoreRules, parseIgnoreRules, readIgnoreRules } from "./ignore_rules.ts";
import { MOST_SENT, sentOf } from "./left_out.ts";
import { cannotRead, IGNORE_FILE, privatePartOf, staysOut, TEST_DATA } from "./private_files.ts";
import { cleanedPath, isOutside } from "./typed_path.ts";

export interface Requirements {
  /** Relative to the directory of `NAME.json`, with slashes. */
  readonly files: readonly string[];
  readonly isLock: boolean;
}

const PROJECT = "pyproject.toml";
const LOCK = "uv.lock";

/** In bytes; a lock of a thousand packages has some MiB. */
const LARGEST_LOCK = 64 * 1024 ** 2;

/** In bytes; with the hashes of a thousand packages, a file has 1 or 2 MiB. */
const LARGEST_REQUIREMENTS = 4 * 1024 ** 2;

/** The most references of a tree: Ctrl-C is not heard before all are checked. */
const MOST_REFERENCES = 1000;

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
  /^source = \{ (?:editable|directory|virtual|path|git|url) = "((?:[^"\\]|\\.){0,2000})"/gm;

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
    throw new MlcliError(
      `${lock} contains a package that is not on a package index: ${inOneLine(place)}`,
      {
        hint:
          "Copy your own code into the app's directory, or list the package in a requirements.txt: " +
          `from ${lock}, mlcli build installs only packages that are on an index`,
      },
    );
  }
}

/** No `.dockerignore`. */
export const NO_RULES = (): Promise<IgnoreRules> => parseIgnoreRules("");

/** A directory with requirements files. */
export interface RequirementsRoot extends Confined {
  /** As its paths begin in messages; empty: the user is in it. */
  readonly shown?: string;
  /** Whose directory it is, for messages. */
  readonly owner: "app" | "code" | "project";
  /** What stays out besides what is private. Called if there is a reference. */
  readonly rules: () => Promise<IgnoreRules>;
}

/** A path that a requirements file names. */
export interface FoundReference extends Reference {
  /** The file that names it. Paths are relative to the root, with slashes. */
  readonly file: string;
  readonly line: RequirementLine;
  /** Empty: the root itself. */
  readonly target: string;
  /** Why it cannot be sent. */
  readonly problem?: MlcliError;
}

/** A requirements file, and those that it includes. */
export interface RequirementTree {
  /** By path; the file itself is the first. */
  readonly files: ReadonlyMap<string, readonly RequirementLine[]>;
  readonly references: readonly FoundReference[];
  /** Requirements of all files, and those of constraints files after `-c `. */
  readonly packages: readonly string[];
  /** Whether it is UTF-8 without a mark at its start, and refers to nothing. */
  readonly isPlain: boolean;
}

/** The requirements of an app; `undefined` for a project of uv. */
export async function requirementTreeOf(app: App): Promise<RequirementTree | undefined> {
  const { files: [file = ""], isLock } = await requirementsOf(app);
  const rules = () => readIgnoreRules(app.directory);
  return isLock ? undefined : await requirementTree({ ...app, owner: "app", rules }, file);
}

/** Requires that a build can send what the requirements of an app refer to. @throws MlcliError */
export async function requireReferences(app: App): Promise<RequirementTree | undefined> {
  const tree = await requirementTreeOf(app);
  for (const { problem } of tree?.references ?? []) if (problem !== undefined) throw problem;
  return tree;
}

/** Returns an empty tree if the file cannot be read. @param more lines that count as its last ones. */
export async function requirementTree(
  root: RequirementsRoot,
  file: string,
  more = "",
): Promise<RequirementTree> {
  const files = new Map<string, readonly RequirementLine[]>();
  const references: FoundReference[] = [];
  const packages: string[] = [];
  let isUtf8 = true;
  const visit = async (file: string, isConstraint: boolean): Promise<void> => {
    if (files.has(file)) return;
    const bytes = await bytesOf(root, join(root.directory, file)).catch(() => new Uint8Array());
    const text = decodeRequirements(bytes);
    isUtf8 &&= new TextEncoder().encode(text).toHex() === bytes.toHex();
    const lines = requirementLines(files.size === 0 ? `${text}\n${more}` : text);
    files.set(file, lines);
    for (const line of lines) {
      const { requirement, reference } = line;
      if (requirement !== undefined) packages.push(`${isConstraint ? "-c " : ""}${requirement}`);
      if (reference === undefined) continue;
      if (references.length === MOST_REFERENCES) {
        throw new MlcliError(`${inOneLine(file)} refers to more than ${MOST_REFERENCES} files`);
      }
      const found = await foundReference(root, file, line, reference);
      references.push(found);
      if (found.problem === undefined && isIncluded(found)) {
        await visit(found.target, found.kind === "constraints");
      }
    }
  };
  await visit(cleanedPath(file), false);
  return { files, references, packages, isPlain: isUtf8 && references.length === 0 };
}

async function bytesOf(root: RequirementsRoot, path: string): Promise<Uint8Array> {
  await requireInside(root, [path]);
  return await readFile(path, LARGEST_REQUIREMENTS);
}

/** Whether pip reads what is named as a requirements file. */
export function isIncluded({ kind }: Reference): boolean {
  return kind === "requirements" || kind === "constraints";
}

async function foundReference(
  root: RequirementsRoot,
  file: string,
  line: RequirementLine,
  reference: Reference,
): Promise<FoundReference> {
  const beside = cleanedPath(join(dirname(file), reference.path));
  // pip looks for archives beside the file, and then in the directory that it runs in.
  const startsAtFile = isIncluded(reference) || reference.kind === "find" &&
      await statIfThere(join(root.directory, beside)).catch(() => undefined) !== undefined;
  const target = startsAtFile ? beside : cleanedPath(reference.path);
  const found = { ...reference, file, line, target };
  const problem = await problemOf(root, found, startsAtFile ? dirname(file) : ".")
    .catch((cause) => cause instanceof MlcliError ? cause : cannotRead(inOneLine(target), cause));
  return problem === undefined ? found : { ...found, problem };
}

/** What keeps a path from being sent. @param start the directory that it starts at. */
async function problemOf(
  root: RequirementsRoot,
  { file, line, path, target }: FoundReference,
  start: string,
): Promise<MlcliError | undefined> {
  const where = `${inOneLine(join(root.shown ?? "", file))}, line ${line.line}: ${inOneLine(path)}`;
  const whole = `the ${root.owner}'s directory`;
  if (isOutside(target)) {
    return new MlcliError(`${where} is outside ${whole}`, {
      hint: `Copy it into ${whole} and use the path of the copy`,
    });
  }
  if (target === "") {
    return new MlcliError(`${where} is ${whole} itself`, {
      hint: "Remove the line: the image contains the app's code anyway. Put a package into a " +
        "subdirectory, such as ./lib.",
    });
  }
  const place = join(root.directory, target);
  const escape = await escapeOf(root, place);
  if (escape !== undefined) {
    return new MlcliError(`${where} ${escape.words}`, { hint: PUT_IT_THERE });
  }
  const info = await statIfThere(place);
  if (info === undefined) {
    return new MlcliError(`${where} does not exist`, {
      hint: "Create it, or fix its path, which is relative to " +
        (start === "." ? whole : inOneLine(start)),
    });
  }
  const rules = await root.rules();
  const hint = `To send it anyway, add the line !${inOneLine(target)} to the end of ${IGNORE_FILE}`;
  if (rules.ignores(target) && !(info.isDirectory && rules.mayHoldException(target))) {
    return new MlcliError(`${where} is excluded by ${IGNORE_FILE}`, { hint });
  }
  const real = cleanedPath(relative(Deno.realPathSync(root.directory), Deno.realPathSync(place)));
  for (const path of [target, real]) {
    if (TEST_DATA.test(path)) {
      return new MlcliError(`${where} is test data, which mlcli never sends to a build`, {
        hint: "Move it out of mlcli_base/local_test",
      });
    }
    if (await staysOut(rules, root.directory, path, privatePartOf(path), info.isFile)) {
      return new MlcliError(`${where} is private, so a build does not send it`, { hint });
    }
  }
}

/** Returns absolute paths of the files that the packages of an app's image are made of. */
export async function requirementSources(app: App): Promise<readonly string[]> {
  const { files } = await requirementsOf(app);
  const { references = [] } = await requirementTreeOf(app) ?? {};
  const paths = [...files];
  for (const { target, problem } of references) {
    if (problem !== undefined) continue;
    const path = join(app.directory, target);
    const sent = await isDirectory(path) ? await sentOf(app, path, { most: MOST_SENT }) : undefined;
    paths.push(...sent?.files ?? [target]);
  }
  return [...new Set(paths)].map((path) => join(app.directory, path));
}
