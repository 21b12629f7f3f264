/** The messages in the source, which docs/reference/errors.md explains. */

import { fromFileUrl } from "@std/path";
import { filesBelow } from "../files.ts";
import { type Message, messagesIn } from "./messages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

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
