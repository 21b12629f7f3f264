import { createHash } from "node:crypto";
import type { StoredObject } from "../../aws/s3.ts";
import { MlcliError } from "../../errors.ts";
import { cannotRead, type LocalFile } from "./files.ts";
import { type FileState, isTooLarge, likeness, partSizeOf, partsOf } from "./plan.ts";

export class Changed extends MlcliError {
  override readonly name = "Changed";

  constructor() {
    super("the file changed during the upload");
  }
}

/** A file's state with an id, to notice another file in its place. */
export interface Identified extends FileState {
  readonly id: string;
}

/** What is at a path, links followed. @throws MlcliError where that is no file. */
export function stateOf({ path, shown }: LocalFile): Identified {
  try {
    const info = Deno.statSync(path);
    if (!info.isFile) throw new Changed();
    if (isTooLarge(info.size)) {
      throw new MlcliError("the file is larger than S3 allows", {
        hint: "Split the file, or move it elsewhere. A sparse file can appear larger than it is.",
      });
    }
    return infoOf(info);
  } catch (error) {
    throw error instanceof MlcliError ? error : cannotRead(shown, error);
  }
}

/** The same of an open file. */
export function infoOf({ size, mtime, dev, ino }: Deno.FileInfo): Identified {
  return { size, modified: mtime?.getTime(), id: `${dev}:${ino}` };
}

/** Opens a file for reading. @throws MlcliError */
export function open({ path, shown }: LocalFile): Deno.FsFile {
  try {
    return Deno.openSync(path);
  } catch (error) {
    throw cannotRead(shown, error);
  }
}

/** Below this size (bytes), a synchronous read is faster than an asynchronous one. */
const SMALL = 256 * 1024;

/** Reads the next bytes of a file. @throws Changed where it is shorter by now. */
export async function read(source: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const rest = bytes.subarray(done);
    const count = bytes.length < SMALL ? source.readSync(rest) : await source.read(rest);
    if (count === null) throw new Changed();
    done += count;
  }
}

/** Whether an object has a file's content. @throws MlcliError where the file cannot be read. */
export async function isUnchanged(
  file: LocalFile,
  state: FileState,
  there: StoredObject | undefined,
): Promise<boolean> {
  const answer = likeness(state, there);
  if (answer !== "unclear") return answer === "same";
  return (await etagOf(file, state.size)) === there?.etag.replaceAll('"', "");
}

/** Bytes read at a time. */
const CHUNK = 1024 ** 2;

/**
 * The ETag that a file's object would have: its MD5; for a file sent in parts, the MD5 of the parts' MD5s,
 * and their number. (With KMS encryption the ETag is another: such a file is sent again.)
 */
async function etagOf(file: LocalFile, size: number): Promise<string> {
  using source = open(file);
  const chunk = new Uint8Array(Math.min(CHUNK, size));
  const md5 = async (length: number) => {
    const hash = createHash("md5");
    for (let left = length; left > 0; left -= CHUNK) {
      const bytes = chunk.subarray(0, Math.min(CHUNK, left));
      await read(source, bytes);
      hash.update(bytes);
    }
    return hash;
  };
  const count = partsOf(size);
  if (count === 0) return (await md5(size)).digest("hex");
  const partSize = partSizeOf(size);
  const all = createHash("md5");
  for (let start = 0; start < size; start += partSize) {
    all.update((await md5(Math.min(partSize, size - start))).digest());
  }
  return `${all.digest("hex")}-${count}`;
}
