/** Kinds of entry points, what docs/reference/toolkits.md says becomes of each, and what the task has made. */

import { tableRows } from "../helpers/doc_table.ts";

export interface Entry {
  /** As the documentation names it. */
  readonly name: string;
  readonly program: string;
  /** @param requirement what the program imports, as a line of requirements.txt. */
  readonly files: (program: string, requirement: string) => Readonly<Record<string, string>>;
}

const setup = (what: string) =>
  `from setuptools import setup\nsetup(name="shop", version="1", ${what})\n`;

export const ENTRIES: readonly Entry[] = [
  {
    name: "`train.py`",
    program: "train.py",
    files: (program, requirement) => ({ "train.py": program, "requirements.txt": requirement }),
  },
  {
    name: "`train.sh`",
    program: "train.sh",
    files: (program, requirement) => ({
      "main.py": program,
      // Nobody installs requirements for a shell.
      "train.sh": `#!/bin/sh\nset -e\npip install -q ${requirement}\nexec python3 main.py "$@"\n`,
    }),
  },
  {
    name: "`train.py` beside `setup.py`",
    program: "train.py",
    files: (program, requirement) => ({
      "train.py": program,
      "setup.py": setup('py_modules=["train"]'),
      "requirements.txt": requirement,
    }),
  },
  {
    name: "`shop/train.py` of a package",
    program: "shop/train.py",
    files: (program, requirement) => ({
      "shop/__init__.py": "",
      "shop/train.py": program,
      "setup.py": setup('packages=["shop"]'),
      "requirements.txt": requirement,
    }),
  },
];

const PAGE = new URL("../../docs/reference/toolkits.md", import.meta.url);

/**
 * What the page says: `trains`, `processes`, `serves`, in backquotes what is printed where it does
 * not, or `untested`.
 */
export async function outcomesIn(
  judge: string,
  entry: string,
): Promise<{ readonly here: string; readonly there: string }> {
  const wanted = [judge, entry];
  const found = tableRows(await Deno.readTextFile(PAGE))
    .find((row) => wanted.every((cell, index) => row[index] === cell));
  if (found === undefined) {
    throw new Error(`docs/reference/toolkits.md has no row ${wanted.join(", ")}`);
  }
  return { here: found[2]!, there: found[3]! };
}

/** What the task has made, by the name of its variable. */
export function given(name: string): string {
  const value = Deno.env.get(name);
  if (value) return value;
  throw new Error(`${name} is not set: run the tests by deno task test:toolkits`);
}
