/** `--directory DIR`: runs a command in another directory. */

import { relative } from "@std/path/relative";
import { requireNamed } from "../runtime/app/named_path.ts";
import { absolutePath, shellWord } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { fileErrorReason, MlcliError, type NoAppHere, UsageError } from "../runtime/errors.ts";
import { mayHoldSecret } from "./usage.ts";

/**
 * The same context in another directory, which paths on the command line are relative to.
 *
 * @throws UsageError if there is no such directory; MlcliError if a link of a repository leads elsewhere.
 */
export async function inDirectory<C extends Pick<Context, "cwd">>(
  context: C,
  typed: string,
): Promise<C> {
  await requireNamed(context.cwd, typed);
  try {
    // Without links, as the system names a current directory.
    const cwd = await Deno.realPath(absolutePath(context.cwd, typed));
    if ((await Deno.stat(cwd)).isDirectory) return { ...context, cwd };
  } catch (error) {
    const message = error instanceof Deno.errors.NotFound
      ? `Directory "${typed}" (--directory) does not exist`
      : `Cannot open "${typed}" (--directory): ${fileErrorReason(error)}`;
    throw new UsageError(message, { cause: error });
  }
  throw new UsageError(`"${typed}" (--directory) is not a directory`);
}

/**
 * The same error with a hint to paste: the command for the directory above that holds an app.
 *
 * @param cwd where the command was typed.
 */
export function withCommandAbove(
  error: NoAppHere,
  { words, rest }: { readonly words: readonly string[]; readonly rest: readonly string[] },
  cwd: string,
): MlcliError {
  if (error.above === undefined) return error;
  const directory = relative(cwd, error.above);
  const place = directory === "" ? [] : ["--directory", directory];
  const typed = mayHoldSecret(words)
    ? ["..."]
    : [...words, ...rest.length === 0 ? [] : ["--", ...rest]].map(shellWord);
  const command = ["mlcli", ...place.map(shellWord), ...typed].join(" ");
  return new MlcliError(error.message, { hint: `Run this instead: ${command}`, cause: error });
}
