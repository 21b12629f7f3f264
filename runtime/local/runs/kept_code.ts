/** The code as it ran, kept once for all runs that had the same: `jobs/code/HASH.tar.gz`. */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { isPrivateName } from "../../app/private_files.ts";
import type { TarEntry } from "../../archive/writer.ts";
import { isSystemError, MlcliError } from "../../errors.ts";
import { lstatIfThere, removeIfThere } from "../../files.ts";
import { KEPT_CODE, makeInJobs } from "../../model/runs.ts";
import { sha256 } from "../../text.ts";
import { treeIn } from "../watch/tree.ts";
import type { RunCode } from "./working_copy.ts";

/**
 * Keeps the code of a run, but for files whose names say that they are private. A run goes on without.
 *
 * @returns a hash of its names, modes and bytes; `undefined` where there is none, or too much.
 */
export async function keepCode(layout: Layout, code: RunCode): Promise<string | undefined> {
  if (!code.isWritable) return undefined;
  const entries = [
    ...await entriesIn(code.codeFolder, "code"),
    ...await entriesIn(code.commonFolder, "common"),
  ];
  if (entries.length === 0) return undefined;
  const hash = await hashOf(entries);
  const path = join(layout.jobs, KEPT_CODE, `${hash}.tar.gz`);
  const part = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    await makeInJobs(layout, KEPT_CODE);
    if (await lstatIfThere(path)) return hash;
    // Loaded where it is needed: it brings libraries.
    const { packTo } = await import("../../archive/pack.ts");
    const refused = (shown: string) => new MlcliError(`Cannot read ${shown}`);
    const errors = { gone: refused, gotShorter: refused, cannotRead: refused };
    await packTo(part, entries, errors, new AbortController().signal);
    await Deno.rename(part, path);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    await removeIfThere(part).catch(() => {});
  }
  return hash;
}

async function entriesIn(folder: string | undefined, name: string): Promise<readonly TarEntry[]> {
  const tree = folder === undefined ? undefined : await treeIn(folder, "times");
  if (folder === undefined || tree === undefined) return [];
  const isPublic = (path: string): boolean => !path.split("/").some(isPrivateName);
  const entries: TarEntry[] = [];
  for (const path of [...tree.files.keys()].filter(isPublic).sort()) {
    const source = join(folder, path);
    const shown = `${name}/${path}`;
    const isLink = tree.files.get(path)!.startsWith("link ");
    entries.push(
      isLink
        ? { type: "symlink", path: shown, target: Deno.readLinkSync(source) }
        : { type: "file", path: shown, source, shown },
    );
  }
  return entries;
}

async function hashOf(entries: readonly TarEntry[]): Promise<string> {
  const all: string[][] = [];
  for (const entry of entries) {
    if (entry.type === "symlink") all.push(["link", entry.path, entry.target]);
    if (entry.type !== "file") continue;
    const { mode } = Deno.statSync(entry.source);
    const kind = (mode ?? 0) & 0o111 ? "program" : "file";
    all.push([kind, entry.path, await sha256(await Deno.readFile(entry.source))]);
  }
  return (await sha256(JSON.stringify(all))).slice(0, 32);
}
