/**
 * The files of a model's directory, as its archive gets them. Links are followed: SageMaker cannot unpack
 * an archive with links. (Developer guide, "Troubleshoot Amazon SageMaker model deployments".)
 */

import { join } from "@std/path/join";
import { isPrivateKey, mayHoldSecrets } from "../app/private_files.ts";
import { isPlaceholder } from "../app/layout.ts";
import { brokenLink, followLink, linkBoundary } from "../app/links.ts";
import { requireNoPointer } from "../app/pointers.ts";
import type { FileEntry, TarEntry } from "../archive/writer.ts";
import { fileErrorHint, fileErrorReason, MlcliError } from "../errors.ts";
import { statIfThere } from "../files.ts";
import { inOneLine } from "../text.ts";

/** What a model's directory holds. */
export interface ModelFiles {
  /** In the order that they always have. */
  readonly entries: readonly TarEntry[];
  /** Of all files together. */
  readonly bytes: number;
  /** How many are files. */
  readonly files: number;
  /** What is left out, since its name says that it is private; as the user would type it. */
  readonly privateFiles: readonly string[];
  /** @throws MlcliError where a file is not what it was when it was listed. */
  requireUnchanged(): Promise<void>;
}

/** As many as a model that is downloaded may have. */
const MOST_ENTRIES = 250_000;

/**
 * Lists the files of a directory, without placeholders and what is private.
 *
 * @param shown the directory, as the user typed it.
 * @throws MlcliError for what cannot be packed: broken links, pipes, sockets, devices, pointers to files
 * that were not fetched, names that are not UTF-8; the signal's reason.
 */
export async function modelFiles(
  directory: string,
  shown: string,
  signal: AbortSignal,
): Promise<ModelFiles> {
  const root = await Deno.realPath(directory).catch((cause) => {
    throw cannotRead(shown, cause);
  });
  const walk = new Walk(await linkBoundary(root), signal);
  await walk.read({ path: root, shown, name: "", above: [root] });
  const { entries, states, bytes, privateFiles } = walk;
  return {
    entries,
    bytes,
    files: states.length,
    privateFiles,
    async requireUnchanged() {
      for (const { file, state } of states) {
        const now = await statIfThere(file.source).catch(() => undefined);
        if (now === undefined || stateOf(now) !== state) throw changed(file.shown);
      }
    },
  };
}

/** A directory that is being read. */
interface Folder {
  readonly path: string;
  readonly shown: string;
  /** Its path in the archive; empty, or with a slash at its end. */
  readonly name: string;
  /** Real paths of the directories that lead to it, its own included. */
  readonly above: readonly string[];
}

class Walk {
  readonly entries: TarEntry[] = [];
  readonly states: { readonly file: FileEntry; readonly state: string }[] = [];
  readonly privateFiles: string[] = [];
  bytes = 0;

  constructor(private readonly boundary: string, private readonly signal: AbortSignal) {}

  async read(folder: Folder): Promise<void> {
    for (const name of await namesIn(folder)) {
      this.signal.throwIfAborted();
      await this.#add(folder, name);
    }
  }

  async #add(folder: Folder, name: string): Promise<void> {
    const path = join(folder.path, name);
    const shown = join(folder.shown, name);
    if (name.includes("\ufffd")) throw cannotPack(shown, "has a name that is not UTF-8", RENAME);
    if (isPlaceholder(name)) return;
    const target = mayHoldSecrets(name) ? undefined : this.#targetOf(path, shown, folder.above);
    if (target === undefined) return void this.privateFiles.push(shown);
    const info = await Deno.stat(target).catch((cause) => {
      throw cannotRead(shown, cause);
    });
    if (this.entries.length >= MOST_ENTRIES) throw tooMany(shown);
    const inner = { path: target, shown, name: `${folder.name}${name}` };
    if (info.isDirectory) {
      this.entries.push({ type: "directory", path: inner.name, mode: 0o755 });
      return await this.read({
        ...inner,
        name: `${inner.name}/`,
        above: [...folder.above, target],
      });
    }
    if (!info.isFile) throw cannotPack(shown, "is not a file or directory", NO_FILE);
    if (await isKey(target)) return void this.privateFiles.push(shown);
    requireNoPointer(target, shown, info.size);
    const file: FileEntry = { type: "file", path: inner.name, source: target, shown };
    this.entries.push(file);
    this.states.push({ file, state: stateOf(info) });
    this.bytes += info.size;
  }

  /**
   * Returns where a path leads; `undefined` for something private in the boundary.
   *
   * @throws MlcliError for a link that is broken otherwise.
   */
  #targetOf(path: string, shown: string, above: readonly string[]): string | undefined {
    try {
      if (!Deno.lstatSync(path).isSymlink) return path;
    } catch (cause) {
      throw cannotRead(shown, cause);
    }
    const followed = followLink(path, this.boundary, above);
    if (followed.target !== undefined) return followed.target;
    if (followed.escape?.isPrivate) return undefined;
    throw brokenLink(shown, followed);
  }
}

/** In the same order everywhere. */
async function namesIn({ path, shown }: Folder): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
  } catch (cause) {
    throw cannotRead(shown, cause);
  }
}

/** What cannot be read is named when it is to be packed. */
async function isKey(path: string): Promise<boolean> {
  return await isPrivateKey("", path).catch(() => false);
}

/** Another one when the file is another one. */
function stateOf({ size, mtime, dev, ino }: Deno.FileInfo): string {
  return [size, mtime?.getTime(), dev, ino].join();
}

const RENAME = "Rename it";
const NO_FILE = "Move it out of the model, which can contain only files and directories";

function cannotPack(shown: string, words: string, hint: string): MlcliError {
  return new MlcliError(inOneLine(`${shown} ${words}`), { hint });
}

/** The error for what cannot be read. */
export function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(inOneLine(`Cannot read ${shown}: ${fileErrorReason(cause)}`), {
    hint: fileErrorHint(cause) ?? "Check that it exists and that you can read it",
    cause,
  });
}

/** The error for a file that changed while it was packed. */
export function changed(shown: string): MlcliError {
  return new MlcliError(`${inOneLine(shown)} changed while it was being packed`, {
    hint: "Rerun the command when no program is writing to this file",
  });
}

function tooMany(shown: string): MlcliError {
  const reason = `the model has more than ${MOST_ENTRIES} files and directories`;
  return new MlcliError(inOneLine(`Cannot pack ${shown}: ${reason}`), {
    hint:
      "Check the directory. To use so many files, pack them yourself and upload the archive to S3.",
  });
}
