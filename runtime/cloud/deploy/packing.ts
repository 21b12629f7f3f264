import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { createHash } from "node:crypto";
import { requireNoPointer } from "../../app/pointers.ts";
import type { ModelRoom } from "../../contract/instances.ts";
import { fileErrorReason, isMissing, isSystemError, MlcliError } from "../../errors.ts";
import { removeTreeIfThere } from "../../files.ts";
import { ArchiveCheck, Refusal } from "../../archive/entries.ts";
import type { TarEntry } from "../../archive/writer.ts";
import { replacedText, withCode } from "../../source/with_code.ts";
import type { PackedCode } from "../../source/source.ts";
import { ARCHIVE, modelArchiveIn } from "../../model/archive.ts";
import { cannotRead, changed, modelFiles } from "../../model/files.ts";
import { claim, leftDirectories } from "../../owner.ts";
import { inOneLine, listed } from "../../text.ts";
import type { Note } from "../in_parallel.ts";
import { cannotUnpack, FOR_HEADERS, noRoomFor } from "../preflight/archive.ts";

export interface ModelArchive extends AsyncDisposable {
  readonly path: string;
  /** Its path for messages. */
  readonly shown: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  /** Unpacked: files, directories and links, and the bytes of all files. */
  readonly unpacked: { readonly entries: number; readonly bytes: number };
}

export interface ModelDirectory {
  /** Absolute. */
  readonly path: string;
  /** As it was typed. */
  readonly shown: string;
}

/**
 * The archive of a directory: a temporary file, or its `model.tar.gz` where it holds nothing else. To
 * be disposed of.
 *
 * @param code takes the place of the model's own `code/`, which is noted.
 * @throws MlcliError where there is no model, or none that can be packed or that has room; the
 * signal's reason.
 */
export async function archiveOf(
  directory: ModelDirectory,
  room: ModelRoom,
  note: Note,
  signal: AbortSignal,
  code?: PackedCode,
): Promise<ModelArchive> {
  await requireDirectory(directory);
  const there = await modelArchiveIn(directory.path).catch((cause) => {
    throw cannotRead(directory.shown, cause);
  });
  if (there === undefined) return await newArchive(directory, code, room, note, signal);
  const shown = join(directory.shown, ARCHIVE);
  requireNoPointer(there, shown);
  if (code === undefined) return await existingArchive(there, shown, room, note, signal);
  return await written(shown, async (target) => {
    const { NO_FILES, packTo } = await import("../../archive/pack.ts");
    const { bytesOfFile } = await import("../../archive/reader.ts");
    const { entriesWithCode } = await import("./code_adding.ts");
    const check = new ArchiveCheck(room);
    const adding = { shown, code, room, note, signal };
    const entries = entriesWithCode(bytesOfFile(there), check, adding);
    const packed = await packTo(target, entries, NO_FILES, signal);
    return { ...packed, unpacked: check.unpacked };
  });
}

/** The archive of code alone, for an image that brings the model. */
export async function archiveOfCode(
  code: PackedCode,
  signal: AbortSignal,
): Promise<ModelArchive> {
  return await packedEntries(code.source.shown, withCode([], code).entries, 0, signal);
}

async function requireDirectory({ path, shown }: ModelDirectory): Promise<void> {
  const info = await Deno.stat(path).catch((cause) => {
    throw new MlcliError(`Model not found: ${inOneLine(shown)}`, {
      hint: isMissing(cause)
        ? "Set --model to a local directory or to an archive in S3: s3://BUCKET/.../model.tar.gz"
        : `Check the path: ${fileErrorReason(cause)}`,
      cause,
    });
  });
  if (info.isDirectory) return;
  throw new MlcliError(`${inOneLine(shown)} is not a directory`, {
    hint: "Set --model to the directory that contains the model or its model.tar.gz",
  });
}

async function newArchive(
  { path, shown }: ModelDirectory,
  code: PackedCode | undefined,
  room: ModelRoom,
  note: Note,
  signal: AbortSignal,
): Promise<ModelArchive> {
  const model = await modelFiles(path, shown, signal);
  if (model.files === 0) {
    throw new MlcliError(`Model not found: ${inOneLine(shown)} contains no files`, {
      hint: "To train a model into local_test/test_dir/model, run mlcli local train",
    });
  }
  if (room.bytes !== undefined && model.bytes > room.bytes) {
    throw noRoomFor(inOneLine(shown), room.bytes, room);
  }
  if (model.privateFiles.length > 0) {
    note(`Skipped files that might contain secrets: ${listed(model.privateFiles)}`);
  }
  const all = code && withCode(model.entries, code);
  if (all?.replaces) note(replacedText(shown, code!));
  return await packedEntries(
    shown,
    all?.entries ?? model.entries,
    model.bytes,
    signal,
    () => model.requireUnchanged(),
  );
}

async function packedEntries(
  shown: string,
  entries: readonly TarEntry[],
  bytes: number,
  signal: AbortSignal,
  requireUnchanged: () => Promise<void> = () => Promise.resolve(),
): Promise<ModelArchive> {
  const errors = { gone: changed, gotShorter: changed, cannotRead };
  return await written(shown, async (target) => {
    // Loaded only here: it brings libraries.
    const { packTo } = await import("../../archive/pack.ts");
    const packed = await packTo(target, entries, errors, signal);
    await requireUnchanged();
    return { ...packed, unpacked: { entries: entries.length, bytes } };
  });
}

/** Writes an archive into a temporary directory. */
async function written(
  shown: string,
  write: (target: string) => Promise<Pick<ModelArchive, "bytes" | "sha256" | "unpacked">>,
): Promise<ModelArchive> {
  const folder = await Deno.makeTempDir({ prefix: PREFIX }).catch((cause) => {
    throw packingError(cause);
  });
  const dispose = () => removeTreeIfThere(folder).catch(() => {});
  try {
    claim(folder);
    await removeLeft(dirname(folder));
    const target = join(folder, ARCHIVE);
    return { path: target, shown, ...await write(target), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw isSystemError(error) ? packingError(error) : error;
  }
}

function packingError(cause: unknown): MlcliError {
  return new MlcliError(`Cannot pack the model: ${fileErrorReason(cause)}`, {
    hint: "Free disk space for temporary files, or set TMPDIR to another directory. The archive " +
      "is about as large as the model.",
    cause,
  });
}

/** The directory's own archive, which is read to its end. */
async function existingArchive(
  path: string,
  shown: string,
  room: ModelRoom,
  note: Note,
  signal: AbortSignal,
): Promise<ModelArchive> {
  const { bytesOfFile, entriesOf } = await import("../../archive/reader.ts");
  const check = new ArchiveCheck(room);
  const most = room.bytes === undefined ? Infinity : room.bytes + FOR_HEADERS;
  try {
    for await (const { header, content } of entriesOf(bytesOfFile(path), most, signal)) {
      check.add(header);
      for await (const _ of content) signal.throwIfAborted();
    }
  } catch (error) {
    if (error instanceof Refusal) throw cannotUnpack(inOneLine(shown), error);
    throw isSystemError(error) ? cannotRead(shown, error) : error;
  }
  if (check.files === 0) {
    throw new MlcliError(`The archive contains no files: ${inOneLine(shown)}`, {
      hint: "Pack the directory that contains the model: tar -czf model.tar.gz -C DIRECTORY .",
    });
  }
  for (const text of check.warnings(shown)) note(text);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of bytesOfFile(path)) {
    signal.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
  }
  return {
    path,
    shown,
    bytes,
    sha256: hash.digest("hex"),
    unpacked: check.unpacked,
    async [Symbol.asyncDispose]() {},
  };
}

/** How the names of temporary directories with a packed model begin. */
const PREFIX = "mlcli-model-";

/** Removes archives that an mlcli left behind that was killed: they may be gigabytes. */
async function removeLeft(folder: string): Promise<void> {
  for (const path of await leftDirectories(folder, PREFIX)) {
    await removeTreeIfThere(path).catch(() => {});
  }
}
