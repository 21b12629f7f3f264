/**
 * Text broken into lines.
 *
 * @module
 */

/** Breaks text into lines no wider than `columns`, those after the first indented. */
export function wrap(text: string, columns: number, indent: number): string {
  const width = Math.max(20, columns - indent);
  const lines = text.split("\n").flatMap((line) => wrapLine(line, width));
  return lines.join(`\n${" ".repeat(indent)}`);
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}
