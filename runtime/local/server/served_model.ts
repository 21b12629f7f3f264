import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { removeTreeIfThere } from "../../files.ts";
import { modelArchiveIn } from "../../model/archive.ts";
import { makeInJobs, UNPACKED } from "../../model/runs.ts";
import type { Server } from "./servers.ts";

/**
 * The directory on this machine to mount for a server: the model's, or a new one into which its archive
 * has been unpacked. That lies in the app, since every engine can see the app. The server needs it for as
 * long as there is its container; then whoever removes that removes it (`removeUnpacked`).
 *
 * @param server the container's name.
 * @throws MlcliError where the archive cannot be unpacked; the signal's reason. Nothing is left then.
 */
export async function servedModel(
  layout: Layout,
  model: string,
  server: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(model);
  if (archive === undefined) return model;
  const parent = await makeInJobs(layout, UNPACKED);
  const name = `${server}-${crypto.randomUUID().slice(0, 8)}`;
  return await unpackedModel(layout, archive, join(parent, name), signal);
}

/** The same, with a directory of the caller's to unpack into, which is not there yet. */
export async function modelIn(
  layout: Layout,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(layout.model);
  return archive === undefined
    ? layout.model
    : await unpackedModel(layout, archive, target, signal);
}

async function unpackedModel(
  layout: Layout,
  archive: string,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  // Loaded where it is needed: it brings libraries.
  const { unpackModel } = await import("../../archive/unpack.ts");
  await unpackModel(archive, target, typedPath(layout.directory, archive), signal);
  return target;
}

/** Removes what was unpacked for a server whose container is gone. A failure is not the server's. */
export async function removeUnpacked(
  { modelFolder = "" }: Pick<Server, "modelFolder">,
): Promise<void> {
  const parent = dirname(modelFolder);
  if (basename(parent) !== UNPACKED || basename(dirname(parent)) !== "jobs") return;
  await removeTreeIfThere(modelFolder).catch(() => {});
  await Deno.remove(parent).catch(() => {});
}
