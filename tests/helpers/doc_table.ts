/** Gives the text of a file of the project, if there is one. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** The cells of each row of all tables on a page, without their headings. */
export function tableRows(page: string): readonly (readonly string[])[] {
  const lines = page.split("\n").filter((line) => line.startsWith("| "));
  const isRule = (line: string | undefined): boolean => /^\| -+ \|/.test(line ?? "");
  return lines.filter((line, index) => !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
}

/** What is wrong with a cell that names tests: `` `tests/a_test.ts` "title"; `tests/b.py` ``. */
export async function problemsOfTests(cell: string, read: ReadText): Promise<readonly string[]> {
  const problems: string[] = [];
  const tests = [...cell.matchAll(/`([^`]+)`(?: "([^"]+)")?(?:; |$)/g)];
  if (tests.length === 0 || tests.map(([all]) => all).join("") !== cell) {
    problems.push(`no test: ${cell}`);
  }
  for (const [, path = "", title] of tests) {
    const text = await read(path);
    if (text === undefined || !/^(tests|runtime\/harness\/tests)\//.test(path)) {
      problems.push(`no file ${path}`);
    } else if (title && !text.includes(title)) problems.push(`"${title}" is not in ${path}`);
  }
  return problems;
}
