/**
 * The build context of an app: what `mlcli build` sends to the engine.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import { archiveOf } from "./archive.ts";
import { contextEntries } from "./context_entries.ts";

/**
 * A tar stream of the app's directory without its `local_test/` and without private files, of the
 * Dockerfile, the requirements file and `.dockerignore` even where that would leave them out, and
 * of mlcli's harness as `.mlcli/`. Paths are relative to the directory that holds `NAME.json`, of
 * which nothing else is sent. The files are read while the stream is.
 *
 * @param onLeftOut hears at the end which private files and directories stayed out.
 * @throws MlcliError when the Dockerfile or the requirements file is not there, or
 * private.
 */
export async function buildContext(
  app: App,
  onLeftOut?: (paths: readonly string[]) => void,
): Promise<ReadableStream<Uint8Array>> {
  return archiveOf(await contextEntries(app, onLeftOut));
}
