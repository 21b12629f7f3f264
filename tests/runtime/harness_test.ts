import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { it, suite } from "../helpers/suite.ts";

const FOLDER = fromFileUrl(new URL("../../runtime/harness/tests/", import.meta.url));

/** What became of a test in Python. */
interface PythonTest {
  readonly file: string;
  readonly name: string;
  /** Why it did not pass. */
  readonly problem?: string;
}

/** Runs them all; the report sees to it that they end. */
function pythonTests(): readonly PythonTest[] {
  const { success, stdout, stderr } = new Deno.Command("python3", {
    args: ["-B", `${FOLDER}report.py`],
    stdin: "null",
  }).outputSync();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`The tests in Python broke off:\n${decoder.decode(stderr)}`);
  return JSON.parse(decoder.decode(stdout));
}

/** Groups by file; a failure to run them is one test, which fails. */
function declareTests(): void {
  let tests: readonly PythonTest[];
  try {
    tests = pythonTests();
  } catch (error) {
    const hint = error instanceof Deno.errors.NotFound
      ? new Error("The harness is Python: install python3 (3.8 or later) to test it", {
        cause: error,
      })
      : error;
    suite("harness", () =>
      it("runs on this machine's python3", () => {
        throw hint;
      }));
    return;
  }
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => /^test_.*\.py$/.test(name)).sort();
  for (const file of files.map((name) => name.replace(/\.py$/, ""))) {
    suite(`harness: ${file.replace("test_", "")}`, () => {
      const own = tests.filter((test) => test.file === file);
      for (const { name, problem } of own) {
        it(name, () => {
          if (problem !== undefined) throw new Error(problem);
        });
      }
      it("has tests", () => assertEquals(own.length > 0, true));
    });
  }
  suite("harness: all", () =>
    it("loads every file", () => {
      assertEquals(tests.filter(({ file }) => !files.includes(`${file}.py`)), []);
    }));
}

// The image is Linux's, and its harness asks Linux which processors there are.
if (Deno.build.os === "linux") declareTests();
