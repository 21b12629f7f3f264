/**
 * AWS's own code, PyTorch's, MLflow's, cog's and moto, as judges: `deno task test:toolkits`, with
 * arguments for `deno test`. It comes from PyPI and Debian, which takes minutes. The last line is `N passed, N failed`.
 */

import { MlcliError } from "../../runtime/errors.ts";
import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureCompose } from "../engine/compose.ts";
import { ensureEngine } from "../engine/engine.ts";
import { ensurePythonPackage } from "../engine/python_packages.ts";
import { ensureToolkitImage, type ToolkitKind } from "../engine/toolkit_images.ts";
import { runScript } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { JUDGES } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

/** The last of AWS's SDK 2, and the part of SDK 3 that trains and processes. */
const SDK_2 = "sagemaker==2.257.7";
const SDK_3 = "sagemaker-train==1.27.0";
/** An emulator of AWS. */
const MOTO = "moto[server]==5.2.5";

function main(signal: AbortSignal): Promise<number> {
  return reportResults("test:toolkits", () => runTests(testArguments(Deno.args), signal));
}

async function runTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  const images = await imagesForTests(signal);
  if (images["MLCLI_TEST_PYPI"] !== "answers") {
    throw new MlcliError("AWS's toolkits come from PyPI, which does not answer");
  }
  const engine = await ensureEngine(signal);
  try {
    const image = (kind: ToolkitKind) => ensureToolkitImage(kind, engine, signal);
    const env = {
      ...images,
      MLCLI_TEST_SDK_2_PYTHON: await ensurePythonPackage(SDK_2, signal),
      MLCLI_TEST_COMPOSE: JSON.stringify(await ensureCompose(signal)),
      MLCLI_TEST_SDK_3_PYTHON: await ensurePythonPackage(SDK_3, signal),
      MLCLI_TEST_MOTO_PYTHON: await ensurePythonPackage(MOTO, signal),
      MLCLI_TEST_TRAINING: await image("training"),
      MLCLI_TEST_CONTAINERS: await image("containers"),
      MLCLI_TEST_INFERENCE: await image("inference"),
      MLCLI_TEST_FLASK: await image("flask"),
      MLCLI_TEST_NO_TOOLKIT: await image("none"),
      MLCLI_TEST_MLFLOW_2: await image("mlflow2"),
      MLCLI_TEST_MLFLOW_3: await image("mlflow3"),
      MLCLI_TEST_COG_16: await image("cog16"),
      MLCLI_TEST_COG_23: await image("cog23"),
      MLCLI_TEST_TORCH: await ensureBaseImage("torch", engine, signal),
    };
    return await denoTest(args, { selected: [JUDGES], env }, signal);
  } finally {
    engine.close();
  }
}

if (import.meta.main) runScript(main);
