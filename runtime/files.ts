// deno-lint-ignore-file require-await -- a failure rejects, as with Deno's own asynchronous functions
/**
 * Files that may be missing, or not be what their name says. What is one short call of the system is made
 * at once: Deno's asynchronous form takes ten times as long, and a command makes hundreds before its
 * container starts.
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { fileErrorHint, fileErrorReason, isMissing, MlcliError, systemCode } from "./errors.ts";
import { inOneLine, sha256 } from "./text.ts";

/** What a path leads to, links followed; `undefined` when that is nothing. */
export function statIfThere(path: string): Promise<Deno.FileInfo | undefined> {
  return ifThere(() => Deno.statSync(path));
}

/** What is at a path, links not followed; `undefined` when that is nothing. */
export function lstatIfThere(path: string): Promise<Deno.FileInfo | undefined> {
  return ifThere(() => Deno.lstatSync(path));
}

/**
 * Identifies a directory, also after it is renamed; empty where none is there. (An inode number alone
 * may be used again after a removal.)
 */
export async function idOf(path: string): Promise<string> {
  const info = await lstatIfThere(path);
  return info === undefined ? "" : `${info.dev}:${info.ino}:${info.birthtime?.getTime() ?? ""}`;
}

/** Whether a path leads to a file, links followed; false where that is not known. */
export async function isFile(path: string): Promise<boolean> {
  return (await statIfThere(path).catch(() => undefined))?.isFile ?? false;
}

/** Whether a path leads to a directory, links followed; false where that is not known. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await statIfThere(path).catch(() => undefined))?.isDirectory ?? false;
}

/**
 * Makes a directory and its parents, where it is not there yet.
 *
 * @param shown its path in messages.
 * @throws MlcliError when something else is in its place, or there is no permission to make it; Error
 * of the system where nobody says what to call it.
 */
export async function makeDirectory(path: string, shown?: string): Promise<void> {
  try {
    Deno.mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw shown === undefined ? cause : cannotCreate(shown, cause);
  }
}

/** The error for a file or a directory that cannot be made. */
export function cannotCreate(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot create ${shown}: ${fileErrorReason(cause)}`, {
    hint: fileErrorHint(cause) ??
      "Check that you can write to the directory, and that no file has the same name",
    cause,
  });
}

/** Removes a file, a link (not what it leads to), or an empty directory. */
export async function removeIfThere(path: string): Promise<void> {
  await ifThere(() => Deno.removeSync(path));
}

/** The same, and a directory with all that is in it. */
export async function removeTreeIfThere(path: string): Promise<void> {
  await ifThere(() => Deno.remove(path, { recursive: true }));
}

/** Where a directory's copy is until it is complete. */
export function partOf(path: string): string {
  return `${path}.part`;
}

/**
 * Moves a directory to a place where nothing is, also to another file system. It appears there only
 * when it is whole.
 *
 * @param part where its copy is until then. What is there goes.
 * @param signal ends a copy; its reason is thrown.
 */
export async function moveTree(
  from: string,
  to: string,
  { part = partOf(to), signal }: { readonly part?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  try {
    return await Deno.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
  }
  await removeTreeIfThere(part);
  try {
    const { isFile, isSymlink } = await Deno.lstat(from);
    if (isFile) await copyFile(from, part);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(from), part);
    else await copyTree(from, part, undefined, signal);
    await Deno.rename(part, to);
  } catch (error) {
    await removeTreeIfThere(part).catch(() => {});
    throw error;
  }
  await removeTreeIfThere(from);
}

/**
 * Copies a directory: files with their modes, links as links. What is neither stays behind, and the copy
 * itself, where that is made in what is copied.
 */
export async function copyTree(
  from: string,
  to: string,
  copy?: string,
  signal?: AbortSignal,
): Promise<void> {
  // Nobody else looks into it before it is as closed as the original.
  await Deno.mkdir(to, { mode: 0o700 });
  const whole = copy ?? await idOf(to);
  for await (const { name, isDirectory, isFile, isSymlink } of Deno.readDir(from)) {
    signal?.throwIfAborted();
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory && await idOf(source) === whole) continue;
    if (isDirectory) await copyTree(source, target, whole, signal);
    else if (isFile) await copyFile(source, target);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
  }
  const { mode } = await Deno.stat(from);
  if (mode !== null) await setMode(to, mode & 0o777);
}

/** Returns the size of a file in bytes; 0 if it cannot be read: whoever opens it reports that. */
export function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

/** Gives a file another name, or copies it to another file system. */
export async function linkOrCopy(source: string, target: string): Promise<void> {
  // Not synchronously: there may be very many, and a signal has to be heard.
  await Deno.link(source, target).catch(() => Deno.copyFile(source, target));
}

/** Copies a file to the disk: some find only then that they have no room (quotas over a network). */
async function copyFile(source: string, target: string): Promise<void> {
  await Deno.copyFile(source, target);
  // Windows syncs only files that are open for writing.
  if (Deno.build.os === "windows") return;
  using file = await Deno.open(target);
  await file.syncData();
}

/** The largest size of a file that is written by hand, in bytes; a larger one is something else. */
export const LARGEST_TEXT = 1024 ** 2;

/**
 * The text of a file that others may have made. Only a regular file is read: reading a pipe would
 * wait, reading a device might never end, and neither Ctrl-C nor a time limit could end that.
 *
 * @param most its size in bytes, at most.
 * @throws Error with the reason alone, since the caller names the file; the system's own error
 * where that refuses.
 */
export async function readTextFile(path: string, most: number): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readFile(path, most));
}

/** The bytes of a file, read as `readTextFile` reads its text. */
export async function readFile(path: string, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const { isFile, isDirectory, size } = Deno.statSync(path);
  if (isDirectory) throw new Error("Is a directory");
  if (!isFile) throw new Error("Is not a regular file");
  const limit = most < 1024 ** 2 ? `${most / 1024} KiB` : `${most / 1024 ** 2} MiB`;
  if (size > most) throw new Error(`Is larger than ${limit}`);
  // What the kernel makes up (/proc) has the size 0, and may never end.
  return size === 0 ? new Uint8Array() : Deno.readFileSync(path);
}

/** Returns the SHA-256 of a file, hexadecimal. */
export async function hashOfFile(path: string): Promise<string> {
  // Fast for many files, and without the 17 ms that `node:crypto` takes to load.
  if (Deno.statSync(path).size < 1024 ** 2) return await sha256(Deno.readFileSync(path));
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const piece of file.readable) hash.update(piece);
  return hash.digest("hex");
}

/** How many links are followed one after another: Linux's own limit. */
export const MOST_LINKS = 40;

/**
 * The path without links, of something that may not be there: what mkdir would make, or a write
 * would write to.
 *
 * @throws Error of the system when a directory may not be searched, or links lead in a circle.
 */
export async function realPathOf(path: string, links = MOST_LINKS): Promise<string> {
  const real = await ifThere(() => Deno.realPathSync(path));
  if (real !== undefined) return real;
  const parent = dirname(path);
  if (parent === path || links === 0) return path;
  // The system refuses such a path, so any real path for it would be a guess.
  if (basename(path) === "..") {
    throw new MlcliError(`A link points through ${inOneLine(path)}, which does not exist`, {
      hint: "Remove the link, or use a path without it",
    });
  }
  const realParent = await realPathOf(parent, links);
  const isLink = (await lstatIfThere(path))?.isSymlink ?? false;
  if (!isLink) return join(realParent, basename(path));
  const target = await Deno.readLink(path);
  // `join` would drop a link that ".." follows.
  return await realPathOf(isAbsolute(target) ? target : `${realParent}/${target}`, links - 1);
}

/** `undefined` where nothing is there. */
async function ifThere<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Whether a path is a named pipe that may have no writer. (One that this process has open, as `<(...)`
 * of a shell, has one.)
 *
 * @throws Error of the system where nothing is there.
 */
export async function isNamedPipe(path: string): Promise<boolean> {
  const isOpen = /^\/(?:dev|proc\/self)\/fd\//.test(path);
  return !isOpen && Deno.statSync(path).isFifo === true;
}

/** A file that is being read. */
interface OpenedFile extends Disposable {
  read(buffer: Uint8Array): Promise<number | null>;
}

/**
 * Opens a file to read it. Of a named pipe (fifo(7)), the first read waits for the writer: to open it
 * would wait for one, and meanwhile Deno 2.6 hears of no signal.
 */
export async function openToRead(path: string): Promise<OpenedFile> {
  // While this process has it open for writing, opening does not wait, and reading does not end.
  let writer = await isNamedPipe(path)
    ? await Deno.open(path, { read: true, write: true })
    : undefined;
  const closeWriter = (): void => {
    writer?.close();
    writer = undefined;
  };
  try {
    const file = await Deno.open(path);
    return {
      async read(buffer) {
        const length = await file.read(buffer);
        closeWriter();
        return length;
      },
      [Symbol.dispose]() {
        closeWriter();
        file.close();
      },
    };
  } catch (error) {
    closeWriter();
    throw error;
  }
}

/** Sets permissions, also against the umask: who reads may be another user. Windows has no such modes. */
export async function setMode(path: string, mode: number): Promise<void> {
  if (Deno.build.os !== "windows") await Deno.chmod(path, mode);
}

/** Readers see the old or the new file, never a part; other users see neither. */
export async function replacePrivately(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.writeTextFile(part, text, { mode: 0o600, createNew: true });
    await Deno.rename(part, path);
  } catch (error) {
    await removeIfThere(part).catch(() => {});
    throw error;
  }
}
