/** What `mlcli init --from` makes an app of, and what it makes of it. */

import { APP_NAME } from "../app/app.ts";
import { basePath } from "../app/paths.ts";
import type { GivenFile, NewConfiguration } from "../image/scaffold.ts";
import { inOneLine } from "../text.ts";

/** A thing of the original, and what it is in the app; both as Markdown. */
export type Taken = readonly [from: string, to: string];

export interface Origin {
  /** `the sagify project ../shop` */
  readonly what: string;
  /** Of the app. */
  readonly name: string;
  readonly configuration: NewConfiguration;
  readonly files: readonly GivenFile[];
  readonly taken: readonly Taken[];
  /** What could not be taken over, or is not known, and what to do about it: a sentence or two each. */
  readonly left: readonly string[];
  /** Command lines that use the app, in their order. */
  readonly next: readonly string[];
}

/** Reads a project that was found. */
export type Read = () => Promise<Origin>;

/** The file that says where an app comes from; in the app's own directory, and in no image. */
export function migrationFile(name: string): string {
  return `${name}/MIGRATION.md`;
}

/** The content of that file. */
export function migrationText({ what, taken, left, next }: Origin): string {
  const rows = taken.map(([from, to]) => `| ${cell(from)} | ${cell(to)} |`);
  const items = left.map((text) => `- ${inOneLine(text)}`);
  return [
    "# Origin of this app",
    `\`mlcli init --from\` created it from ${inOneLine(what)}. The original is unchanged.`,
    ...rows.length === 0
      ? []
      : ["## Converted", ["| Original | App |", "| --- | --- |", ...rows].join("\n")],
    "## To check",
    items.length === 0 ? "Nothing." : items.join("\n"),
    "## Next steps",
    ["```sh", ...next, "```"].join("\n"),
  ].join("\n\n") + "\n";
}

function cell(text: string): string {
  return inOneLine(text).replaceAll("|", "\\|");
}

/**
 * The name of an app: as typed, else made of the original's name.
 *
 * @param found the original's name, whatever characters it has.
 */
export function nameOf(typed: string | undefined, found: string): string {
  if (typed !== undefined) return typed;
  const name = found.replaceAll(/[^\w.-]+/g, "-").replace(/^[^A-Za-z\d]+|[^A-Za-z\d]+$/g, "");
  return APP_NAME.test(name) ? name : "app";
}

/** A requirements file, with a line that says where it comes from. */
export function requirementsFile(path: string, from: string, lines: readonly string[]): GivenFile {
  const text = [`# From ${inOneLine(from)}.`, ...lines].join("\n");
  return { path, content: `${text.trimEnd()}\n` };
}

/** An app's test data and model, relative to the directory of `NAME.json`, with slashes. */
export function testDirectory(name: string): string {
  return `${basePath(name)}/local_test/test_dir`;
}
