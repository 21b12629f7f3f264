import { describe, it as declare } from "@std/testing/bdd";

export { afterAll, afterEach, beforeAll, beforeEach } from "@std/testing/bdd";

/** The only test to run, as `SUITE > TEST`, or the only suite: `deno task test --only NAME`. */
const ONLY = Deno.env.get("MLCLI_TEST_ONLY") || undefined;

/** The suite that is being declared. */
let current = "";

/**
 * Groups the tests that `fn` declares with `it`. A test fails if it leaves a resource open or an
 * operation pending: since 2.8, Deno checks that only on request, and a program that leaks does not
 * exit.
 */
export function suite(name: string, fn: () => void): void {
  if (ONLY !== undefined && ONLY !== name && !ONLY.startsWith(`${name} > `)) return;
  current = name;
  describe(name, { sanitizeOps: true, sanitizeResources: true }, fn);
}

/** Declares a test of the suite. */
export function it(name: string, fn: () => void | Promise<void>): void {
  if (ONLY === undefined || [current, `${current} > ${name}`].includes(ONLY)) declare(name, fn);
}
