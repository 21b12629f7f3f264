/** The code that a job or a model ran, while it lies in S3. */

import { join } from "@std/path/join";
import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import { s3Uri } from "../../contract/addresses.ts";
import { CODE_ARCHIVE } from "../../contract/launch.ts";
import { MlcliError } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile, removeTreeIfThere } from "../../files.ts";
import type { GivenFile } from "../../image/scaffold.ts";
import { leftOutText } from "../../origin/project.ts";
import { codeIn } from "../../source/source.ts";
import type { AboutCode, CodePlace } from "./draft.ts";
import { type FoundObject, objectsAt, writeObject } from "./sample.ts";

/** The most of it: as of code that is sent. */
const MOST = { entries: 20_000, bytes: 256 * 1024 ** 2 };

export interface FetchedCode {
  readonly entryPoint: string | undefined;
  readonly files: readonly GivenFile[];
  readonly left: readonly string[];
}

/**
 * Fetches code, and holds it in memory. What the rules for code that is sent leave out stays out.
 *
 * @param to directory that it goes to, relative to that of `NAME.json`.
 * @param isThere whether that has code; then only what is said of it is read.
 */
export async function fetchCode(
  s3: S3,
  { address, about }: CodePlace,
  to: string,
  isThere: boolean,
  signal: AbortSignal,
): Promise<FetchedCode> {
  let told: AboutCode = {};
  const files: GivenFile[] = [];
  const left: string[] = [];
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "mlcli-code-" }));
  try {
    for (const object of about === undefined ? [] : await objectsAt(s3, about.address)) {
      if (object.size > LARGEST_TEXT) continue;
      await writeObject(s3, object, join(folder, "about"));
      told = about!.read(await readTextFile(join(folder, "about"), LARGEST_TEXT));
      break;
    }
    if (!isThere) {
      const path = await codeFolder(s3, await objectsAt(s3, address), folder, signal);
      const code = await codeIn([{ source: { path, shown: s3Uri(address), boundary: path } }]);
      for (const { path, bytes, isProgram } of code.files) {
        const content = (place: string) => Deno.writeFile(place, bytes, { createNew: true });
        files.push({ path: `${to}/${path}`, content, isProgram });
      }
      left.push(...leftOutText(code.leftOut));
    }
  } catch (error) {
    if (!isAbout(error)) throw error;
    left.push(
      `The code at ${s3Uri(address)} is not taken over (${error.message}): put it into ${to}/`,
    );
  } finally {
    await removeTreeIfThere(folder);
  }
  const asked = files.find(({ path }) => path === `${to}/${told.requirements}`);
  const known = `${to}/requirements.txt`;
  if (asked && !files.some(({ path }) => path === known)) files.push({ ...asked, path: known });
  return { entryPoint: told.entryPoint, files, left: [...told.left ?? [], ...left] };
}

/** Whether a failure is about this code, and no reason to end. */
function isAbout(error: unknown): error is MlcliError {
  if (!(error instanceof AwsError)) return error instanceof MlcliError;
  return isRefusal(error, "not found") || isRefusal(error, "denied");
}

/** Fetches the objects into a directory, and unpacks the archive that they are. */
async function codeFolder(
  s3: S3,
  found: readonly FoundObject[],
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = found.find(({ path }) => path === CODE_ARCHIVE) ??
    found.find(({ path }) => found.length === 1 && path.endsWith(".tar.gz"));
  const objects = archive ? [archive] : found;
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  if (objects.length === 0) throw new MlcliError("nothing is there");
  if (bytes > MOST.bytes) throw new MlcliError("it is more than 256 MB");
  const path = join(folder, "code");
  const packed = join(folder, CODE_ARCHIVE);
  for (const object of objects) {
    await writeObject(s3, object, archive ? packed : join(path, object.path));
  }
  if (archive === undefined) return path;
  // Loaded only here: it brings libraries.
  const { unpackModel } = await import("../../archive/unpack.ts");
  await unpackModel(packed, path, s3Uri(archive), signal, MOST);
  return path;
}
