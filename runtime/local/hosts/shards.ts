/** A host's part of the data of a channel, where that is distributed to the hosts (`ShardedByS3Key`). */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { isOutside } from "../../app/typed_path.ts";
import { shardOf } from "../../contract/hosts.ts";
import { sortKeys } from "../../contract/keys.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import type { InputMount } from "../plan.ts";
import { linkOrCopy } from "../../files.ts";
import { makeFolder } from "../runs/linked.ts";
import { seen } from "../runs/sift.ts";
import { entriesOf } from "../runs/working_copy.ts";

/** What a channel holds at a path. */
interface Entry extends InputMount {
  /** Of a link that leads to no file in the channel. */
  readonly isLink: boolean;
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
  const root = Deno.realPathSync(source);
  if (!isOutside(relative(root, Deno.realPathSync(dirname(to))))) {
    throw new MlcliError(`Cannot split ${inOneLine(source)} (--shard): this run writes into it`, {
      hint: "Use a directory that contains only the data: --input CHANNEL=DIR",
    });
  }
  const entries = entriesBelow(root, "");
  const links = entries.filter(({ isLink }) => isLink);
  const files = sortKeys(entries.filter(({ isLink }) => !isLink), ({ path }) => path);
  const shard = shardOf(files, hosts, index);
  await makeFolder(to);
  for (const { path, source, isLink } of [...links, ...shard]) {
    const target = join(to, path);
    await makeFolder(dirname(target));
    if (isLink) Deno.symlinkSync(Deno.readLinkSync(source), target);
    else await linkOrCopy(source, target);
  }
  return shard.length;
}

/** What would be objects in S3, and other links: a container finds what those lead to if it is there. */
function entriesBelow(root: string, folder: string): readonly Entry[] {
  return entriesOf(join(root, folder), folder).flatMap(({ path, source }) => {
    const { isDirectory, isSymlink } = seen(path, () => Deno.lstatSync(source));
    if (isDirectory) return entriesBelow(root, `${path}/`);
    const file = fileIn(root, source);
    if (file !== undefined) return [{ path, source: file, isLink: false }];
    return isSymlink ? [{ path, source, isLink: true }] : [];
  });
}

/** The real path of a file, or of the one that a link leads to; `undefined` where that is elsewhere. */
function fileIn(directory: string, path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    return !isOutside(relative(directory, real)) && Deno.lstatSync(real).isFile ? real : undefined;
  } catch {
    return undefined; // It leads nowhere.
  }
}
