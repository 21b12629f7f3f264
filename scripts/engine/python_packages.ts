/** Pythons that have a package of PyPI: each in an environment of its own. */

import { removeTreeIfThere, statIfThere } from "../../runtime/files.ts";
import { run } from "../process.ts";
import { step } from "../script.ts";
import { cacheDirectory, withLock } from "./cache.ts";
import { ensurePrograms } from "./debian.ts";

/** A minute here, for a gigabyte of packages. In ms. */
const TIMEOUT = 900_000;

const HINT = "See that pip can install packages on this machine, then run this again.";

/**
 * An environment with one package and what that asks for, made once.
 * @param requirement with its version: `sagemaker==3.27.0`.
 * @returns its Python.
 * @throws MlcliError where it cannot be made.
 */
export async function ensurePythonPackage(
  requirement: string,
  signal: AbortSignal,
): Promise<string> {
  const directory = `${await cacheDirectory()}/${requirement.replace("==", "-")}`;
  const python = `${directory}/bin/python`;
  await ensurePrograms(["python3"], ["python3", "python3-venv"], signal);
  await withLock(`${directory}.lock`, { timeout: 2 * TIMEOUT, signal }, async () => {
    const finished = `${directory}/finished`;
    if (await statIfThere(finished)) return;
    await removeTreeIfThere(directory);
    const options = { timeout: TIMEOUT, hint: HINT, signal };
    await step(`Installing ${requirement}`, async () => {
      await run(["python3", "-m", "venv", directory], options);
      await run([python, "-m", "pip", "install", "--quiet", requirement], options);
    });
    await Deno.writeTextFile(finished, "");
  });
  return python;
}
