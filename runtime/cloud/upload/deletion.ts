/**
 * Deletes objects that have no file here.
 *
 * @module
 */

import { AwsError } from "../../aws/errors.ts";
import type { NotDeleted, S3 } from "../../aws/s3.ts";
import { inOneLine } from "../../text.ts";

/** The most that one request deletes. */
export const MOST_AT_ONCE = 1_000;

/** How many objects an error names. */
const NAMED = 20;

/** What stays, and all below it: paths of keys without a slash at their ends, and why. */
export type Kept = ReadonlyMap<string, "results" | "left out">;

/** What keeps a key: itself, or a directory above it. */
function keeperOf(key: string, kept: Kept): string | undefined {
  for (let end = key.indexOf("/"); end >= 0; end = key.indexOf("/", end + 1)) {
    if (kept.has(key.slice(0, end))) return key.slice(0, end);
  }
  return kept.has(key) ? key : undefined;
}

/**
 * Of the keys without a file, those that are deleted.
 *
 * @param onKept told once of each path that keeps others.
 */
export function keysToDelete(
  extras: readonly string[],
  kept: Kept,
  onKept: (path: string) => void,
): readonly string[] {
  const keepers = new Set<string>();
  const deleted = extras.filter((key) => {
    const keeper = keeperOf(key, kept);
    if (keeper !== undefined) keepers.add(keeper);
    // `data/` is what AWS's console makes of an empty directory.
    return keeper === undefined && !key.endsWith("/");
  });
  keepers.forEach(onKept);
  return deleted;
}

/**
 * Deletes them.
 * @throws AwsError that names what could not be deleted.
 */
export async function deleteExtras(
  s3: S3,
  bucket: string,
  keys: readonly string[],
): Promise<void> {
  const left: NotDeleted[] = [];
  for (let start = 0; start < keys.length; start += MOST_AT_ONCE) {
    left.push(...await s3.deleteObjects(bucket, keys.slice(start, start + MOST_AT_ONCE)));
  }
  const [first] = left;
  if (!first) return;
  const names = left.slice(0, NAMED).map(({ key, reason }) => `${inOneLine(key)}: ${reason}`);
  if (left.length > NAMED) names.push(`and ${left.length - NAMED} more`);
  throw new AwsError("other", `Not deleted in s3://${bucket}/: ${left.length} objects`, {
    quote: names.join("\n"),
    hint: "All files are sent. The same command again deletes what is left.",
  });
}
