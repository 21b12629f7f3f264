import { describe } from "@std/testing/bdd";

export { afterAll, afterEach, beforeAll, beforeEach, it } from "@std/testing/bdd";

/**
 * Groups the tests that `fn` declares with `it`. A test that leaves a resource open or an operation
 * pending fails: Deno checks that only when asked since 2.8, and a command-line program that leaks
 * does not end.
 */
export function suite(name: string, fn: () => void): void {
  describe(name, { sanitizeOps: true, sanitizeResources: true }, fn);
}
