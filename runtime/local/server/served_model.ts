/**
 * The directory that a server gets as `/opt/ml/model`.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { MessageStream } from "../../messages.ts";
import { removeTreeIfThere } from "../../files.ts";
import type { Engine } from "../../docker/engine.ts";
import { modelArchiveIn } from "../../model/archive.ts";
import { idOf } from "../../model/folder.ts";
import { discardContainer } from "../container/create.ts";
import type { Server } from "./servers.ts";

/** Begins the name of a directory in `test_dir/` with an unpacked model, before its server's name. */
const PREFIX = ".model-";

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
  const name = `${PREFIX}${server}-${crypto.randomUUID().slice(0, 8)}`;
  return await modelIn(layout, join(layout.testDirectory, name), signal);
}

/**
 * The same, with a directory of the caller's to unpack into.
 *
 * @param target is not there yet.
 */
export async function modelIn(
  layout: Layout,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(layout.model);
  if (archive === undefined) return layout.model;
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

/** How often trainings may replace the model while one server is being started. */
const MOST_MODELS = 5;

/**
 * Starts a server on a model, and again where a training replaced that meanwhile: nobody knows which
 * of the two the engine has mounted then, and the label says which is in use.
 */
export async function withOneModel(
  engine: Engine,
  folder: string,
  err: MessageStream,
  start: (modelId: string) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 1;; attempt++) {
    const id = await idOf(folder);
    const server = await start(id);
    if (attempt === MOST_MODELS || await idOf(folder).catch(() => "") === id) return server;
    await discardContainer(engine, server, err);
  }
}
