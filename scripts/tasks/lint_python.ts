/**
 * Checks the harness, which is Python: types with mypy, style and mistakes with flake8, both of
 * Debian's: `deno task lint:python`. What they check stands in `runtime/harness/`.
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { run } from "../process.ts";
import { runScript, say } from "../script.ts";

const HARNESS = fromFileUrl(new URL("../../runtime/harness/", import.meta.url));

/** In ms. */
const TIMEOUT = 120_000;

async function main(signal: AbortSignal): Promise<number> {
  if (!await ensurePrograms(["mypy", "flake8"], ["mypy", "flake8"], signal)) {
    throw new MlcliError("There is no mypy, or no flake8", { hint: "pip install mypy flake8" });
  }
  const options = { cwd: HARNESS, timeout: TIMEOUT, hint: "See above.", signal };
  await run(["mypy"], options);
  await run(["flake8"], options);
  say("Checked the harness: no findings");
  return 0;
}

if (import.meta.main) runScript(main);
