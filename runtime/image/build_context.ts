/**
 * The build context of an app: what `mlcli build` sends to the engine.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import { archiveOf } from "./archive.ts";
import { contextEntries, type MoreInputs } from "./context_entries.ts";

/**
 * A tar stream of four parts: the app's directory without its `local_test/` and without private
 * files; the Dockerfile, the requirements file and `.dockerignore`, even where `.dockerignore`
 * names them; mlcli's harness as `.mlcli/`; this machine's network settings as
 * `.mlcli-build/`. Paths are relative to the directory that holds
 * `NAME.json`; nothing else of it is sent. The files are read while the stream is.
 *
 * @param onLeftOut called at the end with the private files and directories that were left out.
 * @throws MlcliError when the Dockerfile or the requirements file is not there, or private.
 */
export async function buildContext(
  app: App,
  onLeftOut?: (paths: readonly string[]) => void,
  more?: MoreInputs,
): Promise<ReadableStream<Uint8Array>> {
  return archiveOf(await contextEntries(app, onLeftOut, more), more?.owner);
}
