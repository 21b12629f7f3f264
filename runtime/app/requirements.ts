/**
 * What names the packages of an app's image: a requirements file and what it refers to, or the
 * `pyproject.toml` and the `uv.lock` of a project of uv.
 */

import { SEPARATOR } from "@std/path/constants";
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
import { isFile, readFile, readTextFile, realPathOf, statIfThere } from "../files.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";
import { DEFAULT_REQUIREMENTS } from "./configuration.ts";
import { type Confined, escapeOf, PUT_IT_THERE } from "./confinement.ts";
import { type IgnoreRules, parseIgnoreRules, readIgnoreRules } from "./ignore_rules.ts";
import { sentOf } from "./left_out.ts";
import { cannotRead, IGNORE_FILE, privatePartOf, staysOut, TEST_DATA } from "./private_files.ts";
import { isOutside } from "./typed_path.ts";

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

/** The requirements of an app that is not a project of uv. */
export async function requirementTreeOf(app: Confined, file: string): Promise<RequirementTree> {
  const rules = () => readIgnoreRules(app.directory);
  return await requirementTree({ ...app, owner: "app", rules }, file);
}

/** @returns an empty tree if the file is missing, or cannot be read. */
export async function requirementTree(
  root: RequirementsRoot,
  file: string,
): Promise<RequirementTree> {
  const files = new Map<string, readonly RequirementLine[]>();
  const references: FoundReference[] = [];
  const packages: string[] = [];
  const visited = new Set<string>();
  let isUtf8 = true;
  const visit = async (file: string, isConstraint: boolean): Promise<void> => {
    const mark = `${isConstraint}:${file}`;
    if (visited.has(mark)) return;
    visited.add(mark);
    const isKnown = files.has(file);
    const bytes = await bytesOf(root, file);
    const text = decodeRequirements(bytes);
    isUtf8 &&= new TextEncoder().encode(text).toHex() === bytes.toHex();
    const lines = requirementLines(text);
    files.set(file, lines);
    for (const line of lines) {
      if (line.requirement !== undefined) {
        packages.push(isConstraint ? `-c ${line.requirement}` : line.requirement);
      }
      for (const reference of line.references) {
        const found = await foundReference(root, file, line, reference);
        if (!isKnown) references.push(found);
        const { kind, target, problem } = found;
        if (isIncluded(kind) && problem === undefined) await visit(target, kind === "constraints");
      }
    }
  };
  await visit(slashed(file), false);
  return { files, references, packages, isPlain: isUtf8 && references.length === 0 };
}

/** Parts of a path, joined with slashes. */
export function slashed(first: string, ...parts: readonly string[]): string {
  return join(first, ...parts).replaceAll(SEPARATOR, "/");
}

async function bytesOf(root: RequirementsRoot, file: string): Promise<Uint8Array> {
  const path = join(root.directory, file);
  try {
    const isElsewhere = await escapeOf(root, path) !== undefined;
    return isElsewhere ? new Uint8Array() : await readFile(path, LARGEST_LOCK);
  } catch {
    return new Uint8Array();
  }
}

async function foundReference(
  root: RequirementsRoot,
  file: string,
  line: RequirementLine,
  reference: Reference,
): Promise<FoundReference> {
  const beside = slashed(dirname(file), reference.path);
  // pip looks for archives beside the file first.
  const startsAtFile = !reference.isOfApp && (reference.kind !== "find" ||
    await statIfThere(join(root.directory, beside)).catch(() => undefined) !== undefined);
  const path = startsAtFile ? beside : slashed(reference.path);
  const target = path.replace(/(?<=.)\/+$/, "");
  const found = { ...reference, file, line, target };
  const problem = await problemOf(root, found, startsAtFile ? dirname(file) : ".")
    .catch((cause) => cause instanceof MlcliError ? cause : cannotRead(inOneLine(target), cause));
  return problem === undefined ? found : { ...found, problem };
}

/** What keeps a path from being sent. @param start the directory that it starts at. */
async function problemOf(
  root: RequirementsRoot,
  { kind, file, line, path, target }: FoundReference,
  start: string,
): Promise<MlcliError | undefined> {
  const where = `${inOneLine(slashed(root.shown ?? "", file))}, line ${line.line}: ${
    inOneLine(path)
  }`;
  const whole = `the ${root.owner}'s directory`;
  if (isOutside(target)) {
    return new MlcliError(`${where} is outside ${whole}`, {
      hint: `Copy it into ${whole}, and write its path there.`,
    });
  }
  const beside = slashed(dirname(file), path);
  const isBeside = start !== dirname(file) && !isOutside(beside) &&
    await statIfThere(join(root.directory, beside)) !== undefined;
  const meant = isBeside
    ? `pip starts at ${whole}, not at that of the file: write ./${inOneLine(beside)}.`
    : undefined;
  if (target === ".") {
    return new MlcliError(`${where} is ${whole} itself`, {
      hint: meant ??
        "The image has the app's own code anyway. Put a package into a directory of its own, " +
          "such as ./lib.",
    });
  }
  const place = join(root.directory, target);
  const escape = await escapeOf(root, place);
  if (escape !== undefined) {
    return new MlcliError(`${where} ${escape.words}`, { hint: PUT_IT_THERE });
  }
  const info = await statIfThere(place);
  if (info === undefined) {
    const from = start === "." ? whole : inOneLine(start);
    return new MlcliError(`${where} does not exist`, {
      hint: meant ?? `Create it, or correct its path, which starts at ${from}.`,
    });
  }
  if (info.isDirectory && isIncluded(kind)) {
    return new MlcliError(`${where} is a directory`, { hint: "Name a file in it." });
  }
  const real = slashed(relative(await realPathOf(root.directory), await realPathOf(place)));
  if (TEST_DATA.test(target) || TEST_DATA.test(real)) {
    return new MlcliError(`${where} is test data, which is never sent`, {
      hint: "Put it into another directory.",
    });
  }
  const rules = await root.rules();
  const hint = `Add a line !${inOneLine(target)} to the end of ${IGNORE_FILE}.`;
  if (rules.ignores(target) && !(info.isDirectory && rules.mayHoldException(target))) {
    return new MlcliError(`${where} is left out by ${IGNORE_FILE}`, { hint });
  }
  for (const path of [target, real]) {
    if (!await staysOut(rules, root.directory, path, privatePartOf(path), info.isFile)) continue;
    return new MlcliError(`${where} is private, so a build does not send it`, {
      hint: `Put it elsewhere. ${hint}`,
    });
  }
}

/** Whether pip reads what is named as a requirements file. */
function isIncluded(kind: Reference["kind"]): boolean {
  return kind === "requirements" || kind === "constraints";
}

/** Absolute paths of the files that the packages of an app's image are made of. */
export async function requirementSources(app: App): Promise<readonly string[]> {
  const { files, isLock } = await requirementsOf(app);
  const { references } = isLock ? { references: [] } : await requirementTreeOf(app, files[0]!);
  const paths = new Set(files.map((path) => join(app.directory, path)));
  for (const { target, problem } of references) {
    const path = join(app.directory, target);
    if (problem !== undefined) continue;
    if (!(await statIfThere(path))?.isDirectory) paths.add(path);
    else for (const one of (await sentOf(app, path)).files) paths.add(join(app.directory, one));
  }
  return [...paths];
}
