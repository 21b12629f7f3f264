/** The appendix of docs/reference/errors.md: all messages that the page does not explain. */

import { fromFileUrl } from "@std/path";
import { wrapWords } from "../../runtime/messages.ts";
import { filesBelow } from "../files.ts";
import { type Message, messagesIn } from "./messages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

/** The parts of the appendix: a message is in the first one that has its file. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ["Command line", /^commands\//],
  ["App and files", /^runtime\/(app|archive|origin|source|[^/]+\.ts$)/],
  ["Image", /^runtime\/image\//],
  ["Docker Engine", /^runtime\/(docker|serving\/ports)/],
  ["Batch transform", /^runtime\/((local|cloud)\/transform\/|contract\/transform)/],
  ["Local runs and servers", /^runtime\/(local|model|serving|invocation|page)/],
  ["Differences from SageMaker", /^runtime\/contract\//],
  ["Doctor", /^runtime\/doctor\//],
  ["AWS", /^runtime\/aws\//],
  ["Endpoints", /^runtime\/cloud\/(deploy|endpoints|preflight\/(archive|serving))/],
  ["Jobs, images and data on SageMaker", /^runtime\/cloud\//],
];

/** A text that begins in another way is the reason that another message ends with. */
const BEGINNING = /^(?:[A-Z"]|\.\.\.\/|-|mlcli |docker-|s3:|(?:extra-)?index-url |cog\.yaml )/;

/** The beginning of an item of the page: the messages that it explains. */
const EXPLAINED = /^- `[^`]+`(?:,\s+`[^`]+`)*/gm;

/** Reading the types of all files takes ten seconds. */
let messages: Promise<readonly Message[]> | undefined;

/** Returns all messages in the source, with the hints that mlcli prints below them. */
export function allMessages(): Promise<readonly Message[]> {
  return messages ??= readMessages();
}

/** Returns the paths of the product's files, sorted. */
export async function productFiles(): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const folder of ["commands", "runtime"]) {
    for await (const path of filesBelow(`${ROOT}${folder}`)) {
      paths.push(`${folder}/${path}`);
    }
  }
  return paths.sort();
}

async function readMessages(): Promise<readonly Message[]> {
  return messagesIn((await productFiles()).filter((path) => path.endsWith(".ts")), ROOT);
}

/** Returns the messages that a page explains in list items, each as one line. */
export function explainedIn(page: string): readonly string[] {
  return [...page.matchAll(EXPLAINED)].flatMap(([messages]) => [...messages.matchAll(/`([^`]+)`/g)])
    .map(([, text = ""]) => text.replaceAll(/\s+/g, " "));
}

/** Messages of one pattern have one key, whatever stands for what differs from run to run. */
export function patternOf(text: string): string {
  return text.replaceAll(/\.\.\.|\b(?:[A-Z][A-Z_]+|N)\b/g, "*").replaceAll("NAME.json", "FILE");
}

/** Returns a list for each part of the appendix. @param page without the appendix. */
export async function errorList(page: string): Promise<string> {
  const explained = new Set(explainedIn(page).map(patternOf));
  const patterns = Map.groupBy(await allMessages(), ({ text }) => patternOf(text));
  const rest = [...patterns].filter(([pattern, [message]]) =>
    BEGINNING.test(message!.text) && !explained.has(pattern)
  );
  const byPart = Map.groupBy(rest.map(([, [message]]) => message!), partOf);
  return PARTS.map(([title]) => `### ${title}\n\n${itemsOf(byPart.get(title) ?? [])}`).join("\n");
}

function partOf({ path }: Message): string {
  const part = PARTS.find(([, files]) => files.test(path));
  if (part === undefined) throw new Error(`No part of docs/reference/errors.md is for ${path}`);
  return part[0];
}

/** An item for each message, sorted as a reader looks for it. */
function itemsOf(messages: readonly Message[]): string {
  const order = (text: string): string =>
    `${text.replaceAll(/[^a-z]+/gi, " ").trim().toLowerCase()} ${text}`;
  return messages.map(({ text }) => text).sort((one, other) => order(one) < order(other) ? -1 : 1)
    .map((text) => `- ${wrapWords(`\`${text}\``.split(/(?<=\S) +/), 100, 2)}\n`).join("");
}
