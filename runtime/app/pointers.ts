/** Small files that stand in a repository for large ones, which a tool has to fetch. */

import { MlcliError } from "../errors.ts";
import { sizeOf } from "../files.ts";
import { inOneLine } from "../text.ts";

interface Pointer {
  readonly title: string;
  /** Matches the start of its text. */
  readonly start: RegExp;
  /** The command that fetches the files. */
  readonly fetch: string;
}

const POINTERS: readonly Pointer[] = [
  {
    // git-lfs, docs/spec.md; the second address is that of versions before the first release.
    title: "Git LFS",
    start: /^version https:\/\/(?:git-lfs\.github|hawser\.github)\.com\/spec\/v1\r?\n/,
    fetch: "git lfs pull",
  },
  {
    // git-annex, doc/internals/pointer_file.mdwn
    title: "git-annex",
    start: /^\/annex\/objects\/[^\s/]+\s*$/m,
    fetch: "git annex get .",
  },
];

/** A pointer is at least as long as a hash, and shorter than git-lfs's limit of 1,024 bytes. */
const BYTES = { least: 50, most: 1023 };

/**
 * How many files of one extension in one directory are looked at. Tools choose the files that they fetch by
 * such patterns, and to look at 20,000 files takes 0.1 s.
 */
const MOST_ALIKE = 100;

/** How many small files are read: that takes some milliseconds. */
const MOST_READ = 1_000;

/**
 * Returns what a file is a pointer of; `undefined` for any other file, and one that cannot be read.
 *
 * @param size in bytes.
 */
export function pointerAt(path: string, size: number): Pointer | undefined {
  if (!mayBePointer(size)) return undefined;
  try {
    const text = Deno.readTextFileSync(path);
    return POINTERS.find(({ start }) => start.test(text));
  } catch {
    return undefined;
  }
}

function mayBePointer(size: number): boolean {
  return size >= BYTES.least && size <= BYTES.most;
}

interface FoundPointers {
  /** Their paths below the directory. */
  readonly found: readonly string[];
  /** What the first is. */
  readonly pointer: Pointer | undefined;
  /** How many other files were looked at. */
  readonly others: number;
}

/**
 * Looks for pointers among the first files of each kind.
 *
 * @param paths below the directory.
 */
export function pointersAmong(directory: string, paths: readonly string[]): FoundPointers {
  const found: string[] = [];
  const alike = new Map<string, number>();
  let pointer: Pointer | undefined;
  let [read, others] = [0, 0];
  for (const path of paths) {
    const kind = path.replace(/[^/]*?(\.[^./]*)?$/, "$1");
    const count = alike.get(kind) ?? 0;
    if (count === MOST_ALIKE) continue;
    alike.set(kind, count + 1);
    const file = `${directory}/${path}`;
    const size = sizeOf(file);
    if (mayBePointer(size) && read++ === MOST_READ) break;
    const its = pointerAt(file, size);
    pointer ??= its;
    if (its === undefined) others++;
    else found.push(path);
  }
  return { found, pointer, others };
}

/** Returns what to tell the user about pointers. @param shown their paths, as the user would type them. */
export function pointerMessage(
  { title, fetch }: Pointer,
  shown: readonly string[],
): { readonly message: string; readonly hint: string } {
  const [first = "", ...others] = shown;
  const message = others.length === 0
    ? `${first} is a ${title} pointer, not the file itself`
    : `${first} and ${others.length} more are ${title} pointers, not the files themselves`;
  return {
    message: inOneLine(message),
    hint: `Run ${fetch} in the repository` +
      (title === "Git LFS" ? ". If you downloaded a ZIP file, clone the repository instead." : ""),
  };
}

/**
 * Requires that a file is not a pointer.
 *
 * @param shown its path, as the user would type it.
 * @param size in bytes.
 * @throws MlcliError
 */
export function requireNoPointer(path: string, shown: string, size = sizeOf(path)): void {
  const pointer = pointerAt(path, size);
  if (pointer === undefined) return;
  const { message, hint } = pointerMessage(pointer, [shown]);
  throw new MlcliError(message, { hint });
}
