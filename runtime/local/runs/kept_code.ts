/** The code as it ran, kept once for all runs that had the same: `jobs/code/HASH.tar.gz`. */

import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { isSystemError, MlcliError } from "../../errors.ts";
import { lstatIfThere, removeIfThere } from "../../files.ts";
import { KEPT_CODE, makeInJobs } from "../../model/runs.ts";
import { archiveOf, codeIn, type PackedCode, type SentCode } from "../../source/source.ts";
import type { RunCode } from "./working_copy.ts";

/**
 * Keeps the code that a run has copies of, but for what may be a secret. A run goes on without.
 *
 * @returns its hash; `undefined` where there is none, or too much.
 */
export async function keepCode(layout: Paths, code: RunCode): Promise<string | undefined> {
  if (!code.isWritable) return undefined;
  const folders = [
    ...folderOf(code.codeFolder, "code"),
    ...folderOf(code.commonFolder, "common"),
  ];
  const sent = await ignoringFailures(codeIn(folders));
  if (sent === undefined || sent.files.length === 0) return undefined;
  await keep(layout, sent, () => archiveOf(sent));
  return sent.hash;
}

/** Keeps code that a run has sent. @returns its hash. */
export async function keepSent(layout: Paths, sent: PackedCode): Promise<string> {
  await keep(layout, sent, () => Promise.resolve(sent.archive));
  return sent.hash;
}

function folderOf(path: string | undefined, name: string) {
  if (path === undefined) return [];
  return [{ source: { path, shown: name, boundary: Deno.realPathSync(path) }, before: `${name}/` }];
}

/** Keeps code, unless it is kept. A run goes on without. */
async function keep(
  layout: Paths,
  { hash }: SentCode,
  archive: () => Promise<Uint8Array>,
): Promise<void> {
  const path = join(layout.jobs, KEPT_CODE, `${hash}.tar.gz`);
  const part = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  await ignoringFailures((async () => {
    await makeInJobs(layout, KEPT_CODE);
    if (await lstatIfThere(path)) return;
    await Deno.writeFile(part, await archive(), { createNew: true, mode: 0o600 });
    await Deno.rename(part, path);
  })());
  await removeIfThere(part).catch(() => {});
}

async function ignoringFailures<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MlcliError || isSystemError(error)) return undefined;
    throw error;
  }
}
