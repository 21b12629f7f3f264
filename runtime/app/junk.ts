/** Files that operating systems and notebooks leave behind: never code, data or a part of a model. */

import { listed } from "../text.ts";

/**
 * Jupyter's saved copies, and macOS's files: what the Finder remembers of a directory, and what its
 * archiver adds to a zip. Sources: github/gitignore (Global/macOS.gitignore, Python.gitignore);
 * reports of readers that failed on them: huggingface/autotrain-advanced#502,
 * WorldBank-Transport/open-transit-indicators#54.
 */
const JUNK = new Set([".ipynb_checkpoints", ".DS_Store", "__MACOSX"]);

/**
 * Returns whether a file or directory is junk by its name. `._NAME` is where macOS keeps the attributes of
 * NAME on other file systems and in archives (pytorch/serve#3104). Windows writes both `Thumbs.db`
 * and `thumbs.db` (soft-matter/trackpy#87).
 */
export function isJunk(name: string): boolean {
  return JUNK.has(name) || name.startsWith("._") || name.toLowerCase() === "thumbs.db";
}

/** Returns the note about junk that was left out, if there is any. */
export function junkNotes(shown: readonly string[]): readonly string[] {
  if (shown.length === 0) return [];
  const count = shown.length === 1 ? "1 file" : `${shown.length} files`;
  const source = "that operating systems and notebooks create";
  return [`Skipped ${count} ${source}: ${listed([...shown].sort())}`];
}
