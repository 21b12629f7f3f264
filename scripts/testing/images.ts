/**
 * What the tests against a Docker Engine need: an engine, images to build apps on, and a registry to
 * push them to.
 */

import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureEngine } from "../engine/engine.ts";
import { pypiProblem } from "../engine/pypi.ts";
import { ensureRegistry } from "../engine/registry.ts";
import { say } from "../script.ts";

/** Finds or makes them; returns what the tests read from their environment. */
export async function imagesForTests(signal: AbortSignal): Promise<Record<string, string>> {
  const engine = await ensureEngine(signal);
  try {
    const registry = await ensureRegistry(signal);
    const pypi = await pypiProblem(signal);
    if (pypi) say(`PyPI does not answer (${pypi}): tests that need it do not run`);
    return {
      ...(registry === undefined ? {} : { MLCLI_TEST_REGISTRY: registry }),
      MLCLI_TEST_PYPI: pypi ?? "answers",
      MLCLI_TEST_BASE_IMAGE: await ensureBaseImage("plain", engine, signal),
      MLCLI_TEST_PIP_IMAGE: await ensureBaseImage("pip", engine, signal),
      MLCLI_TEST_SKLEARN_IMAGE: await ensureBaseImage("sklearn", engine, signal),
    };
  } finally {
    engine.close();
  }
}
