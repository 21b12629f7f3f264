/**
 * Checks the entries of a model's archive, as pure functions. An archive may come from anywhere: none of
 * its entries may lie outside of the directory that it is unpacked into, nor lead out of it.
 */

import { SEPARATOR } from "@std/path/constants";
import type { Header } from "tar-stream";
import { MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";

/** Something to make. A path is a list of names below the directory; an empty one is the directory. */
export type Unpacked =
  | { readonly kind: "directory"; readonly path: readonly string[]; readonly mode: number }
  | {
    readonly kind: "file";
    readonly path: readonly string[];
    readonly mode: number;
    /** The size of a sparse file, whose content begins with a map; undefined for any other. */
    readonly sparse: number | undefined;
  }
  | { readonly kind: "symlink"; readonly path: readonly string[]; readonly target: string }
  /** Another name of a file. */
  | { readonly kind: "link"; readonly path: readonly string[]; readonly source: readonly string[] };

/** Why an archive is not unpacked: the reason alone; the caller names the archive. */
export class Refusal extends MlcliError {
  override readonly name = "Refusal";
}

export const TRUSTED = "If you trust the archive, unpack it into model/ yourself with tar -xzf, " +
  "and keep the archive elsewhere";

/** The owner can always remove it again; setuid, setgid and the sticky bit are dropped. */
const DIRECTORY_MODE = { all: 0o777, least: 0o700 };
const FILE_MODE = { all: 0o777, least: 0o600 };

/** Keys of the pax format (POSIX); those of sparse files: GNU tar's manual, "PAX Format, Version 1.0". */
type Pax = Readonly<Record<string, string | undefined>>;

/**
 * What to make of an entry.
 *
 * @param separator of the system that it is unpacked on.
 * @throws Refusal
 */
export function unpackedOf(header: Header, separator: string = SEPARATOR): Unpacked {
  const { type, mode, linkname } = header;
  const pax = (header.pax ?? {}) as Pax;
  const name = pax["GNU.sparse.name"] ?? header.name;
  const path = namesOf(name, separator);
  if (type === "directory") return { kind: "directory", path, mode: modeOf(mode, DIRECTORY_MODE) };
  if (path.length === 0) throw refusalOf(name, "is the archive's root, but not a directory");
  switch (type) {
    case "file":
    case "contiguous-file":
      return { kind: "file", path, mode: modeOf(mode, FILE_MODE), sparse: sparseSize(name, pax) };
    case "symlink":
      requireInnerTarget(name, path, linkname ?? "", separator);
      return { kind: "symlink", path, target: linkname };
    case "link":
      return { kind: "link", path, source: namesOf(linkname ?? "", separator) };
    default:
      // Devices, pipes, and what the library does not know.
      throw refusalOf(name, "is not a file, a directory or a link");
  }
}

/** An entry's name in messages: archives can hold very long ones, and any letters. */
export function shownName(name: string): string {
  return inOneLine(name.length <= 100 ? name : `${name.slice(0, 100)}...`);
}

export function refusalOf(name: string, words: string): Refusal {
  return new Refusal(`${shownName(name)} ${words}`, {
    hint: "Fix or remove this entry, then pack the model again: " +
      "tar -czf model.tar.gz -C DIRECTORY .",
  });
}

function modeOf(mode: number, { all, least }: typeof FILE_MODE): number {
  return (mode & all) | least;
}

function namesOf(path: string, separator: string): readonly string[] {
  requireName(path, separator);
  const names = namesIn(path);
  // The directory itself is "/" in archives of AWS's SDK (`repack_model` of sagemaker 2).
  if (path.startsWith("/") && names.length > 0) throw refusalOf(path, "is an absolute path");
  if (names.includes("..")) throw refusalOf(path, "points outside the archive");
  return names;
}

function namesIn(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function requireName(path: string, separator: string): void {
  if (path === "") throw refusalOf("An entry", "has no name");
  // This character stands for bytes that are not UTF-8. Deno cannot make such a name.
  if (path.includes("\ufffd")) throw refusalOf(path, "has a name that is not UTF-8");
  if (path.includes("\0")) throw refusalOf(path, "has a NUL byte in its name");
  if (separator === "\\" && /[\\:]/.test(path)) {
    throw refusalOf(path, "is not a valid name on Windows");
  }
}

/**
 * Requires that a symbolic link leads to something in the directory. Nothing is written through one, so
 * that the link's own directory is none.
 */
function requireInnerTarget(
  name: string,
  path: readonly string[],
  target: string,
  separator: string,
): void {
  const words = `is a link to ${shownName(target)}, which might be outside the archive`;
  requireName(target, separator);
  if (mayLeadOut(path.length, target)) throw refusalOf(name, words);
}

/**
 * Whether a symbolic link may lead out of a tree, whatever is or will be in it. The link's own directory
 * is never a link. So the target may go up as many levels as the link is deep. It must not go up again
 * after a name: that may be a link, and above its target is another place.
 *
 * @param depth how many names the link's path in the tree has.
 */
export function mayLeadOut(depth: number, target: string): boolean {
  const names = namesIn(target);
  const down = names.findIndex((part) => part !== "..");
  const up = down < 0 ? names.length : down;
  return target.startsWith("/") || up >= depth || names.slice(up).includes("..");
}

function sparseSize(name: string, pax: Pax): number | undefined {
  if (!Object.keys(pax).some((key) => key.startsWith("GNU.sparse."))) return undefined;
  const size = Number(pax["GNU.sparse.realsize"]);
  const isKnown = pax["GNU.sparse.major"] === "1" && pax["GNU.sparse.minor"] === "0";
  if (isKnown && Number.isSafeInteger(size) && size >= 0) return size;
  throw refusalOf(name, "is a sparse file in an unsupported format");
}

/** How large an archive's content may be. */
export interface Room {
  /** Unpacked; `undefined`: no limit is known. */
  readonly bytes: number | undefined;
  /** What has that room: `ml.m5.large`. */
  readonly words: string;
  readonly hint: string;
}

/** Checks an archive entry by entry, without keeping them. */
export class ArchiveCheck {
  /** The first two names at the top level. */
  readonly #tops = new Set<string>();
  #isTopDirectory = false;
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #links: { readonly first: string; count: number } | undefined;

  constructor(private readonly room: Room) {}

  /**
   * Looks at the next entry.
   * @throws Refusal where it cannot be unpacked, or all entries together are too large.
   */
  add(header: Header): void {
    // SageMaker unpacks on Linux.
    const unpacked = unpackedOf(header, "/");
    this.#entries++;
    const [top] = unpacked.path;
    if (top !== undefined) {
      if (this.#tops.size < 2) this.#tops.add(top);
      this.#isTopDirectory ||= unpacked.path.length > 1 || unpacked.kind === "directory";
    }
    if (unpacked.kind === "symlink") this.#addLink(header.name);
    if (unpacked.kind === "directory") return;
    this.#files++;
    this.#bytes += sizeOf(unpacked, header);
    const { bytes, words, hint } = this.room;
    if (bytes !== undefined && this.#bytes > bytes) throw tooLargeError(bytes, words, hint);
  }

  get files(): number {
    return this.#files;
  }

  /** Files, directories and links so far, and the bytes of all files. */
  get unpacked(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries, bytes: this.#bytes };
  }

  /** What looks like a mistake, as sentences that begin with the archive's name. */
  warnings(shown: string): readonly string[] {
    const warnings: string[] = [];
    if (this.#links !== undefined) {
      const { first, count } = this.#links;
      const more = count === 1 ? "" : ` and ${count - 1} more`;
      warnings.push(
        `${shown} contains symbolic links (${shownName(first)}${more}), which SageMaker might ` +
          "not unpack. To pack their targets instead, use tar -h.",
      );
    }
    const [top, ...others] = this.#tops;
    if (top === undefined || others.length > 0) return warnings;
    const name = shownName(top);
    // TensorFlow Serving's versions of a model are such directories.
    if (this.#isTopDirectory && !/^\d+$/.test(top)) {
      warnings.push(
        `Everything in ${shown} is inside ${name}/, so a server finds it in ` +
          `/opt/ml/model/${name}/. To change that: tar -czf model.tar.gz -C ${name} .`,
      );
    } else if (/\.(tar\.gz|tgz)$/.test(top)) {
      warnings.push(
        `${shown} contains only ${name}, which SageMaker does not unpack`,
      );
    }
    return warnings;
  }

  #addLink(name: string): void {
    if (this.#links === undefined) this.#links = { first: name, count: 1 };
    else this.#links.count++;
  }
}

/** A sparse file counts with its holes. */
function sizeOf(unpacked: Unpacked, { size = 0 }: Header): number {
  return unpacked.kind === "file" ? unpacked.sparse ?? size : 0;
}

export function tooLargeError(bytes: number, words: string, hint: string): Refusal {
  return new Refusal(
    `its files are larger than the ${Math.round(bytes / 1024 ** 3)} GB disk of ${words}`,
    { hint },
  );
}
