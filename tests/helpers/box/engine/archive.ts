/**
 * Archives that go into a job's containers and come out of them. All in memory: tests have small
 * data.
 */

import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { extract, pack } from "tar-stream";

/** A file, directory or link. */
export interface Entry {
  /** Without a slash at either end. */
  readonly name: string;
  readonly type: "file" | "directory" | "symlink";
  readonly content?: Uint8Array;
  readonly linkname?: string;
  readonly mode?: number;
}

/** A file with this content. */
export function file(name: string, content: string | Uint8Array): Entry {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name, type: "file", content: bytes };
}

/** A directory. */
export function directory(name: string): Entry {
  return { name, type: "directory" };
}

/** An archive of the entries. */
export async function packed(entries: Iterable<Entry>): Promise<Uint8Array> {
  const archive = pack();
  for (const { name, type, content, linkname, mode } of entries) {
    const header = { name, type, linkname, mode: mode ?? modeOf(type) };
    if (type === "file") archive.entry(header, Buffer.from(content ?? []));
    else archive.entry(header);
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** The entries of an archive; what is neither file, directory nor symbolic link is left out. */
export async function unpacked(archive: Uint8Array): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const reader = extract();
  Readable.from([Buffer.from(archive)]).pipe(reader);
  for await (const entry of reader) {
    const { name, type, linkname, mode } = entry.header;
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    if (type !== "file" && type !== "directory" && type !== "symlink") continue;
    entries.push({
      name: name.replace(/\/+$/, ""),
      type,
      content: new Uint8Array(Buffer.concat(chunks)),
      linkname: linkname ?? undefined,
      mode,
    });
  }
  return entries;
}

function modeOf(type: Entry["type"]): number {
  return type === "directory" ? 0o755 : 0o644;
}
