/**
 * Code that is sent to a local run's container, or to a job on SageMaker: its files, its hash, and its
 * archive.
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { fileErrorReason, MlcliError } from "../errors.ts";
import type { Messages } from "../messages.ts";
import { closest, inOneLine, listed, sha256 } from "../text.ts";
import { isJunk } from "../app/junk.ts";
import { brokenLink, followLink } from "../app/links.ts";
import { isPrivateKey, isPrivateName, TEST_DATA } from "../app/private_files.ts";
import { NO_RULES, type RequirementTree, requirementTree } from "../app/requirements.ts";
import { isOutside } from "../app/typed_path.ts";
import { commitOf } from "./commit.ts";

/** A directory of code. */
export interface Source {
  /** Absolute. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
  /** Real path of what its links may not lead out of. */
  readonly boundary: string;
}

/** One that is packed, and what its paths in the archive begin with: `code/`. */
export interface SourceFolder {
  readonly source: Source;
  readonly before?: string;
}

/** A file of code, where it lies. */
interface FoundFile {
  /** Below the directory, with slashes. */
  readonly path: string;
  /** What is read: absolute, no link. */
  readonly target: string;
  readonly isProgram: boolean;
}

/** Where a walk ends with an error: how many files and directories, and bytes. */
export interface WalkLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** A file of code, read once: what is hashed is what is sent. */
interface CodeFile {
  /** In the archive. */
  readonly path: string;
  readonly isProgram: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Code that was read. */
export interface SentCode {
  /** Of its names, modes and bytes. */
  readonly hash: string;
  readonly files: readonly CodeFile[];
  /** What might hold secrets, and links in a circle; in the order of the walk. */
  readonly leftOut: readonly string[];
}

/** A link that leads nowhere or out of the repository. */
interface BrokenLink {
  /** Below the directory, with slashes. */
  readonly path: string;
  readonly words: string;
}

/** The most code, in files or directories, and in bytes: data belongs into channels. */
export const MOST_CODE: WalkLimits = { entries: 20_000, bytes: 256 * 1024 ** 2 };

/** What nobody misses in code besides junk: caches, and what editors leave. */
const NO_CODE =
  /^(\.git|__pycache__|.*\.py[co]|\.(mypy|pytest|ruff)_cache|\.?venv|node_modules|\.gitkeep|.*~|\.#.*|\..*\.sw[a-p])$/;

/**
 * Whether something is no code: caches, version control, data and results of runs.
 *
 * @param path absolute, as is the directory of the code. (The code of a run lies among its results.)
 */
export function isNoCode(path: string, directory: string): boolean {
  const name = basename(path);
  return isJunk(name) || NO_CODE.test(name) || TEST_DATA.test(path) && !TEST_DATA.test(directory);
}

/**
 * Reads directories of code. Links are followed within the boundary.
 *
 * @throws MlcliError for a broken link, for what cannot be read, and for too much code.
 */
export async function codeIn(folders: readonly SourceFolder[]): Promise<SentCode> {
  const files: CodeFile[] = [];
  const all: string[] = [];
  for (const { source, before = "" } of folders) {
    const { files: found, leftOut, broken: [link] } = await filesOf(source);
    if (link !== undefined) throw brokenLink(join(source.shown, link.path), link);
    all.push(...leftOut);
    for (const { path, target, isProgram } of found) {
      const bytes = await Deno.readFile(target).catch((error) => {
        throw cannotRead(join(source.shown, path), error);
      });
      files.push({ path: before + path, isProgram, bytes });
    }
  }
  return { hash: await hashOf(files), files, leftOut: all };
}

/**
 * Lists the files of a directory of code, by the rules of `codeIn`.
 *
 * @throws MlcliError for what cannot be read, and for too much code.
 */
export async function filesOf(
  { path: directory, shown, boundary }: Source,
  limits: WalkLimits = MOST_CODE,
): Promise<{
  readonly files: readonly FoundFile[];
  readonly leftOut: readonly string[];
  readonly broken: readonly BrokenLink[];
}> {
  const files: FoundFile[] = [];
  const leftOut: string[] = [];
  const broken: BrokenLink[] = [];
  const root = await Deno.realPath(directory);
  // While --watch waits, a link can replace the directory.
  if (isOutside(relative(boundary, root))) {
    throw new MlcliError(`${inOneLine(shown)} is a link to ${root}, which is outside ${boundary}`);
  }
  let [entries, bytes] = [0, 0];
  const open: string[] = [];
  /** @param folder the real path of a directory; `inside` its path in the code. */
  const visit = async (folder: string, inside: string): Promise<void> => {
    open.push(folder);
    for (const { name, isSymlink } of listing(folder, join(shown, inside))) {
      const path = `${inside}${name}`;
      if (isNoCode(join(folder, name), root) || isNoCode(join(root, path), root)) continue;
      const place = join(folder, name);
      const followed = isSymlink && !isPrivateName(name)
        ? followLink(place, boundary, open)
        : { target: isPrivateName(name) ? undefined : place };
      const { target } = followed;
      if ("words" in followed && !followed.isCircle && !followed.escape?.isPrivate) {
        broken.push({ path, words: followed.words });
        continue;
      }
      if (target === undefined || isNoCode(target, root)) {
        leftOut.push(path);
        continue;
      }
      const info = await Deno.stat(target).catch((error) => {
        throw cannotRead(join(shown, path), error);
      });
      if (
        info.isFile && (await isSecret(target) || isSymlink && await isSecret(join(folder, name)))
      ) {
        leftOut.push(path);
        continue;
      }
      bytes += info.size;
      if (++entries > limits.entries || bytes > limits.bytes) throw tooMuch(shown, limits);
      if (info.isDirectory) await visit(target, `${path}/`);
      if (!info.isFile) continue;
      files.push({ path, target, isProgram: ((info.mode ?? 0) & 0o111) !== 0 });
    }
    open.pop();
  };
  await visit(root, "");
  return { files, leftOut, broken };
}

/** Whether a file is a private key. */
export async function isSecret(path: string): Promise<boolean> {
  return await isPrivateKey(dirname(path), basename(path));
}

function listing(folder: string, shown: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)].sort((one, other) => one.name < other.name ? -1 : 1);
  } catch (error) {
    throw cannotRead(shown, error);
  }
}

function tooMuch(shown: string, { entries, bytes }: WalkLimits): MlcliError {
  if (bytes === Infinity) {
    return new MlcliError(`${inOneLine(shown)} contains more than ${entries} files`);
  }
  return new MlcliError(
    `${shown} contains more than ${entries} files or ${bytes / 1024 ** 2} MB, too much for code`,
    { hint: "Set --source-dir to a directory that contains only code, and move data to a channel" },
  );
}

function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot read ${inOneLine(shown)}: ${fileErrorReason(cause)}`, { cause });
}

/** Of names, modes and bytes, sorted: 32 hexadecimal digits. */
async function hashOf(files: readonly CodeFile[]): Promise<string> {
  const all = await Promise.all(
    files.map(async ({ path, isProgram, bytes }) =>
      [path, isProgram, await sha256(bytes)] as const
    ),
  );
  all.sort(([one], [other]) => one < other ? -1 : 1);
  return (await sha256(JSON.stringify(all))).slice(0, 32);
}

/** Code that is packed for an image. */
export interface PackedCode extends SentCode {
  /** Directory of the code, and directories beside it. */
  readonly source: Source;
  /** Commit of its work tree; `undefined` if unknown. */
  readonly commit: string | undefined;
  readonly archive: Uint8Array<ArrayBuffer>;
}

/**
 * Packs directories of code. Prints a note that names files that are not sent.
 *
 * @param entryPoint a program that must exist; `undefined`: the image knows which program to run.
 * @throws MlcliError as `codeIn`, and if the entry point does not exist.
 */
export async function packCode(
  folders: readonly [SourceFolder, ...SourceFolder[]],
  entryPoint: string | undefined,
  messages: Pick<Messages, "note">,
): Promise<PackedCode> {
  const code = await codeIn(folders);
  const { source } = folders[0];
  if (entryPoint !== undefined) requireEntryPoint(code, source, entryPoint);
  for (const { source } of folders) await requireOwnReferences(source);
  if (code.leftOut.length > 0) {
    const names = listed(code.leftOut);
    messages.note(`Not sent, because they might contain secrets or form loops: ${names}`);
  }
  const [commit, archive] = await Promise.all([commitOf(source.path), archiveOf(code)]);
  return { ...code, source, commit, archive };
}

/** The requirements that are installed when code starts. */
export async function codeRequirements(source: Source): Promise<RequirementTree> {
  const root = { ...source, directory: source.path, owner: "code", rules: NO_RULES } as const;
  return await requirementTree(root, "requirements.txt");
}

/** Requires that the requirements of code lead to nothing outside it: only the code is sent. */
async function requireOwnReferences(source: Source): Promise<void> {
  const { references } = await codeRequirements(source);
  for (const { target, problem } of references) if (problem && isOutside(target)) throw problem;
}

/** The archive of code: `sourcedir.tar.gz`. The same code gives the same bytes. */
export async function archiveOf({ files }: SentCode): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded only here: it brings libraries.
  const { packedContent } = await import("../archive/pack.ts");
  return await packedContent(files.map(({ path, isProgram, bytes }) => ({
    type: "content",
    path,
    mode: isProgram ? 0o755 : 0o644,
    read: () => Promise.resolve(bytes),
  })));
}

/**
 * Requires that the code has the program that is to run.
 *
 * @throws MlcliError
 */
export function requireEntryPoint(
  { files, leftOut }: SentCode,
  { shown }: Pick<Source, "shown">,
  entryPoint: string,
): void {
  if (entryPoint.endsWith(".ipynb")) {
    throw new MlcliError(`Cannot run a notebook as a program: ${entryPoint}`, {
      hint: "Convert it: jupyter nbconvert --to script NOTEBOOK",
    });
  }
  const paths = files.map(({ path }) => path);
  // Of a package, it is the name of a module.
  if (paths.includes(entryPoint) || isPackage({ files }) && !/\.(sh|py)$/.test(entryPoint)) return;
  // The directory of the code is not named with it.
  const inner = entryPoint.startsWith(`${shown}/`) ? entryPoint.slice(shown.length + 1) : "";
  const meant = paths.includes(inner) ? inner : closest(entryPoint, paths);
  throw new MlcliError(`Entry point not found: ${join(shown, entryPoint)}`, {
    hint: leftOut.includes(entryPoint)
      ? "Choose another file: this one might contain a secret or is a link in a loop, so it is not sent"
      : meant !== undefined
      ? `Did you mean ${inOneLine(meant)}?`
      : `Use a path relative to ${shown === "." ? "this directory" : shown}, or choose another ` +
        "directory with --source-dir",
  });
}

/** Whether it is a package of Python's, which is installed when it starts. */
export function isPackage({ files }: Pick<SentCode, "files">): boolean {
  return files.some(({ path }) => path === "setup.py");
}

/** Whether packages are installed when the code starts. */
export function installsPackages(code: SentCode): boolean {
  return isPackage(code) || code.files.some(({ path }) => path === "requirements.txt");
}
