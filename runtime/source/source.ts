/**
 * Code that is sent: to a run's container here, or to a job on the platform. What of a directory that is,
 * its hash, and its archive.
 */

import { join } from "@std/path/join";
import type { TarEntry } from "../archive/writer.ts";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { inOneLine, listed, sha256 } from "../text.ts";
import { boundaryOf, escapeOf } from "../app/confinement.ts";
import { isPrivateKey, isPrivateName } from "../app/private_files.ts";
import { commitOf } from "./commit.ts";

/** A directory of code. */
export interface Source {
  /** Absolute. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
}

/** One that is packed, and what its paths in the archive begin with: `code/`. */
export interface SourceFolder {
  readonly source: Source;
  readonly before?: string;
}

/** What of it is sent. */
export interface SourceFiles {
  readonly entries: readonly FileEntry[];
  /** What stays out since it may be a secret, or is a link that leads out; in the order of the walk. */
  readonly leftOut: readonly string[];
}

type FileEntry = TarEntry & { readonly type: "file" };

/** Code that was looked through. */
export interface SentCode {
  /** Of its names, modes and bytes. */
  readonly hash: string;
  readonly entries: readonly FileEntry[];
  readonly leftOut: readonly string[];
}

/** The most code, in files and in bytes: a repository has less, and data belongs into channels. */
const MOST_FILES = 20_000;
const MOST_BYTES = 256 * 1024 ** 2;

/** What nobody misses in code: caches, and what editors and systems leave. */
const NO_CODE =
  /^(\.git|__pycache__|.*\.py[co]|\.ipynb_checkpoints|\.(mypy|pytest|ruff)_cache|\.?venv|node_modules|\.DS_Store|Thumbs\.db|\.gitkeep|.*~|\..*\.sw[a-p])$/;

/**
 * Whether something is no code, by its path: caches, version control, and the data and the results of an
 * app's runs.
 */
export function isNoCode(path: string): boolean {
  const parts = path.split("/");
  return NO_CODE.test(parts.at(-1)!) ||
    parts.at(-1) === "local_test" && parts.at(-2) === "mlcli_base";
}

/**
 * Looks through a directory of code. Links are followed to files of the same repository; what they lead
 * to is what is sent.
 *
 * @param before what the paths in the archive begin with: `code/`.
 * @throws MlcliError where something cannot be read, or it is too much.
 */
export async function sourceFiles(
  { path: directory, shown }: Source,
  before = "",
): Promise<SourceFiles> {
  const confined = { directory, boundary: await boundaryOf(directory).catch(() => directory) };
  const entries: FileEntry[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  const visit = async (folder: string): Promise<void> => {
    for (
      const { name, isDirectory, isFile, isSymlink } of entriesOf(join(directory, folder), shown)
    ) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (isNoCode(join(directory, path))) continue;
      const source = join(directory, path);
      if (isPrivateName(name) || isFile && await isPrivateKey(directory, path)) {
        leftOut.push(path);
      } else if (isDirectory) await visit(path);
      else if (isSymlink && !await leadsToFile(confined, source)) leftOut.push(path);
      else if (isFile || isSymlink) {
        bytes += Deno.statSync(source).size;
        entries.push({ type: "file", path: before + path, source, shown: join(shown, path) });
        if (entries.length > MOST_FILES || bytes > MOST_BYTES) throw tooMuch(shown);
      }
    }
  };
  await visit("");
  return { entries, leftOut };
}

function entriesOf(folder: string, shown: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)].sort((one, other) => one.name < other.name ? -1 : 1);
  } catch (error) {
    throw cannotRead(shown, error);
  }
}

async function leadsToFile(
  confined: Parameters<typeof escapeOf>[0],
  path: string,
): Promise<boolean> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info?.isFile === true && await escapeOf(confined, path) === undefined;
}

function tooMuch(shown: string): MlcliError {
  return new MlcliError(
    `${shown} holds more than ${MOST_FILES} files, or ${
      MOST_BYTES / 1024 ** 2
    } MB: too much for code`,
    {
      hint:
        "Name the directory of the code alone (--source-dir, source_dir); data belongs into a " +
        "channel.",
    },
  );
}

function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot read ${inOneLine(shown)}: ${fileErrorReason(cause)}`, { cause });
}

/**
 * Looks through directories of code.
 *
 * @throws MlcliError where something cannot be read, or it is too much.
 */
export async function codeIn(folders: readonly SourceFolder[]): Promise<SentCode> {
  const found = await Promise.all(folders.map(({ source, before }) => sourceFiles(source, before)));
  const entries = found.flatMap(({ entries }) => entries);
  return {
    hash: await hashOf(entries),
    entries,
    leftOut: found.flatMap(({ leftOut }) => leftOut),
  };
}

/** Of names, modes and bytes, sorted: 32 hexadecimal digits. */
async function hashOf(entries: readonly FileEntry[]): Promise<string> {
  const all = await Promise.all(entries.map(async ({ path, source, shown }) => {
    try {
      const { mode } = await Deno.stat(source);
      const kind = (mode ?? 0) & 0o111 ? "program" : "file";
      return [kind, path, await sha256(await Deno.readFile(source))];
    } catch (error) {
      throw cannotRead(shown, error);
    }
  }));
  all.sort(([, one], [, other]) => one! < other! ? -1 : 1);
  return (await sha256(JSON.stringify(all))).slice(0, 32);
}

/** Code that is packed for an image. */
export interface PackedCode extends SentCode {
  /** Where it lies, and its neighbours. */
  readonly source: Source;
  /** Of its work tree; `undefined` where it is not known. */
  readonly commit: string | undefined;
  readonly archive: Uint8Array<ArrayBuffer>;
}

/**
 * Packs directories of code.
 *
 * @param entryPoint a program that has to be there; `undefined`: the image knows what to run of them.
 * @param note is told what is not sent.
 * @throws MlcliError as `codeIn` and `archiveOf`, and where the entry point is not there.
 */
export async function packCode(
  folders: readonly [SourceFolder, ...SourceFolder[]],
  entryPoint: string | undefined,
  note: (text: string) => void,
): Promise<PackedCode> {
  const code = await codeIn(folders);
  const { source } = folders[0];
  if (entryPoint !== undefined) requireEntryPoint(code, source, entryPoint);
  if (code.leftOut.length > 0) {
    const names = listed(code.leftOut);
    note(`Not sent, since they may hold secrets, or lead out of the repository: ${names}`);
  }
  const [commit, archive] = await Promise.all([commitOf(source.path), archiveOf(code)]);
  return { ...code, source, commit, archive };
}

/**
 * The archive of code: `sourcedir.tar.gz`.
 *
 * @throws MlcliError where a file cannot be read, or changes meanwhile.
 */
export async function archiveOf({ entries }: SentCode): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded only here: it brings libraries.
  const { packed } = await import("../archive/pack.ts");
  const changed = (shown: string) =>
    new MlcliError(`${inOneLine(shown)} changed while it was packed`, {
      hint: "Run it again once nothing writes there.",
    });
  const errors = { gone: changed, gotShorter: changed, cannotRead };
  const pieces = await Array.fromAsync(packed(entries, errors));
  return new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/**
 * Requires that the code has the program that is to run.
 *
 * @throws MlcliError
 */
export function requireEntryPoint(
  { entries, leftOut }: SentCode,
  { shown }: Source,
  entryPoint: string,
): void {
  const has = (path: string): boolean => entries.some((entry) => entry.path === path);
  // Of a package, it is the name of a module.
  if (has(entryPoint) || has("setup.py") && !/\.sh$/.test(entryPoint)) return;
  throw new MlcliError(`Entry point not found: ${join(shown, entryPoint)}`, {
    hint: leftOut.includes(entryPoint)
      ? "It is not sent, since it may hold a secret, or is a link that leads out of the repository."
      : `--entry-point names a file in ${shown}, relative to that directory.`,
  });
}

/** Whether packages are installed when the code starts. */
export function installsPackages({ entries }: SentCode): boolean {
  return entries.some(({ path }) => path === "requirements.txt" || path === "setup.py");
}
