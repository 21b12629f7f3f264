import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Gives the text of a file of the project, if there is one. */
export type ReadText = (path: string) => Promise<string | undefined>;

export async function readText(path: string): Promise<string | undefined> {
  const text = await Deno.readTextFile(join(ROOT, path)).catch(() => undefined);
  return text?.replaceAll("\r\n", "\n");
}

/**
 * The tests that show what a page says, by the heading of a section and the first words of an item
 * there: `tests/a_test.ts`, or `tests/a_test.ts: words of a test's title`.
 */
export type Evidence = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** An item of a list. */
export interface Item {
  readonly section: string;
  /** With the items that are nested in it, each in one line, whatever the page wraps. */
  readonly lines: readonly string[];
}

/** The items of the lists in the sections of a page (not those above the first section). */
export function itemsOf(page: string): readonly Item[] {
  return page.split(/^## /m).slice(1).flatMap((text) => {
    const [section = "", ...lines] = text.replaceAll(/\n +(?!- )(?=\S)/g, " ").split("\n");
    const starts = [...lines.keys()].filter((index) => /^(-|\d+\.) /.test(lines[index]!));
    return starts.map((start) => {
      const rest = lines.slice(start + 1);
      const end = rest.findIndex((line) => !line.startsWith(" "));
      return { section, lines: [lines[start]!, ...rest.slice(0, end).map((line) => line.trim())] };
    });
  });
}

/** What is wrong with the evidence of claims: some has none, is of nothing, or is not there. */
export async function problemsOfEvidence(
  claims: readonly { readonly section: string; readonly words: string }[],
  evidence: Evidence,
  read: ReadText,
): Promise<readonly string[]> {
  const claimed = new Set(claims.map(({ section, words }) => `${section}: ${words}`));
  const shown = Object.entries(evidence).flatMap(([section, tests]) =>
    Object.entries(tests).map(([words, names]) => [`${section}: ${words}`, names] as const)
  );
  const found = await Promise.all(
    shown.map(async ([claim, names]) =>
      (await problemsOfTests(names, read)).map((problem) => `${claim}: ${problem}`)
    ),
  );
  const isShown = new Set(shown.map(([claim]) => claim));
  return [
    ...[...claimed.difference(isShown)].map((claim) => `${claim}: no evidence`),
    ...[...isShown.difference(claimed)].map((claim) => `${claim}: not on the page`),
    ...found.flat(),
  ];
}

async function problemsOfTests(names: readonly string[], read: ReadText): Promise<string[]> {
  if (names.length === 0) return ["no test"];
  const problems = await Promise.all(names.map(async (name) => {
    const [, path = "", title = ""] = /^(\S+?)(?:: (.+))?$/s.exec(name) ?? [];
    const text = /^(tests|runtime\/harness\/tests)\//.test(path) ? await read(path) : undefined;
    if (text === undefined) return [`no file: ${name}`];
    return text.includes(title) ? [] : [`"${title}" is not in ${path}`];
  }));
  return problems.flat();
}
