/** A host's part of the data of a channel, where that is distributed to the hosts (`ShardedByS3Key`). */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { isOutside } from "../../app/typed_path.ts";
import { shardOf } from "../../contract/hosts.ts";
import { sortKeys } from "../../contract/keys.ts";
import { MlcliError } from "../../errors.ts";
import { setMode } from "../../files.ts";
import { inOneLine } from "../../text.ts";
import type { InputMount } from "../plan.ts";
import { seen } from "../runs/sift.ts";
import { entriesOf } from "../runs/working_copy.ts";

/** What a channel holds. */
interface Content {
  /** What would be objects in S3, in the order of their keys. A link to one in the channel is one, too. */
  readonly files: readonly InputMount[];
  /** Other links: a container finds what they lead to only if it is there, too. */
  readonly links: readonly InputMount[];
}

/**
 * Makes a directory with a host's part of the files of a channel. Links to files in the channel are files;
 * other links stay links, on each host. The files are the user's own (as hard links) where that can be:
 * the directory is to be mounted read-only or copied, and nothing may change modes or owners in it.
 *
 * @param to where nothing is.
 * @param index the host's, from 0.
 * @returns how many files it has.
 * @throws MlcliError for a name that is not UTF-8, and where the shard would lie in the channel; Error of
 * the system for what cannot be read.
 */
export async function layShard(
  source: string,
  to: string,
  hosts: number,
  index: number,
): Promise<number> {
  const { files, links } = contentOf(source);
  if (!isOutside(relative(Deno.realPathSync(source), Deno.realPathSync(dirname(to))))) {
    throw new MlcliError(`${inOneLine(source)} holds the directory of the run itself (--shard)`, {
      hint: "Name a directory that has the data alone: --input CHANNEL=DIR",
    });
  }
  const shard = shardOf(files, hosts, index);
  const made = new Set([dirname(to)]);
  await makeFolders(to, made);
  for (const { path, source } of links) {
    const target = join(to, path);
    await makeFolders(dirname(target), made);
    Deno.symlinkSync(Deno.readLinkSync(source), target);
  }
  for (const { path, source } of shard) {
    const target = join(to, path);
    await makeFolders(dirname(target), made);
    // Not at once: there may be very many, and a signal is to be heard.
    await Deno.link(source, target).catch(() => Deno.copyFile(source, target));
  }
  return shard.length;
}

function contentOf(channel: string): Content {
  const root = Deno.realPathSync(channel);
  const files: InputMount[] = [];
  const links: InputMount[] = [];
  function read(folder: string, before: string): void {
    for (const { path, source } of entriesOf(folder, before)) {
      const { isDirectory, isFile, isSymlink } = seen(path, () => Deno.lstatSync(source));
      const file = isFile ? source : isSymlink ? fileIn(root, source) : undefined;
      if (isDirectory) read(source, `${path}/`);
      else if (file !== undefined) files.push({ path, source: file });
      else if (isSymlink) links.push({ path, source });
    }
  }
  read(root, "");
  return { files: sortKeys(files, ({ path }) => path), links };
}

/** The real path of the file in a directory that a link leads to; `undefined` where it leads elsewhere. */
function fileIn(directory: string, link: string): string | undefined {
  try {
    const target = Deno.realPathSync(link);
    const isInside = !isOutside(relative(directory, target));
    return isInside && Deno.lstatSync(target).isFile ? target : undefined;
  } catch {
    return undefined; // It leads nowhere.
  }
}

/** Makes a directory that the user of any image may read, and those above it. */
async function makeFolders(path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await makeFolders(dirname(path), made);
  Deno.mkdirSync(path);
  await setMode(path, 0o755);
  made.add(path);
}
