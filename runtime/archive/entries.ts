/**
 * What an entry of a model's archive becomes in a directory, and what is to be said of an archive before a
 * server gets it, as pure functions. An archive may come from anywhere, so nothing of it may lie outside of
 * that directory, nor lead out of it.
 */

import { SEPARATOR } from "@std/path/constants";
import type { Header } from "tar-stream";
import { MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";

/** Something to make. A path is its names, from the directory on; none: the directory itself. */
export type Unpacked =
  | { readonly kind: "directory"; readonly path: readonly string[]; readonly mode: number }
  | {
    readonly kind: "file";
    readonly path: readonly string[];
    readonly mode: number;
    /** Its size where it has holes: then its content begins with a map of them. */
    readonly sparse: number | undefined;
  }
  | { readonly kind: "symlink"; readonly path: readonly string[]; readonly target: string }
  /** Another name of a file. */
  | { readonly kind: "link"; readonly path: readonly string[]; readonly source: readonly string[] };

/** Why an archive is not unpacked: the reason alone; the caller names the archive. */
export class Refusal extends MlcliError {
  override readonly name = "Refusal";
}

/** Owners keep what they need to remove it again; nobody gets setuid, setgid or the sticky bit. */
const DIRECTORY_MODE = { all: 0o777, least: 0o700 };
const FILE_MODE = { all: 0o777, least: 0o600 };

/** Keys of the pax format: POSIX, and of sparse files GNU tar's manual, "PAX Format, Version 1.0". */
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
  if (path.length === 0) throw refused(name, "has the place of the directory itself");
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
      throw refused(name, "is neither a file nor a directory nor a link");
  }
}

/** An entry's name in messages: archives can hold very long ones, and any letters. */
export function shownName(name: string): string {
  return inOneLine(name.length <= 100 ? name : `${name.slice(0, 100)}...`);
}

export function refused(name: string, words: string): Refusal {
  return new Refusal(`${shownName(name)} ${words}`, {
    hint:
      "An archive of a model holds files and directories, and links among them. Pack it again: " +
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
  if (path.startsWith("/") && names.length > 0) throw refused(path, "is an absolute path");
  if (names.includes("..")) throw refused(path, "leads out of the archive");
  return names;
}

function namesIn(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function requireName(path: string, separator: string): void {
  if (path === "") throw refused("An entry", "has no name");
  // What is not UTF-8 has been replaced by this character, and Deno could not make such a name.
  if (path.includes("\ufffd")) throw refused(path, "has a name that is not UTF-8");
  if (path.includes("\0")) throw refused(path, "has a name with a zero byte");
  if (separator === "\\" && /[\\:]/.test(path)) throw refused(path, "is no name on Windows");
}

/**
 * Requires that a symbolic link leads to something in the directory, whatever is or will be there.
 * Its own directory is never a link, since nothing is written through one. So it can go up as many
 * levels as it is deep. It must not go up again after a name: that may be a link, and above its
 * target is somewhere else.
 */
function requireInnerTarget(
  name: string,
  path: readonly string[],
  target: string,
  separator: string,
): void {
  const words = `is a link to ${shownName(target)}, which may lead out of the archive`;
  requireName(target, separator);
  if (target.startsWith("/")) throw refused(name, words);
  const names = namesIn(target);
  const down = names.findIndex((part) => part !== "..");
  const up = down < 0 ? names.length : down;
  if (up >= path.length || names.slice(up).includes("..")) throw refused(name, words);
}

function sparseSize(name: string, pax: Pax): number | undefined {
  if (!Object.keys(pax).some((key) => key.startsWith("GNU.sparse."))) return undefined;
  const size = Number(pax["GNU.sparse.realsize"]);
  const isKnown = pax["GNU.sparse.major"] === "1" && pax["GNU.sparse.minor"] === "0";
  if (isKnown && Number.isSafeInteger(size) && size >= 0) return size;
  throw refused(name, "is a sparse file of a format that mlcli does not know");
}

/** How much an archive may become. */
export interface Room {
  /** Without the compression; `undefined`: nobody says. */
  readonly bytes: number | undefined;
  /** What has that room: `ml.m5.large`. */
  readonly words: string;
  readonly remedy: string;
}

/** An archive, of which one entry after another is looked at. Nothing of them is kept. */
export class ArchiveCheck {
  readonly #room: Room;
  /** Names in the directory itself; not all of many. */
  readonly #tops = new Set<string>();
  #isTopDirectory = false;
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #links: { readonly first: string; count: number } | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  /**
   * Looks at the next entry.
   * @throws Refusal where it would not become what it says, or all together are too large.
   */
  add(header: Header): void {
    // What is unpacked is always on Linux.
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
    const { bytes, words, remedy } = this.#room;
    if (bytes !== undefined && this.#bytes > bytes) throw tooLargeFor(bytes, words, remedy);
  }

  get files(): number {
    return this.#files;
  }

  /** What it becomes: files, directories and links, and the bytes of all files. */
  get becomes(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries, bytes: this.#bytes };
  }

  /** What looks like a mistake, as sentences that begin with the archive's name. */
  warnings(shown: string): readonly string[] {
    const warnings: string[] = [];
    if (this.#links !== undefined) {
      const { first, count } = this.#links;
      const more = count === 1 ? "" : ` and ${count - 1} more`;
      warnings.push(
        `${shown} holds symbolic links (${shownName(first)}${more}): SageMaker may not ` +
          "be able to unpack it. Pack what they lead to: tar -h",
      );
    }
    const [top, ...others] = this.#tops;
    if (top === undefined || others.length > 0) return warnings;
    const name = shownName(top);
    // TensorFlow Serving's versions of a model are such directories.
    if (this.#isTopDirectory && !/^\d+$/.test(top)) {
      warnings.push(
        `All of ${shown} lies in ${name}/: a server finds it in /opt/ml/model/${name}/, and not in ` +
          `/opt/ml/model. If that is not meant: tar -czf model.tar.gz -C ${name} .`,
      );
    } else if (/\.(tar\.gz|tgz)$/.test(top)) {
      warnings.push(
        `${shown} holds ${name} and nothing else: that is not unpacked once more`,
      );
    }
    return warnings;
  }

  #addLink(name: string): void {
    if (this.#links === undefined) this.#links = { first: name, count: 1 };
    else this.#links.count++;
  }
}

/** Of a file with holes it is what the file has with them. */
function sizeOf(unpacked: Unpacked, { size = 0 }: Header): number {
  return unpacked.kind === "file" ? unpacked.sparse ?? size : 0;
}

export function tooLargeFor(bytes: number, words: string, remedy: string): Refusal {
  return new Refusal(
    `it becomes more than ${Math.round(bytes / 1024 ** 3)} GB, which is what ${words} has`,
    { hint: remedy },
  );
}
