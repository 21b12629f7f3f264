/** What of a directory that code wrote may go where others reach it. */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { mayLeadOut } from "../../archive/entries.ts";
import { MlcliError, systemCode } from "../../errors.ts";
import { inOneLine } from "../../text.ts";

/**
 * Moves a tree into a new directory, entry by entry: only what was looked at by its name comes into it.
 * The tree is gone then, but for an error.
 * Files and directories lose setuid, setgid and the sticky bit.
 *
 * @param to is made; only the caller may enter it until all is in it.
 * @returns what does not come into it: links that may lead out, and what is neither file nor directory.
 * @throws MlcliError for what is not the caller's, or has no name that Deno can say; Error of the system.
 */
export function sift(from: string, to: string, inside = ""): readonly string[] {
  const left: string[] = [];
  const folder = Deno.lstatSync(from);
  requireOwn(folder.uid, inside);
  seen(inside, () => Deno.mkdirSync(to, { mode: 0o700 }));
  for (const { name } of Deno.readDirSync(from)) {
    const [source, target, path] = [join(from, name), join(to, name), join(inside, name)];
    const info = seen(path, () => Deno.lstatSync(source));
    if (info.isDirectory) left.push(...sift(source, target, path));
    else if (info.isFile) {
      requireOwn(info.uid, path);
      setMode(source, info.mode);
      seen(path, () => Deno.renameSync(source, target));
    } else {
      const link = info.isSymlink ? Deno.readLinkSync(source) : undefined;
      if (link === undefined || mayLeadOut(path.split(SEPARATOR).length, link)) left.push(path);
      else Deno.symlinkSync(link, target);
      Deno.removeSync(source);
    }
  }
  // What is left in it, Deno before 2.9 does not show.
  seen(inside, () => Deno.removeSync(from));
  takeAfter(to, folder);
  return left;
}

/** Gives a directory the mode of another. Where root works for another user, it is that user's. */
export function takeAfter(path: string, { mode, uid, gid }: Deno.FileInfo): void {
  if (Deno.uid() === 0 && uid !== null && gid !== null) Deno.chownSync(path, uid, gid);
  setMode(path, mode);
}

function setMode(path: string, mode: number | null): void {
  if (mode !== null && Deno.build.os !== "windows") Deno.chmodSync(path, mode & 0o777);
}

/** Root may do everything with what is another's; anybody else would spread it. */
function requireOwn(uid: number | null, path: string): void {
  const caller = Deno.uid();
  if (!caller || uid === null || uid === caller) return;
  throw new MlcliError(`another user owns ${inOneLine(path) || "the output directory"}`);
}

/**
 * Does something with a path of a tree. Deno shows names that are not UTF-8 as others, which need not be
 * there.
 *
 * @throws MlcliError for such a name.
 */
export function seen<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isUnsaid = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.AlreadyExists || systemCode(error) === "ENOTEMPTY";
    if (!isUnsaid) throw error;
    throw new MlcliError(`a name is not UTF-8: ${inOneLine(path)}`);
  }
}
