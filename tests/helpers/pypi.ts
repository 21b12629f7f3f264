import { it as declare } from "@std/testing/bdd";
import { it } from "./suite.ts";

/**
 * Time limit of a command that has pip ask PyPI, in ms: pip retries five times, and waits 15 s each
 * time for an index that is silent.
 */
export const PYPI_TIMEOUT = 400_000;

/**
 * Like `it`, for a test that downloads from PyPI: it runs with `--all` only, so that the default run
 * does not depend on another machine. If the set-up found that PyPI does not answer, the test is
 * skipped, and the end of the run names it.
 */
export function itByPypi(name: string, fn: () => Promise<void>): void {
  if (Deno.env.get("MLCLI_TEST_ALL") !== "1") return;
  if (Deno.env.get("MLCLI_TEST_PYPI") === "answers") it(name, fn);
  else declare.skip(name, fn);
}
