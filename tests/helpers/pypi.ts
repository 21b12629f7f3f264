import { it } from "./suite.ts";

/**
 * How long a command may take that has pip ask PyPI, in ms: pip asks a silent index six times, for 15 s
 * each.
 */
export const PYPI_TIMEOUT = 400_000;

/**
 * As `it`. Where PyPI does not answer, as the set-up of the tests found out, the test does not run,
 * and the end of the run names it.
 */
export function itByPypi(name: string, fn: () => Promise<void>): void {
  const answers = Deno.env.get("MLCLI_TEST_PYPI") === "answers";
  (answers ? it : it.skip)(name, fn);
}
