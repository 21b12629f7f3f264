/** The code that a job or a model ran, while it lies in S3. */

import { join } from "@std/path/join";
import type { S3 } from "../../aws/s3.ts";
import { type S3Address, s3Uri } from "../../contract/addresses.ts";
import { CODE_ARCHIVE } from "../../contract/launch.ts";
import { MlcliError } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile, removeTreeIfThere } from "../../files.ts";
import type { GivenFile } from "../../image/scaffold.ts";
import { leftOutText } from "../../origin/project.ts";
import { codeIn, MOST_CODE } from "../../source/source.ts";
import type { AboutCode, CodePlace } from "./draft.ts";
import { objectsAt, writeObject } from "./sample.ts";

/**
 * Fetches code, and holds it in memory. What the rules for code that is sent leave out stays out; what
 * cannot be had is left, too.
 *
 * @param to directory that it goes to, relative to that of `NAME.json`.
 * @param isThere whether that has code; then only what is said of it is read.
 */
export async function fetchCode(
  s3: S3,
  { address, about }: CodePlace,
  to: string,
  { isThere, signal }: { readonly isThere: boolean; readonly signal: AbortSignal },
): Promise<Pick<AboutCode, "entryPoint" | "left"> & { readonly files: readonly GivenFile[] }> {
  let told: AboutCode = {};
  const files: GivenFile[] = [];
  const left: string[] = [];
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "mlcli-code-" }));
  try {
    const [object] = about ? await objectsAt(s3, about.address) : [];
    if (about && object && object.size <= LARGEST_TEXT) {
      await writeObject(s3, object, join(folder, "about"));
      told = about.read(await readTextFile(join(folder, "about"), LARGEST_TEXT));
    }
    if (!isThere) {
      const path = await codeFolder(s3, address, folder, signal);
      const code = await codeIn([{ source: { path, shown: s3Uri(address), boundary: path } }]);
      for (const { path, bytes, isProgram } of code.files) {
        const mode = isProgram ? 0o777 : 0o666;
        const content = (place: string) => Deno.writeFile(place, bytes, { createNew: true, mode });
        files.push({ path: `${to}/${path}`, content });
      }
      left.push(...leftOutText(code.leftOut));
    }
  } catch (error) {
    if (!(error instanceof MlcliError)) throw error;
    left.push(`Cannot copy ${s3Uri(address)}: ${error.message}. Put the code into ${to}/.`);
  } finally {
    await removeTreeIfThere(folder);
  }
  const known = `${to}/requirements.txt`;
  const has = (path: string): boolean => files.some((file) => file.path === path);
  // The files that it refers to lie beside it.
  const content = `-r ${JSON.stringify(told.requirements)}\n`;
  if (has(`${to}/${told.requirements}`) && !has(known)) files.push({ path: known, content });
  return { entryPoint: told.entryPoint, files, left: [...told.left ?? [], ...left] };
}

/** Fetches it into a directory, unpacked. @throws MlcliError where nothing is there, or it is too much. */
async function codeFolder(
  s3: S3,
  address: S3Address,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await objectsAt(s3, address);
  const archive = found.find(({ path }) =>
    path === CODE_ARCHIVE || found.length === 1 && path.endsWith(".tar.gz")
  );
  const objects = archive ? [archive] : found;
  if (objects.length === 0) throw new MlcliError("the code no longer exists");
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_CODE.bytes) throw new MlcliError("the code is larger than 256 MB");
  const [code, packed] = [join(folder, "code"), join(folder, CODE_ARCHIVE)];
  for (const object of objects) {
    await writeObject(s3, object, archive ? packed : join(code, object.path));
  }
  if (archive === undefined) return code;
  // Loaded only here: it brings libraries.
  const { unpackModel } = await import("../../archive/unpack.ts");
  await unpackModel(packed, code, s3Uri(archive), signal, MOST_CODE);
  return code;
}
