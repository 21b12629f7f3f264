/**
 * Unpacks the archive of a model into a directory of its own. The archive is hostile until proven
 * otherwise: whatever it says, only this directory changes, and it holds nothing but directories,
 * files of the caller, and links among them. Nothing of it is left after an error.
 */

import { join } from "@std/path/join";
import type { Header } from "tar-stream";
import { fileErrorReason, isSystemError, MlcliError } from "../errors.ts";
import { lstatIfThere, removeTreeIfThere, setMode } from "../files.ts";
import { writeAll } from "../streams.ts";
import { Refusal, refusalOf, TRUSTED, type Unpacked, unpackedOf } from "./entries.ts";
import { type ArchiveEntry, bytesOfFile, entriesOf, piecesOf, tooLargeError } from "./reader.ts";

export interface Limits {
  /** Files, directories and links together. */
  readonly entries: number;
  /** Without the compression. */
  readonly bytes: number;
}

/**
 * The limits of an archive, by its size in bytes: any model fits, and a few KB do not fill the disk
 * (gzip unpacks a byte to 1,000 at most).
 */
export function limitsOf(size: number): Limits {
  return { entries: 250_000, bytes: Math.max(1024 ** 3, 100 * size) };
}

/**
 * Unpacks a `.tar.gz`.
 *
 * @param archive its path, of a file.
 * @param target the directory, which is made.
 * @param shown the archive's path in messages.
 * @throws MlcliError where it cannot be unpacked; the signal's reason. Then the directory is gone.
 */
export async function unpackModel(
  archive: string,
  target: string,
  shown: string,
  signal: AbortSignal,
  limits?: Limits,
): Promise<void> {
  let done = false;
  try {
    const { entries, bytes } = limits ?? limitsOf((await Deno.stat(archive)).size);
    const directory = new Directory(target, { entries, bytes });
    await Deno.mkdir(target);
    try {
      await setMode(target, 0o755);
      for await (const entry of entriesOf(bytesOfFile(archive), bytes, signal)) {
        await directory.add(entry);
        signal.throwIfAborted();
      }
      done = true;
    } finally {
      if (!done) await removeTreeIfThere(target).catch(() => {});
    }
  } catch (error) {
    throw explained(error, shown);
  }
}

function explained(error: unknown, shown: string): unknown {
  if (error instanceof Refusal) {
    return new MlcliError(`Cannot unpack ${shown}: ${error.message}`, {
      hint: error.hint,
      cause: error,
    });
  }
  if (!isSystemError(error)) return error;
  return new MlcliError(`Cannot unpack ${shown}: ${fileErrorReason(error)}`, {
    hint: "Check that the disk has space for the unpacked files and that you can write to it",
    cause: error,
  });
}

/** The directory that is filled. Nobody else writes to it. */
class Directory {
  /** Directories that are known to be there and to be no links. */
  readonly #made = new Set<string>();
  #entries = 0;
  /** The bytes of sparse files, which may be far larger than the archive. */
  #sparseBytes = 0;

  constructor(private readonly root: string, private readonly limits: Limits) {}

  async add({ header, content }: ArchiveEntry): Promise<void> {
    const unpacked = unpackedOf(header);
    const path = join(this.root, ...unpacked.path);
    if (unpacked.kind !== "directory") {
      await this.#makeParents(unpacked.path.slice(0, -1), header);
      this.#count();
    }
    switch (unpacked.kind) {
      case "directory":
        await this.#makeParents(unpacked.path, header);
        // The directory itself may be an entry, too: it stays as it is.
        if (unpacked.path.length > 0) await setMode(path, unpacked.mode);
        break;
      case "symlink":
        await this.#clear(path, header);
        await Deno.symlink(unpacked.target, path, { type: "file" });
        break;
      case "link":
        await this.#link(unpacked, path, header);
        break;
      case "file":
        await this.#clear(path, header);
        await this.#write(unpacked, path, content);
        return;
    }
    // It should have no content, but must be read to its end before the next entry.
    for await (const _ of content);
  }

  /** Makes directories that are not there yet. Follows no link. */
  async #makeParents(names: readonly string[], { name }: Header): Promise<void> {
    let path = this.root;
    for (const part of names) {
      path = join(path, part);
      if (this.#made.has(path)) continue;
      const info = await lstatIfThere(path);
      if (info !== undefined && !info.isDirectory) {
        throw refusalOf(name, "is inside a path that is not a directory");
      }
      if (info === undefined) {
        this.#count();
        await Deno.mkdir(path);
        await setMode(path, 0o755);
      }
      this.#made.add(path);
    }
  }

  /** As with tar, the last entry of a name counts; but a directory is not replaced. */
  async #clear(path: string, { name }: Header): Promise<void> {
    const info = await lstatIfThere(path);
    if (info === undefined) return;
    if (info.isDirectory) throw refusalOf(name, "occurs twice, once as a directory");
    await Deno.remove(path);
  }

  async #link(
    { source }: Unpacked & { readonly kind: "link" },
    path: string,
    header: Header,
  ): Promise<void> {
    const existing = join(this.root, ...source);
    for (let length = 1; length < source.length; length++) {
      const info = await lstatIfThere(join(this.root, ...source.slice(0, length)));
      if (!info?.isDirectory) throw missingFileError(header);
    }
    if (!(await lstatIfThere(existing))?.isFile) throw missingFileError(header);
    if (existing === path) return;
    await this.#clear(path, header);
    await Deno.link(existing, path);
  }

  async #write(
    { mode, sparse }: Unpacked & { readonly kind: "file" },
    path: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    // createNew: never into something that is there, nor through a link.
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    if (sparse === undefined) {
      for await (const bytes of content) await writeAll(file, bytes);
    } else {
      this.#sparseBytes += sparse;
      if (this.#sparseBytes > this.limits.bytes) throw tooLargeError(this.limits.bytes);
      for await (const { offset, bytes } of piecesOf(content, sparse)) {
        await file.seek(offset, Deno.SeekMode.Start);
        await writeAll(file, bytes);
      }
      await file.truncate(sparse);
    }
    await setMode(path, mode);
  }

  #count(): void {
    if (++this.#entries <= this.limits.entries) return;
    throw new Refusal(`it contains more than ${this.limits.entries} files and directories`, {
      hint: TRUSTED,
    });
  }
}

function missingFileError(header: Header): Refusal {
  const words = `is a hard link to ${header.linkname}, but no file of that name comes before it`;
  return refusalOf(header.name, words);
}
