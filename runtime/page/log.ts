/** A run's log as blocks of lines. */

import { terminalText } from "../text.ts";

/** Lines that came on the same stream, one after the other. */
export interface LogBlock {
  readonly isError: boolean;
  readonly text: string;
}

/** The blocks of whole lines, each of which has a mark before it, and the beginning of the next line. */
export function blocksOf(marked: string): { blocks: readonly LogBlock[]; rest: string } {
  const end = marked.lastIndexOf("\n") + 1;
  const blocks: { isError: boolean; lines: string[] }[] = [];
  for (const line of marked.slice(0, end).split("\n").slice(0, -1)) {
    const isError = line.startsWith("err ");
    const text = isError || line.startsWith("out ") ? line.slice(4) : line;
    if (blocks.at(-1)?.isError === isError) blocks.at(-1)!.lines.push(text);
    else blocks.push({ isError, lines: [text] });
  }
  return {
    blocks: blocks.map(({ isError, lines }) => ({ isError, text: terminalText(lines.join("\n")) })),
    rest: marked.slice(end),
  };
}
