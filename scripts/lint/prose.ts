/** Rules for the words and the sentences of everything that mlcli's users read. */

/** A sentence of more words is hard to understand at first reading. */
const MOST_WORDS = 30;

/** Expressions that readers had to read twice, and what to write instead. */
const UNCLEAR: readonly (readonly [RegExp, string])[] = [
  [/\b(?:no|some|any)body\b/i, "name who acts: mlcli, SageMaker, you, another user"],
  [/\bone's own\b/i, "write whose: your, its"],
  [/\bis said\b/i, "name who prints it"],
  [/\b(?:it|that|this) is no (?!longer\b)/i, 'write "is not a"'],
  [/\bis not to be\b/i, 'write "must not" or "cannot"'],
  [/\bfalls away\b/i, 'write "is no longer needed"'],
  [/, too[.!?:;]?$/i, 'write "also" before the verb'],
];

/** Returns what is unclear in a text without markup: for each place the words, and what to do. */
export function findingsIn(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /\w/.test(word));
    const isLong = words.length > MOST_WORDS;
    return [
      ...UNCLEAR.flatMap(([pattern, instead]) => {
        const [found] = pattern.exec(sentence) ?? [];
        return found === undefined ? [] : [`"${found}": ${instead}`];
      }),
      ...isLong
        ? [`${words.length} words in a sentence: "${words.slice(0, 5).join(" ")} ..."`]
        : [],
    ];
  });
}

/** A full stop ends a sentence if a blank follows: not in `2.5`, `NAME.json` or `e.g.`. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?][)"'*_]*)(?<!\be\.g\.|\bi\.e\.)\s+/);
}

/** A block of text, and the line on which it begins, from 1. */
export interface Block {
  readonly text: string;
  readonly line: number;
}

/**
 * Returns the paragraphs, list items, table cells and headings of a Markdown document, without code
 * and without the addresses of links.
 */
export function blocksOf(markdown: string): readonly Block[] {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, " ");
  const prose = markdown.replaceAll("\r\n", "\n")
    .replaceAll(/^( *)(?:```|~~~).*?^\1(?:```|~~~)/gms, blank)
    .replaceAll(/<!--.*?-->/gs, blank)
    .replaceAll(/(?<!`)`(?!`)[^`]+`/g, (code) => `CODE${code.replaceAll(/[^\n]/g, "")}`)
    .replaceAll(/\]\([^)]*\)/g, "]");
  const blocks: Block[] = [];
  let current: string[] = [];
  const end = (line: number): void => {
    const text = current.join(" ").replace(/^(?:[-*>]|\d+\.|#+)\s+/, "");
    if (/\w/.test(text)) blocks.push({ text, line: line - current.length + 1 });
    current = [];
  };
  for (const [index, line] of prose.split("\n").entries()) {
    const text = line.trim();
    const isRow = text.startsWith("|");
    if (text === "" || isRow || /^(?:[-*>]|\d+\.|#+)\s/.test(text)) end(index);
    if (isRow) {
      blocks.push(...text.split("|").map((cell) => ({ text: cell.trim(), line: index + 1 })));
    } else if (text !== "") current.push(text);
  }
  end(prose.split("\n").length);
  return blocks;
}
