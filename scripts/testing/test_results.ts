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
}

/** A test that failed. */
export interface Failure {
  /** `group > step` */
  readonly name: string;
  /** What was thrown. */
  readonly message: string;
}

/** A test, a step, or a group of steps, as the JUnit report has it. */
interface Case {
  /** `group > step`, as the report escapes it. */
  readonly name: string;
  /** What stands in the element: nothing, `<failure ...>` or `<skipped/>`. */
  readonly content: string;
}

const SEPARATOR = " &gt; ";

/**
 * Counts the tests of a run of `deno test`.
 *
 * A test that is a group counts by its steps, and once more as a failure when it failed without one
 * of them: a hook threw, or something leaked. A module that did not load is no test in the report
 * and one failure in the summary. A run without any test, or that ended badly for another reason,
 * has one failure.
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
  const atLeast = success && passed + failed > 0 ? 0 : 1;
  return {
    passed,
    failed: Math.max(failed, atLeast),
    failures: failures.map(({ name, content }) => ({
      name: xmlDecoded(name),
      message: xmlDecoded(/<\w+ message="([^"]*)"/.exec(content)?.[1] ?? ""),
    })),
    skipped: skipped.map(({ name }) => xmlDecoded(name)),
  };
}

/** How much of what a test threw is said again, in characters. */
const SHOWN_LENGTH = 2_000;

/** A failure, to be found at the end of a long output: `failed: NAME`, and what was thrown. */
export function failureText({ name, message }: Failure): string {
  const shown = message.length > SHOWN_LENGTH ? `${message.slice(0, SHOWN_LENGTH)} ...` : message;
  return [`failed: ${name}`, ...shown.split("\n").map((line) => `  ${line}`)].join("\n");
}

/** The line that ends a run, which others read: `12 passed, 0 failed`. */
export function resultLine({ passed, failed }: TestResults): string {
  return `${passed} passed, ${failed} failed`;
}

function readCases(report: string): readonly Case[] {
  const elements = report.matchAll(
    /<testcase name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs,
  );
  return [...elements].map(([, name = "", content = ""]) => ({ name, content }));
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

/** `FAILED | 2 passed (3 steps) | 4 failed (1 step) | 1 ignored (199ms)`: here 4. */
function failedInSummary(output: string): number {
  // deno-lint-ignore no-control-regex
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const summaries = [...plain.matchAll(/^(?:ok|FAILED) \| \d+ passed.*? \| (\d+) failed/gm)];
  return Number(summaries.at(-1)?.[1] ?? 0);
}
