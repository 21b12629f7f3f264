/**
 * What the tests against a Docker Engine need: an engine, and images to build apps on.
 *
 * @module
 */

import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureEngine } from "../engine/engine.ts";

/** Finds or makes both; returns what the tests read from their environment. */
export async function imagesForTests(signal: AbortSignal): Promise<Record<string, string>> {
  const engine = await ensureEngine(signal);
  try {
    return {
      MLCLI_TEST_BASE_IMAGE: await ensureBaseImage("plain", engine, signal),
      MLCLI_TEST_SKLEARN_IMAGE: await ensureBaseImage("sklearn", engine, signal),
    };
  } finally {
    engine.close();
  }
}
