/** The list of docs/reference/errors.md: each message of mlcli, and what to do about it. */

import { fromFileUrl } from "@std/path";
import { wrapWords } from "../../runtime/messages.ts";
import { filesBelow } from "../files.ts";
import { type Message, messagesIn } from "./messages.ts";
import written from "./remedies.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

/** The parts of the list: a message is in the first one that has its file. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ["The command line", /^commands\//],
  ["The app and its files", /^runtime\/(app|archive|origin|source|[^/]+\.ts$)/],
  ["The image", /^runtime\/image\//],
  ["The Docker Engine", /^runtime\/(docker|serving\/ports)/],
  ["Batch transform", /^runtime\/((local|cloud)\/transform\/|contract\/transform)/],
  ["Runs and servers on this machine", /^runtime\/(local|model|serving|invocation|page)/],
  ["What differs on SageMaker", /^runtime\/contract\//],
  ["mlcli doctor", /^runtime\/doctor\//],
  ["AWS: region, credentials, network", /^runtime\/aws\//],
  ["Endpoints on SageMaker", /^runtime\/cloud\/(deploy|endpoints|preflight\/(archive|serving))/],
  ["Jobs, images and data on SageMaker", /^runtime\/cloud\//],
];

/** With more hints than these, a message has its remedy from what mlcli finds out about it. */
const MOST_HINTS = 5;

/** The hint of whatever is wrong with a command line, which is said once above the list. */
const USAGE = /^See [\w ]+ --help\./;

/** The parts of the list, with their headings. */
export async function errorList(): Promise<string> {
  const paths: string[] = [];
  for (const folder of ["commands", "runtime"]) {
    for await (const path of filesBelow(`${ROOT}${folder}`)) {
      if (path.endsWith(".ts")) paths.push(`${folder}/${path}`);
    }
  }
  const messages = messagesIn(paths.sort(), ROOT);
  const texts = new Set(messages.map(({ text }) => text));
  const unknown = Object.keys(written).filter((text) => !texts.has(text));
  if (unknown.length > 0) throw new Error(`remedies.json: no such message: ${unknown.join(", ")}`);
  const byPart = Map.groupBy(messages, partOf);
  return PARTS.map(([title]) => `### ${title}\n\n${itemsOf(byPart.get(title) ?? []).join("")}`)
    .join("\n");
}

function partOf({ path }: Message): string {
  const part = PARTS.find(([, files]) => files.test(path));
  if (part === undefined) throw new Error(`No part of docs/reference/errors.md is for ${path}`);
  return part[0];
}

/** An item for each message, sorted as a reader looks for it. */
function itemsOf(messages: readonly Message[]): readonly string[] {
  const byText = Map.groupBy(messages, ({ text }) => text.replace(/^NAME\.json: /, "FILE: "));
  const order = (text: string): string =>
    `${text.replaceAll(/[^a-z]+/gi, " ").trim().toLowerCase()} ${text}`;
  return [...byText].sort(([one], [other]) => order(one) < order(other) ? -1 : 1)
    .map(([text, same]) => {
      const remedy = (written as Readonly<Record<string, string>>)[text];
      const hints = shortest(same.flatMap((one) => one.hints)).map(asMarkdown);
      const remedies = [...remedy ? [remedy] : [], ...hints].map((one) => `  - ${one}`);
      return [`- \`${text}\``, ...remedies].map(wrapped).join("");
    });
}

/** Hints without those that begin as another one does; of many, the first. */
function shortest(hints: readonly string[]): readonly string[] {
  const worth = [...new Set(hints)].filter((hint, _, all) =>
    !USAGE.test(hint) && !hint.startsWith("...") &&
    !all.some((other) => other !== hint && hint.startsWith(other))
  );
  return worth.length <= MOST_HINTS ? worth : [
    ...worth.slice(0, MOST_HINTS - 1),
    "Or something else: the hint that mlcli prints says what.",
  ];
}

function asMarkdown(text: string): string {
  return text.trim().replaceAll(/[*<[\]]/g, "\\$&").replaceAll("\n", " ");
}

/** A list item in lines of 100 characters, where a blank lets it break. */
function wrapped(item: string): string {
  const indent = item.indexOf("-") + 2;
  return `${wrapWords(item.split(/(?<=\S) +/), 100, indent)}\n`;
}
