/**
 * What is to be said of an archive before a server gets it, from the headers of its entries.
 *
 * @module
 */

import type { Header } from "tar-stream";
import { Refusal, shownName, type Unpacked, unpackedOf } from "./entries.ts";

/** How much an archive may become. */
export interface Room {
  /** Without the compression; `undefined`: nobody says. */
  readonly bytes: number | undefined;
  /** What has that room: `ml.m5.large`. */
  readonly words: string;
  /** What has more of it. */
  readonly remedy: string;
}

/** An archive, of which one entry after another is looked at. Nothing of them is kept. */
export class Judgement {
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

  /** How many files there were, links among them. */
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

/** The refusal of what does not fit where it is unpacked. */
export function tooLargeFor(bytes: number, words: string, remedy: string): Refusal {
  return new Refusal(
    `it becomes more than ${Math.round(bytes / 1024 ** 3)} GB, which is what ${words} has`,
    { hint: remedy },
  );
}
