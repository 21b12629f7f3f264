/**
 * A tar archive of a build context, as a stream: only a small part of the files is in memory,
 * whatever their sizes, and nothing is read before it is asked for.
 *
 * @module
 */

import { type Pack, pack } from "tar-stream";
import { cannotRead } from "../app/ignore/cannot_read.ts";
import { MlcliError } from "../errors.ts";
import { takesMore } from "../sinks.ts";
import { type ContextEntry, permissions } from "./context_entries.ts";

/** Bytes read from a file at a time. */
const CHUNK = 64 * 1024;

/** Of links and mlcli's own files: equal contexts become equal. The earliest that zip can hold. */
const FIXED_TIME = new Date("1980-01-01T00:00:00Z");

/** Everything belongs to root in an image, as with `docker build`. */
const ROOT = { uid: 0, gid: 0 };

type Header = Parameters<Pack["entry"]>[0];

/**
 * The archive of the entries. It fails with the error of an entry that cannot be read, or that gets
 * shorter while it is read; cancelling it closes what is open.
 */
export function archiveOf(
  entries: AsyncGenerator<ContextEntry, void, void>,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(bytesOf(entries));
}

async function* bytesOf(
  entries: AsyncGenerator<ContextEntry, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  const archive = pack();
  const filling = fill(archive, entries);
  filling.catch((error) => archive.destroy(error));
  try {
    for await (const bytes of archive) yield bytes as Uint8Array;
    await filling;
  } finally {
    archive.destroy();
    // A file may be open until then. Its error has been thrown above, or nobody wants it any more.
    await filling.catch(() => {});
  }
}

async function fill(
  archive: Pack,
  entries: AsyncGenerator<ContextEntry, void, void>,
): Promise<void> {
  for await (const entry of entries) {
    if (archive.destroying) return;
    await add(archive, entry);
  }
  archive.finalize();
}

async function add(archive: Pack, entry: ContextEntry): Promise<void> {
  switch (entry.type) {
    case "directory":
      return await addBytes(archive, {
        ...ROOT,
        name: entry.path,
        type: "directory",
        mode: entry.mode,
        mtime: FIXED_TIME,
      });
    case "symlink":
      return await addBytes(archive, {
        ...ROOT,
        name: entry.path,
        type: "symlink",
        linkname: entry.target,
        mode: 0o777,
        mtime: FIXED_TIME,
      });
    case "content":
      return await addBytes(
        archive,
        { ...ROOT, name: entry.path, type: "file", mode: entry.mode, mtime: FIXED_TIME },
        await entry.read(),
      );
    case "file":
      return await addFile(archive, entry);
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

async function addFile(
  archive: Pack,
  entry: ContextEntry & { readonly type: "file" },
): Promise<void> {
  using file = await openIfThere(entry);
  const info = await file?.stat();
  if (!file || !info?.isFile) return; // gone since it was listed
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const header: Header = {
    ...ROOT,
    name: entry.path,
    type: "file",
    mode: permissions(info),
    mtime: representable(info.mtime),
    size: info.size,
  };
  const sink = openEntry(archive, header, (error) => error ? reject(error) : resolve());
  // It is awaited only after the file has been read: a rejection before that must not end mlcli.
  done.catch(() => {});
  // What is added to the file from now on is left out: the header has promised its size.
  for (let left = info.size; left > 0 && !sink.destroying;) {
    const bytes = await read(file, Math.min(left, CHUNK), entry.shown);
    left -= bytes.length;
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
  { source, shown }: ContextEntry & { readonly type: "file" },
): Promise<Deno.FsFile | undefined> {
  try {
    return await Deno.open(source);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw cannotRead(shown, error);
  }
}

/** The next bytes of a file, in a buffer of their own: the archive keeps it until it is read. */
async function read(file: Deno.FsFile, length: number, shown: string): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let count: number | null;
  try {
    count = await file.read(buffer);
  } catch (error) {
    throw cannotRead(shown, error);
  }
  if (count !== null && count > 0) return buffer.subarray(0, count);
  throw new MlcliError(`${shown} got shorter while it was being sent`, {
    hint: "Run mlcli build again when nothing writes to it.",
  });
}

/** A time that tar can hold: whole seconds from 1970 to 2038, the library's limit. */
function representable(time: Date | null): Date {
  if (!time) return FIXED_TIME;
  return new Date(Math.min(Math.max(time.getTime(), 0), (2 ** 31 - 1) * 1000));
}
