/** Which objects of S3 a job gets, on which host, and as which files. */

import type { S3Store } from "../s3_store.ts";
import { type Entry, file } from "../engine/archive.ts";
import { parseS3Uri } from "./platform.ts";

/** Where data comes from, and how hosts share it. */
export interface Source {
  readonly uri: string;
  /** `ShardedByS3Key`: each object to one host. */
  readonly isSharded: boolean;
}

/** An object, and the path of its file below the channel's directory. */
export interface Placed {
  readonly key: string;
  readonly path: string;
}

/**
 * What a host gets of the keys that begin with a prefix, which is text and no directory: `train`
 * takes `train/a` and `train2/b` (guide, `S3DataType`). Keys that end in a slash are directories of
 * the console's, and no files.
 *
 * @param keys sorted, as S3 lists them.
 * @param host from 0.
 */
export function placed(
  keys: readonly string[],
  prefix: string,
  share: { readonly isSharded: boolean; readonly host: number; readonly hosts: number },
): readonly Placed[] {
  return keys
    .filter((key) => !key.endsWith("/"))
    .filter((_, index) => !share.isSharded || index % share.hosts === share.host)
    .map((key) => ({ key, path: pathBelow(key, prefix) }));
}

function pathBelow(key: string, prefix: string): string {
  const isDirectory = key[prefix.length] === "/" || prefix.endsWith("/") || prefix === "";
  if (key !== prefix && isDirectory) return key.slice(prefix.length).replace(/^\/+/, "");
  return key.slice(prefix.lastIndexOf("/") + 1);
}

/** Reads what a host gets, as files below a directory. */
export async function download(
  s3: S3Store,
  { uri, isSharded }: Source,
  { directory, host, hosts }: {
    readonly directory: string;
    readonly host: number;
    readonly hosts: number;
  },
): Promise<readonly Entry[]> {
  const { bucket, key } = parseS3Uri(uri);
  const files: Entry[] = [];
  for (const one of placed(s3.keys(bucket, key), key, { isSharded, host, hosts })) {
    files.push(file(`${directory}/${one.path}`, await s3.bytes(bucket, one.key)));
  }
  return files;
}

/** Writes files of a container below an address; links and directories are left out. */
export async function upload(
  s3: S3Store,
  uri: string,
  entries: readonly Entry[],
): Promise<void> {
  const { bucket, key } = parseS3Uri(uri);
  const prefix = key.replace(/\/+$/, "");
  for (const { name, type, content } of entries) {
    if (type !== "file") continue;
    await s3.put(bucket, prefix === "" ? name : `${prefix}/${name}`, content!);
  }
}
