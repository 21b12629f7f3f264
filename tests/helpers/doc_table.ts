/** The cells of each row of all tables on a page, without their headings. */
export function tableRows(page: string): readonly (readonly string[])[] {
  const lines = page.split("\n").filter((line) => line.startsWith("| "));
  const isRule = (line: string | undefined): boolean => /^\| -+ \|/.test(line ?? "");
  return lines.filter((line, index) => !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
}
