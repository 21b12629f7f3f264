import { it } from "./suite.ts";

/**
 * As `it`. Where PyPI does not answer, as the set-up of the tests found out, the test does not run,
 * and the end of the run names it.
 */
export function itByPypi(name: string, fn: () => Promise<void>): void {
  const answers = Deno.env.get("MLCLI_TEST_PYPI") === "answers";
  (answers ? it : it.skip)(name, fn);
}
