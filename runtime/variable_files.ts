/**
 * The environment variables that the user gives to the code, by options and in files.
 *
 * @module
 */

import { requireNamed } from "./app/named_path.ts";
import { absolutePath } from "./app/typed_path.ts";
import type { Context } from "./context.ts";
import {
  type OwnVariable,
  ownVariablesIn,
  valuesOfOwn,
  type Variables,
} from "./contract/variables.ts";
import { fileErrorReason, UsageError } from "./errors.ts";
import { LARGEST_TEXT, readTextFile } from "./files.ts";
import { fileErrorHint } from "./system_errors.ts";

/** The values of `--env` and `--env-file`. */
export interface VariableOptions {
  readonly env: readonly OwnVariable[];
  /** Paths as the user typed them. */
  readonly envFile: readonly string[];
}

/**
 * The user's variables. Later ones win, and those of options over those of files.
 *
 * @throws UsageError when a file or a line in it cannot be used, or a variable has no value; MlcliError
 * when a link of the repository leads to a file elsewhere.
 */
export async function ownVariables(
  { env: given, envFile }: VariableOptions,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<Variables> {
  const files: OwnVariable[] = [];
  for (const path of envFile) files.push(...await variablesIn(path, cwd));
  return valuesOfOwn([...files, ...given], env);
}

async function variablesIn(path: string, cwd: string): Promise<readonly OwnVariable[]> {
  const text = await textOf(path, cwd);
  // Deno reads what is not UTF-8 as this letter: the code would get another value.
  if (text.includes("\uFFFD")) throw cannotUse(path, "Is not UTF-8 text");
  return ownVariablesIn(text, path);
}

async function textOf(path: string, cwd: string): Promise<string> {
  await requireNamed(cwd, path, "--env-file ");
  try {
    return await readTextFile(absolutePath(cwd, path), LARGEST_TEXT);
  } catch (error) {
    throw cannotUse(path, fileErrorReason(error), error);
  }
}

function cannotUse(path: string, reason: string, cause?: unknown): UsageError {
  return new UsageError(`${path} cannot be read (--env-file): ${reason}`, {
    hint: fileErrorHint(cause) ?? "It is a text file with NAME=VALUE on each line.",
    cause,
  });
}
