/**
 * Counts the tests of a run. Deno's own summary counts groups and steps apart, and a group that
 * failed for its own reasons is neither; here every `it` is one test.
 */

import { xmlDecoded } from "../../tests/helpers/xml.ts";

/** What became of the tests. */
export interface TestResults {
  readonly passed: number;
  readonly failed: number;
  /** Of those that failed, what the report tells. */
  readonly failures: readonly Failure[];
  /** Names of the tests that were there but did not run. */
  readonly skipped: readonly string[];
  /** The tests that took longest, the slowest first. */
  readonly slowest: readonly { readonly name: string; readonly seconds: number }[];
}

/** What no test comes to. */
export const NO_RESULTS: TestResults = {
  passed: 0,
  failed: 0,
  failures: [],
  skipped: [],
  slowest: [],
};

/** A test that failed. */
export interface Failure {
  /** `suite > test`; empty for a module that did not load. */
  readonly name: string;
  /** The test file, such as `tests/main_test.ts`, if it is known. */
  readonly file?: string | undefined;
  /** What was thrown. */
  readonly message: string;
}

/** A test, a step, or a group of steps, as the JUnit report has it. */
interface Case {
  /** `group > step`, as the report escapes it. */
  readonly name: string;
  readonly seconds: number;
  /** What stands in the element: nothing, `<failure ...>` or `<skipped/>`. */
  readonly content: string;
}

/** How many of the slowest tests are named. */
const SLOWEST = 30;
/** A test that is named among the slowest takes longer, in seconds. */
const SLOW = 2;

const SEPARATOR = " &gt; ";

/**
 * Counts the tests of a run of `deno test`.
 *
 * A test that is a group counts by its steps, and once more as a failure if it failed without one of
 * them: a hook threw, or something leaked. A module that did not load is missing in the report, and
 * one failure in the summary. A run that failed for another reason has one failure.
 *
 * @param report the JUnit report; empty where Deno wrote none, as when the types do not check.
 * @param output the end of what Deno wrote, with its summary.
 * @param success whether Deno ended with status 0.
 */
export function countResults(report: string, output: string, success: boolean): TestResults {
  const cases = readCases(report);
  const groups = new Set(cases.flatMap(({ name }) => parentOf(name) ?? []));
  const names = new Set(cases.map(({ name }) => name));
  const isTopLevel = ({ name }: Case): boolean => !names.has(parentOf(name) ?? "");

  const leaves = cases.filter(({ name }) => !groups.has(name));
  const failures = cases.filter((one) =>
    hasFailed(one) && (!groups.has(one.name) || !failedByStep(one))
  );
  const skipped = leaves.filter(({ content }) => content.includes("<skipped"));
  const passed = leaves.length - skipped.length - leaves.filter(hasFailed).length;
  const notLoaded = failedInSummary(output) -
    cases.filter((one) => isTopLevel(one) && hasFailed(one)).length;
  const failed = failures.length + Math.max(0, notLoaded);
  return {
    passed,
    failed: Math.max(failed, success ? 0 : 1),
    failures: [
      ...failures.map(({ name, content }) => ({
        name: xmlDecoded(name),
        message: xmlDecoded(/<\w+ message="([^"]*)"/.exec(content)?.[1] ?? ""),
      })),
      ...modulesNotLoaded(output),
    ],
    skipped: skipped.map(({ name }) => xmlDecoded(name)),
    slowest: leaves.filter(({ seconds }) => seconds >= SLOW)
      .sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
      .map(({ name, seconds }) => ({ name: xmlDecoded(name), seconds })),
  };
}

/** How much of what a test threw is said again, in characters. */
const SHOWN_LENGTH = 2_000;

/** A failure, to be found at the end of a long output: `failed: NAME`, and what was thrown. */
export function failureText({ name, file, message }: Failure): string {
  const shown = message.length > SHOWN_LENGTH ? `${message.slice(0, SHOWN_LENGTH)} ...` : message;
  return [`failed: ${name || file}`, ...shown.split("\n").map((line) => `  ${line}`)].join("\n");
}

/** The command that reruns only this test: `npx -y deno@2.9.6 task test FILE --only 'SUITE > TEST'`. */
export function rerunText({ name, file = "tests" }: Failure, task: string): string {
  const only = name === "" ? "" : ` --only '${name.replaceAll("'", "'\\''")}'`;
  return `rerun: npx -y deno@${Deno.version.deno} task ${task} ${file}${only}`;
}

/** The line that ends a run, which others read: `12 passed, 0 failed`. */
export function resultLine({ passed, failed }: TestResults): string {
  return `${passed} passed, ${failed} failed`;
}

function readCases(report: string): readonly Case[] {
  const elements = report.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs);
  return [...elements].map(([, attributes = "", content = ""]) => {
    const attribute = (name: string): string =>
      new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    return {
      name: attribute("name"),
      seconds: Number(attribute("time")),
      content,
    };
  });
}

function parentOf(name: string): string | undefined {
  const end = name.lastIndexOf(SEPARATOR);
  return end < 0 ? undefined : name.slice(0, end);
}

function hasFailed({ content }: Case): boolean {
  return /<(failure|error)\b/.test(content);
}

function failedByStep({ content }: Case): boolean {
  return /<failure message="\d+ test steps? failed"/.test(content);
}

/** Deno's summary: `./0_test.ts (uncaught error)`, the error, and `at file:///.../tests/main_test.ts`. */
function modulesNotLoaded(output: string): readonly Failure[] {
  const errors = withoutColours(output).split(/^\S+ \(uncaught error\)\n/m).slice(1);
  return errors.map((error) => ({
    name: "",
    file: /\btests\/\S+_test\.tsx?/.exec(error)?.[0],
    message: error.split("\n\n")[0]!,
  }));
}

/** `FAILED | 2 passed (3 steps) | 4 failed (1 step) | 1 ignored (199ms)`: here 4. */
function failedInSummary(output: string): number {
  const summaries = [
    ...withoutColours(output).matchAll(/^(?:ok|FAILED) \| \d+ passed.*? \| (\d+) failed/gm),
  ];
  return Number(summaries.at(-1)?.[1] ?? 0);
}

function withoutColours(output: string): string {
  // deno-lint-ignore no-control-regex
  return output.replaceAll(/\x1b\[[0-9;]*m/g, "");
}
