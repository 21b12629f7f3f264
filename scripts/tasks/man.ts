/**
 * Writes the manual pages of all commands into dist/man/man1, from the command tree, for the packages
 * of a release: `deno task man`.
 */

import { fromFileUrl, join } from "@std/path";
import { optionRows, type Row, usageParts } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicsBelow } from "../../commands/topic.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { VERSION } from "../../runtime/version.ts";
import { run } from "../process.ts";
import { runScript, say } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "dist/man/man1");

/** In ms. */
const TIMEOUT = 10_000;

/**
 * The pages by their file's name: `mlcli-local-train.1`.
 *
 * @param date at the foot of each.
 */
export async function manualPages(
  date: string,
): Promise<Readonly<Record<string, string>>> {
  const topics = await topicsBelow(root);
  return Object.fromEntries(
    topics.map((topic) => [`${pageName(topic.path)}.1`, manualPage(topic, date)]),
  );
}

function pageName(path: string): string {
  return path.replaceAll(" ", "-");
}

/** A page in the macros of man(7). */
function manualPage(topic: Topic, date: string): string {
  const { path, description, members = [], examples, more } = topic;
  const name = pageName(path);
  const [summary = ""] = description.split("\n");
  const [, ...usage] = usageParts(topic);
  const commands = members.map(([form, { summary }]) => ({ form, description: summary }));
  const above = path.split(" ").slice(0, -1).map((_, index, all) => all.slice(0, index + 1));
  const related = [
    ...above.map((names) => names.join("-")),
    ...members.filter(([, { isPrefix }]) => !isPrefix).map(([member]) => `${name}-${member}`),
  ];
  return [
    `.TH ${roff(name.toUpperCase())} 1 "${date}" "mlcli ${VERSION}" "mlcli"`,
    // No hyphens in names of commands, and no wide blanks.
    "\n.nh\n.ad l",
    section("NAME", [`${roff(name)} \\- ${roff(summary)}`]),
    section("SYNOPSIS", [`${bold(path)} ${roff(usage.join(" "))}`]),
    section("DESCRIPTION", [roff(description), ...more === "" ? [] : [".PP", roff(more)]]),
    section("COMMANDS", commands.flatMap(tagged)),
    section("OPTIONS", optionRows(topic).flatMap(tagged)),
    section(
      "EXAMPLES",
      examples.flatMap(([title, line]) => {
        return [".PP", `${roff(title)}:`, ".PP", ".RS 4", ".nf", roff(line), ".fi", ".RE"];
      }).slice(1),
    ),
    section("SEE ALSO", related.map((page) => `${bold(page)}(1)`).join(",\n").split("\n")),
  ].join("");
}

function section(heading: string, lines: readonly string[]): string {
  return lines.join("") === "" ? "" : [`\n.SH ${heading}`, ...lines].join("\n");
}

function tagged({ form, description }: Row): readonly string[] {
  return [".TP", bold(form.trim()), roff(description)];
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

/** Characters that groff would print as others: an option has to be found, and an example pasted. */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** A text in roff; with a dot at its start, it would be a request. */
export function roff(text: string): string {
  return text.replace(/[\\\-'`^~]/g, (character) => ESCAPES[character]!).replace(/^\./, "\\&.");
}

async function main(signal: AbortSignal): Promise<number> {
  const options = { timeout: TIMEOUT, hint: "Pages are made from a clone.", signal };
  const date = await run(["git", "log", "-1", "--format=%cs"], { ...options, cwd: ROOT });
  const pages = Object.entries(await manualPages(date.trim()));
  await removeTreeIfThere(FOLDER);
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const [name, text] of pages) await Deno.writeTextFile(join(FOLDER, name), `${text}\n`);
  say(`Wrote ${pages.length} pages into dist/man/man1`);
  return 0;
}

if (import.meta.main) runScript(main);
