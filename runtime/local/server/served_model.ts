/**
 * The directory that a server gets as `/opt/ml/model`.
 *
 * @module
 */

import { join } from "@std/path/join";
import { isPlaceholder, type Layout } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { removeTreeIfThere } from "../../files.ts";

/** What the platform calls the archive of a model, and unpacks for a server. */
const ARCHIVE = "model.tar.gz";

/** Begins the name of a directory in `test_dir/` with an unpacked model, before its server's name. */
const PREFIX = ".model-";

/**
 * The path of the archive in a model's directory, if it holds that and nothing else: such a
 * directory is what was downloaded from the platform. With other files beside it the archive is one
 * of the model's files, as it would be there.
 */
export async function modelArchiveIn(model: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(model));
  const [archive, ...others] = entries.filter(({ name }) => !isPlaceholder(name));
  const isAlone = archive?.name === ARCHIVE && archive.isFile && others.length === 0;
  return isAlone ? join(model, ARCHIVE) : undefined;
}

/**
 * The directory on this machine to mount for a server: the layout's `model`, or a new one beside it
 * into which its archive has been unpacked. It lies in the app, since every engine can see that.
 * The server needs it for as long as there is its container; then whoever removes that removes it.
 *
 * @param server the container's name.
 * @throws MlcliError where the archive cannot be unpacked; the signal's reason. Nothing is left then.
 */
export async function servedModel(
  layout: Layout,
  server: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(layout.model);
  if (archive === undefined) return layout.model;
  const name = `${PREFIX}${server}-${crypto.randomUUID().slice(0, 8)}`;
  const target = join(layout.testDirectory, name);
  // Loaded where it is needed: it brings libraries.
  const { unpackModel } = await import("../../archive/unpack.ts");
  await unpackModel(archive, target, typedPath(layout.directory, archive), signal);
  return target;
}

/** Removes what `servedModel` made, for a server that did not come to be. */
export async function discardModel(layout: Layout, model: string): Promise<void> {
  // A failure must not hide why the server did not come to be.
  if (model !== layout.model) await removeTreeIfThere(model).catch(() => {});
}
