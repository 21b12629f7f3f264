/** What to do if the code of a run reads a channel that the run does not have. */

import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { layoutOf } from "../app/layout.ts";
import { isOutside, shellWord, typedPath } from "../app/typed_path.ts";
import { codePath, type Frame, ownFrames } from "../contract/tracebacks.ts";
import { LARGEST_TEXT, readTextFile, realPathOf } from "../files.ts";
import { listed } from "../text.ts";
import type { FailedCode } from "./failed_code.ts";

/** Returns what to do if the code reads a channel that the run does not have. */
export function noChannelHint({ importer: { app }, inputs }: FailedCode, name: string): string {
  const layout = layoutOf(app);
  const folder = shellWord(typedPath(layout.directory, join(layout.inputData, name)));
  const others = inputs.map((input) => input.name);
  return `Put data into ${folder}, or name some: --input ${name}=DIR. ` +
    (others.length === 0
      ? "Without data there is no such channel, on SageMaker either."
      : `The run has no channel ${name}, but ${listed(others)}.`);
}

/** Returns what to do if the variable of a channel is not set. */
export function channelHint(code: FailedCode): string | undefined {
  const [, name] = /^KeyError: 'SM_CHANNEL_([A-Z\d_-]+)'$/.exec(code.words) ?? [];
  return name && noChannelHint(code, name.toLowerCase());
}

/** An option of argparse or a variable that gets the path of a channel, or `None`. */
const OPTIONAL_CHANNEL =
  /(?:--([A-Za-z][\w-]{0,64})["'][^()]{0,200}|\b(\w{1,64}) ?= ?|)\b(?:os\.)?(?:environ\.)?get(?:env)?\(\s{0,20}["']SM_CHANNEL_([A-Z\d_]{1,64})["'](?:, ?None)?\)/g;

/** Returns what to do if a line that fails uses a variable which is `None` without its channel. */
export async function noneHint(code: FailedCode): Promise<string | undefined> {
  const { raised, words, inputs } = code;
  if (!raised || !/^(?:TypeError|ValueError): .{0,300}NoneType/.test(words)) return undefined;
  const frames = ownFrames(raised);
  const failing = new Set(frames.flatMap(({ text }) => text.match(/\w+/g) ?? []));
  const text = await codeOf(code, frames);
  for (const [, option, variable = "", name = ""] of text.matchAll(OPTIONAL_CHANNEL)) {
    const isUsed = failing.has(option?.replaceAll("-", "_") ?? variable) ||
      failing.has(`SM_CHANNEL_${name}`);
    const isThere = inputs.some((input) => input.name.toUpperCase() === name);
    if (isUsed && !isThere) return noChannelHint(code, name.toLowerCase());
  }
  return undefined;
}

/** Returns the text of the files that frames are in. A file elsewhere, or behind a link, is left out. */
async function codeOf(
  { importer: { app, code, source } }: FailedCode,
  frames: readonly Frame[],
): Promise<string> {
  const root = source?.path ?? layoutOf(app)[code];
  const texts: string[] = [];
  for (const path of new Set(frames.map(({ file }) => codePath(file)))) {
    const folder = path.startsWith("common/") ? layoutOf(app).base : root;
    const real = await realPathOf(join(folder, path));
    if (isOutside(relative(await realPathOf(folder), real))) continue;
    texts.push(await readTextFile(real, LARGEST_TEXT).catch(() => ""));
  }
  return texts.join("\n");
}
