/**
 * The build context of an app: what `mlcli build` sends to the engine.
 *
 * @module
 */

import type { App } from "../project/app.ts";
import { archiveOf } from "./archive.ts";
import { contextEntries } from "./context_entries.ts";
import { HARNESS_FILES, type HarnessFile } from "./harness_files.ts";

/**
 * A tar stream of the app's directory without its `local_test/`, of the Dockerfile, the
 * requirements file and `.dockerignore` even where that would leave them out, and of mlcli's
 * harness as `.mlcli/`. Paths are relative to the directory that holds `NAME.json`, of which
 * nothing else is sent. The files are read while the stream is.
 *
 * @throws MlcliError of kind `layout` when the Dockerfile or the requirements file is not there.
 */
export async function buildContext(
  app: App,
  harness: readonly HarnessFile[] = HARNESS_FILES,
): Promise<ReadableStream<Uint8Array>> {
  return archiveOf(await contextEntries(app, harness));
}
