/** Selects the tests that can reach a changed file: `deno task test --changed`. */

import { dirname, fromFileUrl, join, normalize, relative } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { run } from "../process.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** `git` and `deno info` answer within seconds. In ms. */
const TIMEOUT = 60_000;

/** A file that every module depends on: it maps the names of packages to packages. */
const CONFIGURATION = "deno.json";

/** The commit on which all tests passed here. */
const PASSED = "refs/mlcli/tests-passed";

/** A program of its own, which runs in these tests only, although the whole of mlcli embeds it. */
const HARNESS = "runtime/harness/";
const RUNS_HARNESS = /^tests\/(e2e|judges|page)\/|harness|build/;

/** Files that the program does not contain: if no test reaches one, it needs none. */
const WITHOUT_TESTS = /^(docs|scripts)\/|\.md$/;

/** The tests to run, and why. */
export interface Selection {
  /** Test files, relative to the project's directory; undefined: all. */
  readonly tests: readonly string[] | undefined;
  readonly reason: string;
}

/**
 * Selects the tests that can reach a file that differs from a commit, uncommitted changes included.
 * @param ref a commit; default: the last one on which all tests passed in this checkout.
 */
export async function changedTests(
  ref: string | undefined,
  signal: AbortSignal,
): Promise<Selection> {
  const commit = ["rev-parse", "--verify", "--quiet", `${ref ?? PASSED}^{commit}`];
  const base = await git(commit, signal).catch(() => undefined);
  if (base === undefined) {
    if (ref !== undefined) throw new MlcliError(`There is no commit ${ref}`);
    return { tests: undefined, reason: "no run of all tests has passed in this checkout" };
  }
  const differing = ["diff", "--name-only", "--no-renames", "-z", base.trim(), "--"];
  const changed = new Set([
    ...names(await git(differing, signal)),
    ...names(await git(["ls-files", "-z", "--others", "--exclude-standard"], signal)),
  ]);
  const { tests, reason } = testsFor([...changed], await readGraph(signal));
  return { tests, reason: `${reason}, compared with ${base.slice(0, 12)}` };
}

/** What the tests can reach. */
export interface Graph {
  /** Files of the project, relative to its directory. */
  readonly files: readonly string[];
  /** For each file, the modules that use it. */
  readonly users: ReadonlyMap<string, readonly string[]>;
}

/**
 * Selects the tests that can reach these files. Imports count, static, dynamic and of types, and so
 * does a path in a string: a program that is started, or a file that is read. A file that no test
 * reaches selects all tests; any file selects the tests directly in `tests/`, which check the tree.
 * @param changed paths relative to the project's directory.
 */
export function testsFor(changed: readonly string[], graph: Graph): Selection {
  const count = changed.length === 1 ? "1 changed file" : `${changed.length} changed files`;
  if (changed.length === 0) return { tests: [], reason: count };
  const tests = new Set(graph.files.filter((file) => /^tests\/[^/]*_test\.ts$/.test(file)));
  for (const file of changed) {
    const reached = file === CONFIGURATION ? [] : testsOf(file, graph);
    if (reached.length === 0 && !WITHOUT_TESTS.test(file)) {
      return { tests: undefined, reason: `any test can depend on ${file}` };
    }
    for (const test of reached) tests.add(test);
  }
  return { tests: [...tests].sort(), reason: count };
}

function testsOf(file: string, { files, users }: Graph): readonly string[] {
  const isOfHarness = (one: string): boolean => one.startsWith(HARNESS);
  const reached = new Set(isOfHarness(file) ? files.filter(isOfHarness) : [file]);
  for (const next of reached) {
    for (const user of users.get(next) ?? []) reached.add(user);
  }
  return [...reached].filter((one) =>
    isTest(one) && (!isOfHarness(file) || RUNS_HARNESS.test(one))
  );
}

/** Remembers that all tests pass on the current commit, unless a file differs from it. */
export async function rememberPassed(signal: AbortSignal): Promise<void> {
  if (await git(["status", "--porcelain"], signal) !== "") return;
  await git(["update-ref", PASSED, "HEAD"], signal);
}

/** Names that end with a NUL byte each. */
function names(output: string): readonly string[] {
  return output.split("\0").filter((name) => name !== "");
}

function git(args: readonly string[], signal: AbortSignal): Promise<string> {
  return run(["git", ...args], { cwd: ROOT, timeout: TIMEOUT, hint: "", signal });
}

function isTest(file: string): boolean {
  return /^tests\/.*_test\.tsx?$/.test(file);
}

/** Reads what each module of the project imports, and which files its strings name. */
export async function readGraph(signal: AbortSignal): Promise<Graph> {
  const files = names(await git(["ls-files", "-z", "-co", "--exclude-standard"], signal));
  const known = new Set(files);
  const users = new Map<string, string[]>();
  for (const { file, imports } of await modules(files.filter(isTest), signal)) {
    if (!known.has(file)) continue;
    const text = await Deno.readTextFile(join(ROOT, file)).catch(() => "");
    for (const used of [...imports, ...namedFiles(text, file, files)]) {
      const others = users.get(used) ?? [];
      others.push(file);
      users.set(used, others);
    }
  }
  return { files, users };
}

/** The modules that the tests import, the tests included, each with what it imports. */
async function modules(
  tests: readonly string[],
  signal: AbortSignal,
): Promise<readonly { readonly file: string; readonly imports: readonly string[] }[]> {
  const imported = ["main.ts", "scripts/tasks/test.ts", ...tests]
    .map((file) => `import ${JSON.stringify(new URL(`../../${file}`, import.meta.url))};`);
  const entry = `data:application/typescript,${imported.join("")}`;
  const command = [Deno.execPath(), "info", "--json", "--config", join(ROOT, CONFIGURATION)];
  const graph: {
    readonly modules: readonly {
      readonly specifier: string;
      readonly dependencies?: readonly Record<"code" | "type", { readonly specifier?: string }>[];
    }[];
  } = JSON.parse(await run([...command, entry], { timeout: TIMEOUT, hint: "", signal }));
  return graph.modules.map(({ specifier, dependencies = [] }) => ({
    file: fileOf(specifier),
    imports: dependencies.flatMap(({ code, type }) =>
      [code?.specifier, type?.specifier].flatMap((one) => one ? [fileOf(one)] : [])
    ),
  }));
}

function fileOf(specifier: string): string {
  return specifier.startsWith("file:") ? relative(ROOT, fromFileUrl(specifier)) : specifier;
}

/**
 * The files that a module names, from its own directory or from the project's: in `new URL(...)` and,
 * except in the program, in any string with a `/`. A directory stands for all files in it.
 */
export function namedFiles(
  text: string,
  module: string,
  files: readonly string[],
): readonly string[] {
  const folder = dirname(module);
  const addresses = [...text.matchAll(/new URL\(["`]([^"`$]+)/g)].map(([, path = ""]) => path);
  const strings = /^(main|commands|runtime)\b/.test(module)
    ? []
    : [...text.matchAll(/(["`}])([\w./-]*\w\/?)(?=["`$])/g)].flatMap(([, before, path = ""]) =>
      before === "}" || path.includes("/") ? [path] : []
    );
  const named = new Set(
    [
      ...addresses.map((path) => join(folder, path)),
      ...strings.map((path) => path.startsWith(".") ? join(folder, path) : normalize(path)),
    ].map((path) => path.replace(/^\/|\/$/g, "")).filter((path) => !module.startsWith(`${path}/`)),
  );
  return files.filter((file) => {
    for (let path = file; path !== "."; path = dirname(path)) if (named.has(path)) return true;
    return false;
  });
}
