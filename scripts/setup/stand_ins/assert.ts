/**
 * Stands in for `@std/assert` on a network without JSR, over `node:assert`: the functions that the
 * tests use, with the same meaning. Put into `vendor/` by `deno task setup`.
 */

import nodeAssert, { AssertionError } from "node:assert";

export { AssertionError };

/** Fails unless `condition` is truthy. */
export function assert(condition: unknown, message = ""): asserts condition {
  if (!condition) throw new AssertionError({ message: message || "Expected a true value" });
}

/** Fails unless both are equal, deep down. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.deepStrictEqual(actual, expected, message);
}

/** Fails unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, message = ""): void {
  if (actual.includes(expected)) return;
  const text = `Expected ${JSON.stringify(expected)} in:\n${actual}`;
  throw new AssertionError({ message: message ? `${message}: ${text}` : text });
}

/** Fails unless `expected` finds something in `actual`. */
export function assertMatch(actual: string, expected: RegExp, message = ""): void {
  if (expected.test(actual)) return;
  const text = `Expected ${expected} to match:\n${actual}`;
  throw new AssertionError({ message: message ? `${message}: ${text}` : text });
}

// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

/** Fails unless `fn` throws an instance of the class; returns it. */
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass: ErrorClass<E>,
  includes = "",
): E {
  try {
    fn();
  } catch (error) {
    return expectError(error, errorClass, includes);
  }
  throw new AssertionError({ message: `Expected ${errorClass.name} to be thrown` });
}

/** Fails unless the promise of `fn` is rejected with an instance of the class; returns it. */
export async function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  includes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return expectError(error, errorClass, includes);
  }
  throw new AssertionError({ message: `Expected a rejection with ${errorClass.name}` });
}

function expectError<E extends Error>(
  error: unknown,
  errorClass: ErrorClass<E>,
  includes: string,
): E {
  if (!(error instanceof errorClass)) {
    throw new AssertionError({ message: `Expected ${errorClass.name}, got ${error}` });
  }
  assertStringIncludes(error.message, includes);
  return error;
}
