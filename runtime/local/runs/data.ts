/** What a run's channels hold, in so few words that two runs can be compared. */

import { join } from "@std/path/join";
import type { Channel } from "../../contract/channels.ts";
import { statIfThere } from "../../files.ts";
import type { ChannelData, JobDocument } from "../../model/records.ts";
import { sha256 } from "../../text.ts";
import { treeIn } from "../watch/tree.ts";

/** The most of a channel whose contents are read, in bytes: a second's work, beside the run. */
const MOST_READ = 256 * 1024 ** 2;

/** In bytes: one that is larger is hashed in pieces. */
const PIECE = 4 * 1024 ** 2;

/** Nothing is thrown for what cannot be read. @throws the signal's reason. */
export async function dataOf(
  channels: readonly Channel[],
  signal: AbortSignal,
): Promise<NonNullable<JobDocument["data"]>> {
  const found: Record<string, ChannelData | null> = {};
  for (const { name, source } of channels) found[name] = await dataIn(source, signal);
  return found;
}

async function dataIn(directory: string, signal: AbortSignal): Promise<ChannelData | null> {
  const tree = await treeIn(directory, "times");
  if (tree === undefined) return null;
  const files = [...tree.files].sort(([one], [other]) => one < other ? -1 : 1);
  let bytes = 0;
  for (const [path] of files) bytes += (await statIfThere(join(directory, path)))?.size ?? 0;
  const by = bytes <= MOST_READ ? "contents" : "times";
  const all: (readonly [path: string, what: string])[] = [];
  for (const [path, state] of files) {
    signal.throwIfAborted();
    const isRead = by === "contents" && !state.startsWith("link ");
    all.push([path, isRead ? await hashOf(join(directory, path), signal) : state]);
  }
  return { files: files.length, bytes, hash: (await sha256(JSON.stringify(all))).slice(0, 32), by };
}

/** Of a file's pieces, since Web Crypto takes only what is in memory. */
async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hashes: string[] = [];
  try {
    using file = await Deno.open(path);
    const buffer = new Uint8Array(PIECE);
    for (let length = 0;;) {
      const count = await file.read(buffer.subarray(length));
      length += count ?? 0;
      if (count !== null && length < PIECE) continue;
      hashes.push(await sha256(buffer.slice(0, length)));
      if (count === null) return hashes.join();
      signal.throwIfAborted();
      length = 0;
    }
  } catch {
    signal.throwIfAborted();
    return "unreadable";
  }
}
