/**
 * Symbolic links in what SageMaker uploads.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Difference } from "../../contract/differences.ts";
import { type JobKind, JOBS, PATHS } from "../../contract/jobs.ts";
import { listed } from "../../text.ts";

/** How many entries are looked at: that takes milliseconds. */
const MOST_ENTRIES = 1_000;

/**
 * Links that a job left and SageMaker does not take. Sources: developer guide, "Build Your Own
 * Processing Container": "Symlinks are not followed when uploading output data"; "Troubleshoot Amazon
 * SageMaker model deployments": "the model tarball should not include any symlinks. Symlinks cause the
 * model creation to fail."
 *
 * @param folder host directory of the model, or of processing's output.
 */
export async function linkDifferences(
  kind: JobKind,
  folder: string,
): Promise<readonly Difference[]> {
  const links = await linksIn(folder);
  if (links.length === 0) return [];
  const found = `${JOBS[kind].title} left links in ${FOLDERS[kind]}: ${listed(links)}`;
  return [{
    message: kind === "train"
      ? `${found}; on the platform, no model can be created of an archive with links`
      : `${found}; the platform does not upload what they lead to`,
    hint: "Copy what they lead to into their places.",
  }];
}

const FOLDERS: Readonly<Record<JobKind, string>> = {
  train: PATHS.model,
  process: PATHS.processingOutput,
};

/** The links in a directory at any depth, as paths relative to it, sorted. */
async function linksIn(folder: string): Promise<readonly string[]> {
  const links: string[] = [];
  let seen = 0;
  const visit = async (path: string): Promise<void> => {
    try {
      for await (const { name, isDirectory, isSymlink } of Deno.readDir(join(folder, path))) {
        if (++seen > MOST_ENTRIES) return;
        const inner = path === "" ? name : `${path}/${name}`;
        if (isSymlink) links.push(inner);
        if (isDirectory) await visit(inner);
      }
    } catch {
      // It is not there, or closed.
    }
  };
  await visit("");
  return links.sort();
}
