/** What a run's channels hold, in so few words that two runs can be compared. */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { ChannelData, JobDocument } from "../../model/records.ts";
import { isFile } from "../../files.ts";
import { type Tree, treeIn } from "../watch/tree.ts";
import type { LookedAt } from "./linked.ts";

/** Of what is larger, or more files, no contents are read: a second's work, beside the run. */
const MOST_READ = 256 * 1024 ** 2;
const MOST_FILES_READ = 5_000;

/** How much of a file is read at a time, in bytes. */
const PIECE = 256 * 1024;

/** Nothing is thrown for what cannot be read. @throws the signal's reason. */
export async function dataOf(
  channels: readonly Pick<LookedAt, "name" | "source" | "boundary">[],
  signal: AbortSignal,
): Promise<NonNullable<JobDocument["data"]>> {
  const found: Record<string, ChannelData | null> = {};
  for (const { name, source, boundary } of channels) {
    found[name] = await dataIn(source, boundary, signal);
  }
  return found;
}

/** @param source a directory, or a file. */
async function dataIn(
  source: string,
  boundary: string,
  signal: AbortSignal,
): Promise<ChannelData | null> {
  const isOne = await isFile(source);
  const directory = isOne ? dirname(source) : source;
  const tree = isOne ? await treeOf(source) : await treeIn(directory, "times", boundary);
  if (tree === undefined) return null;
  const files = [...tree.files].sort(([one], [other]) => one < other ? -1 : 1);
  const bytes = [...tree.sizes.values()].reduce((sum, size) => sum + size, 0);
  const by = bytes <= MOST_READ && files.length <= MOST_FILES_READ ? "contents" : "times";
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const buffer = new Uint8Array(PIECE);
  for (const [path, state] of files) {
    signal.throwIfAborted();
    const size = tree.sizes.get(path);
    const isRead = by === "contents" && size !== undefined;
    hash.update(`${JSON.stringify([path, isRead ? size : state])}\n`);
    if (!isRead) continue;
    for await (const piece of piecesOf(join(directory, path), buffer)) {
      hash.update(piece);
      signal.throwIfAborted();
    }
  }
  return { files: files.length, bytes, hash: hash.digest("hex").slice(0, 32), by };
}

async function treeOf(path: string): Promise<Pick<Tree, "files" | "sizes">> {
  const { size, mtime } = await Deno.stat(path);
  const name = basename(path);
  return {
    files: new Map([[name, `${size} ${mtime?.getTime() ?? 0}`]]),
    sizes: new Map([[name, size]]),
  };
}

/** @param buffer in which each piece lies until the next. */
async function* piecesOf(path: string, buffer: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  try {
    using file = await Deno.open(path);
    for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
      yield buffer.subarray(0, count);
    }
  } catch {
    yield new TextEncoder().encode("unreadable");
  }
}
