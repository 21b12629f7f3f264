/**
 * Archives made byte by byte, also ones that no program makes: POSIX's `ustar`, with what of it a
 * test wants to be wrong.
 */

import { extract, type Header } from "tar-stream";

const BLOCK = 512;

/** An entry of an archive: its header, and its content as text. */
export interface Entry {
  readonly header: Header;
  readonly text: string;
}

/** The entries of an archive, not compressed, in their order, by their paths. */
export async function entriesOf(
  archive: AsyncIterable<Uint8Array>,
): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  const unpacker = extract();
  const feeding = (async () => {
    for await (const bytes of archive) unpacker.write(bytes);
    unpacker.end(undefined);
  })();
  feeding.catch((error) => unpacker.destroy(error));
  for await (const entry of unpacker) {
    const { header } = entry;
    const text = await new Response(ReadableStream.from(entry) as ReadableStream).text();
    if (entries.has(header.name)) throw new Error(`${header.name} is there twice`);
    entries.set(header.name, { header, text });
  }
  await feeding;
  return entries;
}

/** An entry, or anything that stands in the place of one. */
export interface RawEntry {
  readonly name: string | Uint8Array;
  /** Its type: "0" file (the default), "1" link, "2" symbolic link, "5" directory, "6" pipe, ... */
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  readonly content?: string | Uint8Array;
  /** Records of a pax header before it. */
  readonly pax?: Readonly<Record<string, string>>;
}

/** An archive of the entries with its end, not compressed. */
export function tarOf(entries: readonly RawEntry[]): Uint8Array {
  return concatenated([...entries.map(entryBytes), new Uint8Array(2 * BLOCK)]);
}

/** Bytes compressed by gzip. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What `gzip` compressed. */
export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A compressed archive of the entries. */
export function tarGz(entries: readonly RawEntry[]): Promise<Uint8Array> {
  return gzip(tarOf(entries));
}

/** Some bytes one after another. */
export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

function entryBytes(
  { name, type = "0", mode = 0o644, link = "", content = "", pax }: RawEntry,
): Uint8Array {
  const bytes = bytesOf(content);
  const header = new Uint8Array(BLOCK);
  const put = (offset: number, value: string | Uint8Array): void =>
    header.set(bytesOf(value), offset);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  put(0, bytesOf(name).subarray(0, 100));
  put(100, octal(mode, 7));
  put(108, octal(12345, 7));
  put(116, octal(12345, 7));
  put(124, octal(bytes.length, 11));
  put(136, octal(1_000_000_000, 11));
  put(148, " ".repeat(8));
  put(156, type);
  put(157, bytesOf(link).subarray(0, 100));
  put(257, "ustar\x0000");
  put(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  const padding = new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK);
  const before = pax ? [entryBytes({ name: "pax", type: "x", content: paxText(pax) })] : [];
  return concatenated([...before, header, bytes, padding]);
}

/** Each record begins with its own length. */
function paxText(records: Readonly<Record<string, string>>): string {
  return Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const length = bytesOf(rest).length;
    let all = length + 1;
    while (String(all).length + length !== all) all++;
    return all + rest;
  }).join("");
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === "string" ? new TextEncoder().encode(value) : value;
}
