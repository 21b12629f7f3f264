/**
 * What the commands that send something to a model have in common: where the body comes from.
 *
 * @module
 */

import { requireNamed } from "../runtime/app/named_path.ts";
import { absolutePath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { typeOfFile } from "../runtime/contract/invocations.ts";
import { fileErrorReason, UsageError } from "../runtime/errors.ts";
import type { UnreadBody } from "../runtime/invocation/request_body.ts";
import type { InvocationOptions } from "./options/invocation.ts";

/**
 * A file, or standard input (no file, or `-`).
 *
 * @param example a command line that names a file, for who gives nothing.
 */
export function requestBody(
  context: Context,
  { file, contentType }: InvocationOptions,
  example: string,
): UnreadBody {
  if (file === undefined || file === "-") {
    return { pieces: standardInput(context, example), contentType };
  }
  return { pieces: fileInput(context, file), contentType: contentType ?? typeOfFile(file) };
}

async function* fileInput(
  { cwd, input }: Context,
  file: string,
): AsyncGenerator<Uint8Array, void, void> {
  await requireNamed(cwd, file, "");
  try {
    const path = absolutePath(cwd, file);
    if ((await Deno.stat(path)).isDirectory) throw new Error("it is a directory");
    yield* input.readFile(path);
  } catch (cause) {
    const isMissing = cause instanceof Deno.errors.NotFound;
    const reason = isMissing ? "no such file" : fileErrorReason(cause);
    throw new UsageError(`Cannot read ${file}: ${reason}`, { cause });
  }
}

function standardInput({ input }: Context, example: string): AsyncIterable<Uint8Array> {
  if (!input.isTerminal) return input.read();
  throw new UsageError("Nothing to send", {
    hint: `Name a file (${example}), or pipe the request's body in.`,
  });
}
