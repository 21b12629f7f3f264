/** Files that the command line names: bodies of requests, and environment variables. */

import { absolutePath, shellWord } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { typeOfFile } from "../runtime/contract/invocations.ts";
import {
  type GivenVariable,
  valuesOfGiven,
  type Variables,
  variablesInFile,
} from "../runtime/contract/variables.ts";
import { fileErrorHint, fileErrorReason, UsageError } from "../runtime/errors.ts";
import { LARGEST_TEXT, readTextFile } from "../runtime/files.ts";
import type { UnreadBody } from "../runtime/invocation/invocation.ts";
import { isObject } from "../runtime/text.ts";
import type { variableOptions } from "./options/container.ts";
import type { InvocationOptions } from "./options/invocation.ts";
import type { Values } from "./options/option.ts";

/**
 * Returns the body from a file, or from standard input (no file, or `-`). The argument can also be JSON
 * instead of a file.
 *
 * @param command that sends the body, for hints.
 */
export function requestBody(
  context: Context,
  { file, contentType }: InvocationOptions,
  command: string,
): UnreadBody {
  const isFile = file !== undefined && file !== "-";
  const ownType = isFile && !isJson(file) ? typeOfFile(file) : undefined;
  return {
    pieces: isFile
      ? fileInput(context, file, command)
      : standardInput(context, `${command} rows.csv`),
    contentType: contentType ?? ownType,
    onHeading: () => {
      const rest = `Skip it: tail -n +2 ${shellWord(isFile ? file : "rows.csv")}`;
      context.messages.warning(HEADING, `${rest} | ${command} --content-type text/csv`);
    },
  };
}

/** Whether a text is JSON that could be a request, and not the name of a file. */
function isJson(text: string): boolean {
  try {
    return isObject(JSON.parse(text)) || text.startsWith("[");
  } catch {
    return false;
  }
}

const HEADING = "The first line looks like a header row, but the model receives it as data";

async function* fileInput(
  { cwd, input }: Context,
  file: string,
  command: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    const path = absolutePath(cwd, file);
    if ((await Deno.stat(path)).isDirectory) throw new Error("it is a directory");
    yield* input.readFile(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) {
      throw new UsageError(`Cannot read ${file}: ${fileErrorReason(cause)}`, { cause });
    }
    if (isJson(file)) return yield new TextEncoder().encode(file);
    // Such as 72,3,15: what no file is called.
    const hint = /^\s*[[{]/.test(file)
      ? "Pass the path of a file, or valid JSON"
      : /^[^/\\]*[\s,][^/\\]*$/.test(file)
      ? `If this is the request itself, pipe it: echo ${shellWord(file)} | ${command}`
      : undefined;
    throw new UsageError(`Cannot read ${file}: no such file`, { cause, hint });
  }
}

function standardInput({ input }: Context, example: string): AsyncIterable<Uint8Array> {
  if (!input.isTerminal) return input.read();
  throw new UsageError("Missing request body", {
    hint: `Pass a file (${example}), or pipe the request body to standard input`,
  });
}

/**
 * Returns the user's variables. Later ones win: the configuration file, `--env-file`, `--env`.
 *
 * @throws UsageError when a file or a line in it cannot be used, or a variable has no value; MlcliError
 * when a link of the repository leads to a file elsewhere.
 */
export async function userVariables(
  { env: given, envFile }: Values<typeof variableOptions>,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<Variables> {
  const files: GivenVariable[] = [];
  for (const path of envFile) files.push(...await variablesIn(path, cwd));
  const [own, typed] = [true, false].map((isFile) =>
    given.filter(({ from }) => (from === "file") === isFile).map(({ value }) => value)
  );
  return valuesOfGiven([...own!, ...files, ...typed!], env);
}

async function variablesIn(path: string, cwd: string): Promise<readonly GivenVariable[]> {
  const text = await readTextFile(absolutePath(cwd, path), LARGEST_TEXT).catch((error) => {
    throw cannotUse(path, fileErrorReason(error), error);
  });
  // Deno replaces what is not UTF-8 by this character: the code would get another value.
  if (text.includes("\uFFFD")) throw cannotUse(path, "it is not UTF-8 text");
  return variablesInFile(text, path);
}

function cannotUse(path: string, reason: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot read ${path} (--env-file): ${reason}`, {
    hint: fileErrorHint(cause) ?? "Pass a text file with NAME=VALUE on each line",
    cause,
  });
}
