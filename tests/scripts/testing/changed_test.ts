import { assert, assertEquals } from "@std/assert";
import { type Graph, namedFiles, readGraph, testsFor } from "../../../scripts/testing/changed.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

/** A changed file, tests that it selects, and tests that it does not select. */
const ROWS: readonly (readonly [
  changed: string,
  selected: readonly string[],
  others: readonly string[],
])[] = [
  ["tests/main_test.ts", ["tests/main_test.ts"], ["tests/runtime/errors_test.ts"]],
  [
    // An import, and one of the program that a test starts.
    "runtime/archive/unpack.ts",
    ["tests/runtime/archive/unpack_test.ts", "tests/e2e/model_test.ts"],
    ["tests/runtime/cells_test.ts"],
  ],
  ["commands/local/train.ts", ["tests/e2e/train_test.ts"], ["tests/runtime/text_test.ts"]],
  ["docs/tutorial.md", ["tests/e2e/tutorial_test.ts"], ["tests/e2e/train_test.ts"]],
  ["scripts/release/install.sh", ["tests/scripts/release/install_test.ts"], [
    "tests/e2e/train_test.ts",
  ]],
  [
    "runtime/harness/mlcli_harness/train.py",
    ["tests/runtime/harness_test.ts", "tests/e2e/train_test.ts"],
    ["tests/commands/cloud/train_test.ts"],
  ],
  ["tests/helpers/hostile/fuzz.py", ["tests/e2e/server_fuzz_test.ts"], ["tests/e2e/train_test.ts"]],
];

suite("the tests that can reach a changed file", () => {
  let graph: Graph;

  beforeAll(async () => {
    graph = await readGraph(AbortSignal.timeout(60_000));
  });

  for (const [changed, selected, others] of ROWS) {
    it(`are selected: ${changed}`, () => {
      const { tests = [] } = testsFor([changed], graph);
      assertEquals(selected.filter((test) => !tests.includes(test)), []);
      assertEquals(others.filter((test) => tests.includes(test)), []);
    });
  }

  it("are all tests if no test reaches a file of the project", () => {
    for (const changed of ["deno.json", "cspell.json", "runtime/no_longer_there.ts"]) {
      const { tests, reason } = testsFor(["docs/tutorial.md", changed], graph);
      assertEquals(tests, undefined);
      assertEquals(reason, `any test can depend on ${changed}`);
    }
  });

  it("are none if no file has changed", () => {
    assertEquals(testsFor([], graph), { tests: [], reason: "0 changed files" });
  });

  it("include those that name a file, or its directory, in a string", () => {
    const files = ["a/b.py", "a/c.sh", "docs/a.md", "tests/deep/x.py"];
    const named = (text: string) => namedFiles(text, "tests/deep/one_test.ts", files);
    assertEquals(named('new URL("x.py", import.meta.url)'), ["tests/deep/x.py"]);
    assertEquals(named("`${ROOT}a/b.py`"), ["a/b.py"]);
    assertEquals(named('"../../docs/a.md" "a" "b.py" "../" "x.py"'), ["docs/a.md"]);
    assertEquals(named('"a/"'), ["a/b.py", "a/c.sh"]);
    assert(namedFiles('"a/b.py"', "runtime/one.ts", files).length === 0);
  });
});
