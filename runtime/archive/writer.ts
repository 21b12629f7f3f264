/**
 * A tar archive, as a stream: only a small part of the files is in memory, whatever their sizes, and
 * nothing is read before it is asked for.
 */

import { type Pack, pack } from "tar-stream";
import { takesMore } from "./node_streams.ts";

/** An entry. `path` is its path in the archive, with slashes. */
export type TarEntry =
  | { readonly type: "directory"; readonly path: string; readonly mode: number }
  | { readonly type: "symlink"; readonly path: string; readonly target: string }
  | FileEntry
  | {
    readonly type: "content";
    readonly path: string;
    readonly mode: number;
    readonly read: () => Promise<Uint8Array>;
  };

/** What can be packed. */
export type PackedEntry = TarEntry | CopiedEntry;

/** A file on the disk; `shown` is its path for messages. */
export interface FileEntry {
  readonly type: "file";
  readonly path: string;
  readonly source: string;
  readonly shown: string;
}

/** An entry of another archive, as it is there. */
export interface CopiedEntry {
  readonly type: "copied";
  readonly header: Header;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How files on the disk are packed. */
export interface FileRules {
  /** The owner of all entries. Default: root, as with `docker build`. */
  readonly owner?: Owner;
  mode(info: Deno.FileInfo): number;
  time(info: Deno.FileInfo): Date | null;
  /** Called for a file that is gone since it was listed: returns an error to throw, or none to go on. */
  gone(shown: string): Error | undefined;
  cannotRead(shown: string, cause: unknown): Error;
  gotShorter(shown: string): Error;
}

const CHUNK = 64 * 1024;

/** The time of all other entries, so that equal ones give equal bytes. The earliest that zip can hold. */
export const FIXED_TIME = new Date("1980-01-01T00:00:00Z");

const ROOT: Owner = { uid: 0, gid: 0 };

type Header = Parameters<Pack["entry"]>[0];

/**
 * The bytes of an archive of the entries. Fails with the error of an entry that cannot be read, or that
 * gets shorter while it is read. To stop reading closes open files.
 */
export async function* tarBytes(
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  rules: FileRules,
): AsyncGenerator<Uint8Array, void, void> {
  const archive = pack();
  const filling = fill(archive, entries, rules);
  filling.catch((error) => archive.destroy(error));
  try {
    for await (const bytes of archive) yield bytes as Uint8Array;
    await filling;
  } finally {
    archive.destroy();
    // Until then a file may be open. Its error was thrown above, or is not wanted any more.
    await filling.catch(() => {});
  }
}

async function fill(
  archive: Pack,
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  rules: FileRules,
): Promise<void> {
  for await (const entry of entries) {
    if (archive.destroying) return;
    await add(archive, entry, rules);
  }
  archive.finalize();
}

async function add(archive: Pack, entry: PackedEntry, rules: FileRules): Promise<void> {
  const owner = rules.owner ?? ROOT;
  switch (entry.type) {
    case "directory":
      return await addBytes(archive, {
        ...owner,
        name: entry.path,
        type: "directory",
        mode: entry.mode,
        mtime: FIXED_TIME,
      });
    case "symlink":
      return await addBytes(archive, {
        ...owner,
        name: entry.path,
        type: "symlink",
        linkname: entry.target,
        mode: 0o777,
        mtime: FIXED_TIME,
      });
    case "content":
      return await addBytes(
        archive,
        { ...owner, name: entry.path, type: "file", mode: entry.mode, mtime: FIXED_TIME },
        await entry.read(),
      );
    case "copied":
      return await addPieces(archive, entry.header, entry.content);
    case "file":
      return await addFile(archive, entry, rules);
  }
}

async function addBytes(
  archive: Pack,
  header: Header,
  content: Uint8Array = new Uint8Array(),
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const sink = openEntry(
      archive,
      { ...header, size: content.length },
      (error) => error ? reject(error) : resolve(),
    );
    if (header.type !== "file") return;
    sink.write(content);
    sink.end(undefined);
  });
}

async function addFile(archive: Pack, entry: FileEntry, rules: FileRules): Promise<void> {
  using file = await openIfThere(entry, rules);
  const info = await file?.stat();
  if (!file || !info?.isFile) {
    const error = rules.gone(entry.shown);
    if (error) throw error;
    return;
  }
  const header: Header = {
    ...rules.owner ?? ROOT,
    name: entry.path,
    type: "file",
    mode: rules.mode(info),
    mtime: representable(rules.time(info)),
    size: info.size,
  };
  await addPieces(archive, header, contentOf(file, info.size, entry.shown, rules));
}

/** The header has the size: what is added to the file from now on is left out. */
async function* contentOf(
  file: Deno.FsFile,
  size: number,
  shown: string,
  rules: FileRules,
): AsyncGenerator<Uint8Array, void, void> {
  for (let left = size; left > 0;) {
    const bytes = await read(file, Math.min(left, CHUNK), shown, rules);
    left -= bytes.length;
    yield bytes;
  }
}

async function addPieces(
  archive: Pack,
  header: Header,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const sink = openEntry(archive, header, (error) => error ? reject(error) : resolve());
  // Awaited only after all is read: a rejection before that must not end mlcli.
  done.catch(() => {});
  for await (const bytes of pieces) {
    if (sink.destroying) break;
    if (!sink.write(bytes) && !sink.destroying) await takesMore(sink);
  }
  if (!sink.destroying) sink.end(undefined);
  await done;
}

function openEntry(
  archive: Pack,
  header: Header,
  done: (error?: Error | null) => void,
): ReturnType<Pack["entry"]> {
  const sink = archive.entry(header, done);
  // `done` gets the error, too; but without a listener, it would end the program.
  sink.on("error", () => {});
  return sink;
}

async function openIfThere(
  { source, shown }: FileEntry,
  rules: FileRules,
): Promise<Deno.FsFile | undefined> {
  try {
    return await Deno.open(source);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw rules.cannotRead(shown, error);
  }
}

/** The next bytes of a file, in a buffer of their own: the archive keeps it until it is read. */
async function read(
  file: Deno.FsFile,
  length: number,
  shown: string,
  rules: FileRules,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let count: number | null;
  try {
    count = await file.read(buffer);
  } catch (error) {
    throw rules.cannotRead(shown, error);
  }
  if (count !== null && count > 0) return buffer.subarray(0, count);
  throw rules.gotShorter(shown);
}

/** A time that tar can hold: whole seconds from 1970 to 2038, the library's limit. */
function representable(time: Date | null): Date {
  if (!time) return FIXED_TIME;
  return new Date(Math.min(Math.max(time.getTime(), 0), (2 ** 31 - 1) * 1000));
}
