/** The arguments of the tasks that test: `deno task test [--all] [--only NAME] [FILE...]`. */

/** What to run. */
export interface TestArguments {
  /** Whether to run all tests, and sweeps as a whole. */
  readonly all: boolean;
  /** A test, as `SUITE > TEST`, or a suite. */
  readonly only: string | undefined;
  /** Select tests by the files that differ from a commit; an empty one is the last that passed. */
  readonly changed: string | undefined;
  /** Options of `deno test`, files and directories. */
  readonly rest: readonly string[];
}

/** Reads the arguments that mlcli's tasks have themselves, and leaves the others to `deno test`. */
export function testArguments(args: readonly string[]): TestArguments {
  const rest = [...args];
  const take = (index: number, count: number): readonly string[] =>
    index < 0 ? [] : rest.splice(index, count);
  const all = take(rest.indexOf("--all"), 1).length > 0;
  const [, only] = take(rest.indexOf("--only"), 2);
  const at = rest.indexOf("--changed");
  const hasRef = at >= 0 && /^[^-]/.test(rest[at + 1] ?? "");
  const [option, ref = ""] = take(at, hasRef ? 2 : 1);
  return { all, only, changed: option && ref, rest };
}
