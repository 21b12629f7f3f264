/** The files that a transform reads, as SageMaker would find them below a prefix. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import type { Transformation } from "../../archive/node_streams.ts";
import type { Confined } from "../../app/confinement.ts";
import { linkBoundary, nodesIn } from "../../app/links.ts";
import { requireNoPointer } from "../../app/pointers.ts";
import { isJunk, junkNotes } from "../../app/junk.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { AskedTransform, Transform } from "../../contract/transform.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import { dataDifferences, firstOf } from "../../contract/transform_warnings.ts";
import { typeOfData } from "../../contract/invocations.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import type { Message } from "../../messages.ts";
import { inOneLine, listed } from "../../text.ts";

/** A file to transform. */
export interface InputFile {
  readonly path: string;
  /** Path below the named directory, with slashes; the result has this path. */
  readonly name: string;
  /** As the user would type it. */
  readonly shown: string;
  /** In bytes. */
  readonly size: number;
}

export interface Inputs {
  /** In the order in which SageMaker lists objects. */
  readonly files: readonly InputFile[];
  /** Broken links and hidden files, which are not sent. */
  readonly leftOut: readonly string[];
  /** What an upload to S3 leaves out, too. */
  readonly junk: readonly string[];
}

/**
 * The files of a directory, at any depth, or one file.
 *
 * @param input absolute path.
 * @throws MlcliError where there is none, a link of a repository leads there, or a file is a pointer to
 * one that was not fetched.
 */
export async function inputsIn(
  confined: Confined,
  input: string,
): Promise<Inputs> {
  const shown = typedPath(confined, input);
  const files: InputFile[] = [];
  const leftOut: string[] = [];
  const junk: string[] = [];
  const skips = (name: string, path: string): boolean => {
    if (isJunk(name)) junk.push(typedPath(confined, join(input, path)));
    else if (name.startsWith(".")) leftOut.push(typedPath(confined, join(input, path)));
    return isJunk(name) || name.startsWith(".");
  };
  async function look(): Promise<void> {
    const boundary = await linkBoundary(input, confined.boundary);
    for (const { path, source, kind, words } of nodesIn(input, boundary, { skips })) {
      const shown = typedPath(confined, join(input, path));
      // So Deno shows what is not UTF-8.
      if (path.includes("\ufffd")) {
        throw new MlcliError(`Name is not UTF-8: ${inOneLine(shown)}`, { hint: "Rename it" });
      }
      if (kind === "closed") throw new Deno.errors.PermissionDenied("Permission denied");
      if (kind === "file") {
        files.push({ path: source, name: path, shown, size: sizeOf(source, shown) });
      } else if (kind !== "directory") {
        leftOut.push(words === undefined ? shown : `${shown} ${words}`);
      }
    }
  }
  try {
    const info = await Deno.stat(input);
    if (info.isDirectory) await look();
    else if (!info.isFile) throw new MlcliError("it is neither a file nor a directory");
    else files.push({ path: input, name: basename(input), shown, size: sizeOf(input, shown) });
  } catch (cause) {
    if (cause instanceof MlcliError && cause.hint) throw cause;
    throw new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, {
      hint: input.includes("s3:/")
        ? "To transform data in S3, run mlcli transform"
        : "Set --input to a file or directory that you can read",
      cause,
    });
  }
  if (files.length === 0) {
    throw new MlcliError(`No files to transform in ${shown}`, {
      hint: leftOut.length > 0
        ? `${LEFT_OUT} (${listed(leftOut)})`
        : junk.length > 0
        ? `${junkNotes(junk)[0]}. To transform one of them: --input FILE`
        : "Add files to this directory, or choose another one with --input",
    });
  }
  return { files: files.sort((one, other) => one.name < other.name ? -1 : 1), leftOut, junk };
}

/**
 * The media type of the files, by their names where none is given.
 *
 * @throws MlcliError where they have several.
 */
export function typeOfInputs(
  files: readonly InputFile[],
  { contentType }: Pick<AskedTransform, "contentType">,
): string {
  if (contentType !== undefined) return contentType;
  const types = new Map(
    files.map(({ name }) => [typeOfData(name), name] as const),
  );
  const [first, other] = [...types];
  if (other === undefined) return first![0];
  throw new MlcliError(
    `Expected one content type but got ${first![0]} (${inOneLine(first![1])}) and ${other[0]} (${
      inOneLine(other[1])
    })`,
    { hint: "Set --content-type, or transform the files separately" },
  );
}

const LEFT_OUT =
  "Rename or copy the files: mlcli skips hidden files and links that point outside the repository";

/** In bytes. @throws MlcliError for a pointer. */
function sizeOf(path: string, shown: string): number {
  const { size } = Deno.statSync(path);
  requireNoPointer(path, shown, size);
  return size;
}

/** Returns warnings about files and filters, and about files that are not sent. */
export function inputDifferences(
  { files, leftOut }: Inputs,
  transform: Transform,
): readonly Message[] {
  return [
    ...dataDifferences(files.map(({ shown }) => shown), transform),
    ...firstOf(
      leftOut,
      "is skipped locally, but SageMaker sends every object of the input location to the model",
      LEFT_OUT,
    ),
  ];
}

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;

/** The bytes of a file. @throws UnfitRecord where they are not those that were listed. */
async function* bytesOf({ path, size }: InputFile): Pieces {
  let count = 0;
  for await (const piece of (await Deno.open(path)).readable) {
    count += piece.length;
    yield piece;
  }
  if (count !== size) throw new UnfitRecord("it changed while being read");
}

/**
 * The data of a file, unpacked.
 *
 * @throws UnfitRecord where it cannot be unpacked, or changes; Error of the system.
 */
export async function* dataOf(
  file: InputFile,
  { compression }: Pick<Transform, "compression">,
): Pieces {
  if (compression === "none") return yield* bytesOf(file);
  const [{ passedThrough }, { createGunzip }] = await Promise.all([
    import("../../archive/node_streams.ts"),
    import("node:zlib"),
  ]);
  try {
    yield* passedThrough(createGunzip() as unknown as Transformation, bytesOf(file)) as Pieces;
  } catch (error) {
    const isBroken = error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
    throw isBroken ? new UnfitRecord(`it cannot be decompressed: ${error.message}`) : error;
  }
}
