/**
 * AWS's own code as a judge: `deno task test:toolkits`, with arguments for `deno test`. It comes from
 * PyPI, which takes minutes. The last line is `N passed, N failed`.
 */

import { MlcliError } from "../../runtime/errors.ts";
import { ensureEngine } from "../engine/engine.ts";
import { ensurePythonPackage } from "../engine/python_packages.ts";
import { ensureToolkitImage } from "../engine/toolkit_images.ts";
import { runScript } from "../script.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { JUDGES } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

/** The part of AWS's SDK 3 that trains. */
const SDK = "sagemaker-train==1.27.0";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  const images = await imagesForTests(signal);
  if (images["MLCLI_TEST_PYPI"] !== "answers") {
    throw new MlcliError("AWS's toolkits come from PyPI, which does not answer");
  }
  const engine = await ensureEngine(signal);
  try {
    const env = {
      ...images,
      MLCLI_TEST_SDK_PYTHON: await ensurePythonPackage(SDK, signal),
      MLCLI_TEST_TRAINING: await ensureToolkitImage("training", engine, signal),
      MLCLI_TEST_CONTAINERS: await ensureToolkitImage("containers", engine, signal),
      MLCLI_TEST_NO_TOOLKIT: await ensureToolkitImage("none", engine, signal),
    };
    return await denoTest(args, { selected: [JUDGES], env }, signal);
  } finally {
    engine.close();
  }
}

if (import.meta.main) runScript(main);
