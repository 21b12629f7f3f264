import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { isJunk } from "../../app/junk.ts";
import { followLink, linkBoundary } from "../../app/links.ts";
import { isPrivateKey, mayHoldSecrets } from "../../app/private_files.ts";
import { absolutePath } from "../../app/typed_path.ts";
import { compareKeys, sortKeys } from "../../contract/keys.ts";
import { fileErrorHint, fileErrorReason, isMissing, MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";

export interface NamedInput {
  /** Absolute. */
  readonly path: string;
  /** As the user typed it. */
  readonly shown: string;
  /** A file's name, with which its key ends; undefined for a directory. */
  readonly name: string | undefined;
  /** Real path of the directory that links may not lead out of. */
  readonly boundary: string;
}

/**
 * Finds the inputs. Links are followed, except those of a repository that lead out of it.
 *
 * @param typed as on the command line.
 * @throws MlcliError where one is not there, or neither a file nor a directory.
 */
export async function namedInputs(
  cwd: string,
  typed: readonly string[],
): Promise<readonly NamedInput[]> {
  return await Promise.all(typed.map(async (shown) => {
    const path = absolutePath(cwd, shown);
    const info = await Deno.stat(path).catch((cause) => {
      throw isMissing(cause) ? missingInputError(shown, cause) : cannotRead(shown, cause);
    });
    if (info.isDirectory) {
      return { path, shown, name: undefined, boundary: await linkBoundary(path) };
    }
    if (!info.isFile) {
      throw new MlcliError(`${inOneLine(shown)} is neither a file nor a directory`, {
        hint: "Write the data of a pipe or a device to a file first",
      });
    }
    return { path, shown, name: basename(path), boundary: "" };
  }));
}

export function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot read ${inOneLine(shown)}: ${fileErrorReason(cause)}`, {
    hint: fileErrorHint(cause) ?? "Check its permissions",
    cause,
  });
}

function missingInputError(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`No such file or directory: ${inOneLine(shown)}`, {
    hint: "Set --input-dir to an existing file or directory on this machine",
    cause,
  });
}

export interface LocalFile {
  /** Its key without the target's prefix. */
  readonly name: string;
  readonly path: string;
  /** Its path as the user would type it. */
  readonly shown: string;
}

/**
 * Why something is not sent. `private`: a file or a directory with a private name, or a private key;
 * `broken`: a link that `followLink` does not follow; `unusable`: a pipe, a socket, a device; `junk`: what
 * `isJunk` says.
 */
export type Reason = "private" | "broken" | "unusable" | "junk";

/** Called for what is not sent. */
export type LeftOut = (
  why: Reason,
  /** With words that say where a broken link leads. */
  what: Pick<LocalFile, "shown" | "name"> & { readonly words?: string },
) => void;

interface Folder {
  readonly input: NamedInput;
  readonly path: string;
  readonly shown: string;
  /** Empty, or ends with a slash. */
  readonly name: string;
  /** Real paths of the directories that it lies in, and its own. */
  readonly above: readonly string[];
}

/** An entry of a directory, links followed. */
interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/**
 * The files of all inputs, in the order of their keys. Only the names of directories that are being read
 * are in memory.
 *
 * @throws MlcliError where two would get the same key, or a directory cannot be read.
 */
export async function* filesOf(
  inputs: readonly NamedInput[],
  leftOut: LeftOut,
): AsyncGenerator<LocalFile, void, void> {
  const streams = inputs.map((input) => filesOfOne(input, leftOut));
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  let last: LocalFile | undefined;
  for (;;) {
    let first: number | undefined;
    for (const [index, { done, value }] of heads.entries()) {
      if (done) continue;
      const least = first === undefined ? undefined : heads[first]!.value;
      if (!least || compareKeys(value.name, least.name) < 0) first = index;
    }
    if (first === undefined) return;
    const file = heads[first]!.value as LocalFile;
    if (file.name === last?.name) throw sameKeyError(last, file);
    yield last = file;
    heads[first] = await streams[first]!.next();
  }
}

function filesOfOne(
  input: NamedInput,
  leftOut: LeftOut,
): AsyncGenerator<LocalFile, void, void> {
  const { path, shown, name } = input;
  if (name === undefined) {
    return below({ input, path, shown, name: "", above: [Deno.realPathSync(path)] }, leftOut);
  }
  return (async function* () {
    yield { name, path, shown };
  })();
}

async function* below(folder: Folder, leftOut: LeftOut): AsyncGenerator<LocalFile, void, void> {
  for (const { name, isDirectory } of await entriesOf(folder, leftOut)) {
    const path = join(folder.path, name);
    const inner = { path, shown: join(folder.shown, name), name: folder.name + name };
    if (isDirectory) {
      const above = [...folder.above, Deno.realPathSync(path)];
      yield* below({ ...inner, input: folder.input, name: `${inner.name}/`, above }, leftOut);
    } else yield inner;
  }
}

/** The entries of a directory that are sent, in the order of their keys. */
async function entriesOf(folder: Folder, leftOut: LeftOut): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const found = await Array.fromAsync(Deno.readDir(folder.path)).catch((cause) => {
    throw cannotRead(folder.shown, cause);
  });
  const leave = (why: Reason, name: string, words?: string): void => {
    const what = { shown: join(folder.shown, name), name: folder.name + name };
    leftOut(why, words === undefined ? what : { ...what, words });
  };
  for (const { name, isFile, isDirectory, isSymlink } of found) {
    if (name.includes("\ufffd")) throw notUtf8Error(join(folder.shown, name));
    if (isJunk(name)) leave("junk", name);
    else if (mayHoldSecrets(name)) leave("private", name);
    else if (isSymlink) {
      const followed = followLink(join(folder.path, name), folder.input.boundary, folder.above);
      if (followed.target === undefined) leave("broken", name, followed.words);
      else if (followed.info.isDirectory || followed.info.isFile) {
        entries.push({ name, isDirectory: followed.info.isDirectory });
      } else leave("unusable", name);
    } else if (isFile || isDirectory) entries.push({ name, isDirectory });
    else leave("unusable", name);
  }
  const sent: Entry[] = [];
  for (const entry of entries) {
    // Only few names make this read the file. An error comes when the file is sent.
    const isKey = !entry.isDirectory &&
      await isPrivateKey(folder.path, entry.name).catch(() => false);
    if (isKey) leave("private", entry.name);
    else sent.push(entry);
  }
  return sortKeys(sent, ({ name, isDirectory }) => isDirectory ? `${name}/` : name);
}

function sameKeyError(one: LocalFile, other: LocalFile): MlcliError {
  const both = `${inOneLine(one.shown)} and ${inOneLine(other.shown)}`;
  return new MlcliError(`${both} would have the same key in S3`, {
    hint: "Nothing was uploaded. Upload each to its own target, or upload their parent directory.",
  });
}

function notUtf8Error(shown: string): MlcliError {
  return new MlcliError(`The name of this file is not valid UTF-8: ${inOneLine(shown)}`, {
    hint: "Rename the file, because keys in S3 must be UTF-8. Nothing was uploaded.",
  });
}
