/**
 * Stands in for `@std/testing/bdd` on a network without JSR: the functions that the tests use, with
 * the same meaning. Put into `vendor/` by `deno task setup`.
 */

type Work = () => void | Promise<void>;

interface Suite {
  readonly name: string;
  readonly tests: { name: string; fn: Work; ignore: boolean }[];
  readonly beforeAll: Work[];
  readonly afterAll: Work[];
  readonly beforeEach: Work[];
  readonly afterEach: Work[];
}

/** What `describe` takes besides its name: the sanitizers of `Deno.test`. */
export interface DescribeOptions {
  readonly sanitizeOps?: boolean;
  readonly sanitizeResources?: boolean;
}

let open: Suite | undefined;

/** Groups tests: one `Deno.test` with a step for each. */
export function describe(name: string, options: DescribeOptions, fn: () => void): void {
  if (open) throw new Error("This stand-in does not nest describe()");
  const suite: Suite = {
    name,
    tests: [],
    beforeAll: [],
    afterAll: [],
    beforeEach: [],
    afterEach: [],
  };
  open = suite;
  try {
    fn();
  } finally {
    open = undefined;
  }
  Deno.test({ ...options, name, fn: (context) => runSuite(suite, context) });
}

async function runSuite(suite: Suite, context: Deno.TestContext): Promise<void> {
  await withCleanup(suite.afterAll, async () => {
    for (const work of suite.beforeAll) await work();
    for (const test of suite.tests) {
      await context.step({
        name: test.name,
        ignore: test.ignore,
        fn: () =>
          withCleanup(suite.afterEach, async () => {
            for (const work of suite.beforeEach) await work();
            await test.fn();
          }),
      });
    }
  });
}

/** Runs the cleanup whatever happened before; the first error is the one that is told. */
async function withCleanup(cleanup: readonly Work[], body: () => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const work of [body, ...cleanup]) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** A test of the suite around it. */
export function it(name: string, fn: Work): void {
  suiteAround("it").tests.push({ name, fn, ignore: false });
}

/** One that does not run; the report says so. */
it.skip = (name: string, fn: Work): void => {
  suiteAround("it.skip").tests.push({ name, fn, ignore: true });
};

/** Runs before the first test of the suite around it. */
export function beforeAll(fn: Work): void {
  suiteAround("beforeAll").beforeAll.push(fn);
}

/** Runs after the last test of the suite around it, whatever its tests did. */
export function afterAll(fn: Work): void {
  suiteAround("afterAll").afterAll.push(fn);
}

/** Runs before each test of the suite around it. */
export function beforeEach(fn: Work): void {
  suiteAround("beforeEach").beforeEach.push(fn);
}

/** Runs after each test of the suite around it. */
export function afterEach(fn: Work): void {
  suiteAround("afterEach").afterEach.push(fn);
}

function suiteAround(what: string): Suite {
  if (!open) throw new Error(`${what}() stands outside describe()`);
  return open;
}
