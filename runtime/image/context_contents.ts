/** What goes into a build context and what stays out, for `mlcli build --dry-run`. */

import { cannotRead } from "../app/private_files.ts";
import type { TarEntry } from "../archive/writer.ts";
import type { OnLeftOut } from "./build_context.ts";

/** How many names of what stays out are told. */
const MOST_NAMES = 100;

interface SentFile {
  /** In the context. */
  readonly path: string;
  readonly bytes: number;
}

/** @throws MlcliError for a file that cannot be read. */
export async function contentsOf(
  entriesOf: (onLeftOut: OnLeftOut) => Promise<AsyncIterable<TarEntry>>,
): Promise<Readonly<Record<string, unknown>>> {
  let leftOut: Readonly<Record<string, unknown>> = {};
  const entries = await entriesOf((ofPrivate, ignored) => {
    leftOut = { ignored: bounded(ignored), private: bounded(ofPrivate) };
  });
  const send: SentFile[] = [];
  for await (const entry of entries) send.push(...await sentFile(entry));
  const bytes = send.reduce((sum, one) => sum + one.bytes, 0);
  return { send, files: send.length, bytes, ...leftOut };
}

/** None of a directory, and where a file has gone. */
async function sentFile(entry: TarEntry): Promise<readonly SentFile[]> {
  const { type, path } = entry;
  if (type === "directory") return [];
  if (type === "symlink") return [{ path, bytes: 0 }];
  if (type === "content") return [{ path, bytes: (await entry.read()).length }];
  try {
    using file = await Deno.open(entry.source);
    return [{ path, bytes: (await file.stat()).size }];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw cannotRead(entry.shown, error);
  }
}

function bounded(paths: readonly string[]): Readonly<Record<string, unknown>> {
  return { count: paths.length, paths: paths.slice(0, MOST_NAMES) };
}
