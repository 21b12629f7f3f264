/** What to do if the code of a run reads a channel that the run does not have. */

import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { isOutside, shellWord, typedPath } from "../app/typed_path.ts";
import { holdsHarness } from "../contract/images.ts";
import { codePath, type Frame, ownFrames } from "../contract/tracebacks.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import { listed } from "../text.ts";
import type { FailedCode } from "./failed_code.ts";

/** Returns what to do if the code reads a channel that the run does not have. */
export function noChannelHint({ importer: { app }, inputs }: FailedCode, name: string): string {
  const layout = app.paths;
  const folder = shellWord(typedPath(layout, join(layout.inputData, name)));
  const others = inputs.map((input) => input.name);
  return `Put data into ${folder}, or pass it with --input ${name}=DIR. ` +
    (others.length === 0
      ? "A channel without data does not exist, neither locally nor on SageMaker."
      : `The run has no channel ${name}, only ${listed(others)}.`);
}

/** Returns what to do if the variable of a channel is not set. */
export function channelHint(code: FailedCode): string | undefined {
  const [, name = ""] = /^KeyError: 'SM_CHANNEL_([A-Z\d_-]+)'$/.exec(code.words) ?? [];
  return name === "" ? undefined : unsetHint(code, name);
}

/** @param name of the channel, as its variable has it. */
function unsetHint(code: FailedCode, name: string): string | undefined {
  const { kind, inputs, launcher, importer: { image } } = code;
  if (kind !== "train") return undefined;
  const input = inputs.find((input) => input.name.toUpperCase() === name);
  if (input === undefined) return noChannelHint(code, name.toLowerCase());
  const isSet = launcher === "script" || launcher === "toolkit" || holdsHarness(image);
  return isSet
    ? undefined
    : `Use "${input.path}" in the code: the image does not set SM_CHANNEL_${name}`;
}

/** An option of argparse or a variable that gets the path of a channel, or `None`. */
const OPTIONAL_CHANNEL =
  /(?:--([A-Za-z][\w-]{0,64})["'][^()]{0,200}|\b(\w{1,64}) ?= ?|)\b(?:os\.)?(?:environ\.)?get(?:env)?\(\s{0,20}["']SM_CHANNEL_([A-Z\d_]{1,64})["'](?:, ?None)?\)/g;

/** Returns what to do if a line that fails uses a variable which is `None` without its channel. */
export async function noneHint(code: FailedCode): Promise<string | undefined> {
  const { raised, words } = code;
  if (!raised || !/^(?:TypeError|ValueError): .{0,300}NoneType/.test(words)) return undefined;
  const frames = ownFrames(raised);
  const failing = frames.map(({ text }) => text).join("\n");
  const text = await codeOf(code, frames);
  for (const [, option, variable, name = ""] of text.matchAll(OPTIONAL_CHANNEL)) {
    const isUsed = failing.includes(`SM_CHANNEL_${name}`) ||
      // Not a function of that name.
      option && new RegExp(`\\.${option.replaceAll("-", "_")}\\b(?!\\()`).test(failing) ||
      variable && new RegExp(`\\b${variable}\\b(?!\\()`).test(failing);
    const hint = isUsed ? unsetHint(code, name) : undefined;
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Returns the text of the files that frames are in. */
async function codeOf(
  { importer: { app, code, source } }: FailedCode,
  frames: readonly Frame[],
): Promise<string> {
  const root = source?.path ?? app.paths[code];
  const paths = [...new Set(frames.map(({ file }) => codePath(file)))];
  const texts = paths.map((path) =>
    readInside(path.startsWith("common/") ? app.paths.base : root, path)
  );
  return (await Promise.all(texts)).join("\n");
}

/** Returns the text of a file in a directory; empty if it leads out of there, or cannot be read. */
export async function readInside(directory: string, path: string): Promise<string> {
  try {
    const real = await Deno.realPath(join(directory, path));
    const isInside = !isOutside(relative(await Deno.realPath(directory), real));
    return isInside ? await readTextFile(real, LARGEST_TEXT) : "";
  } catch {
    return "";
  }
}
