/**
 * Tests that install packages from PyPI.
 *
 * @module
 */

import { pypiProblem } from "../../scripts/engine/pypi.ts";
import { it } from "./suite.ts";

/** As `it`. Where PyPI does not answer, the test does not run, and the run's end names it. */
export function itByPypi(name: string, fn: () => Promise<void>): void {
  (problem === undefined ? it : it.skip)(name, fn);
}

const problem = await pypiProblem(new AbortController().signal);
if (problem !== undefined) console.warn(`PyPI does not answer (${problem}): some tests do not run`);
