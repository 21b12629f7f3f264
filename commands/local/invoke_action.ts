/**
 * What `mlcli local invoke` does.
 *
 * @module
 */

import { join } from "@std/path/join";
import { isAbsolute } from "@std/path/is-absolute";
import { typeOfFile } from "../../runtime/contract/media_types.ts";
import { invoke } from "../../runtime/local/server/invoke.ts";
import type { Context } from "../../runtime/context.ts";
import { fileErrorReason, UsageError } from "../../runtime/errors.ts";

/** Options of `local invoke`. */
export interface InvokeOptions {
  readonly port: number;
  readonly contentType?: string;
  readonly accept?: string;
  readonly timeout: number;
}

const NEWLINE = 10;

/**
 * Sends what the user named and prints the answer.
 *
 * @param file its path as typed; undefined, or `-`, is standard input.
 */
export async function sendRequest(
  context: Context,
  options: InvokeOptions,
  file: string | undefined,
): Promise<void> {
  // A server need not take all of what is sent, nor a pipe give what is read.
  context.abandon();
  const isNamed = file !== undefined && file !== "-";
  const last = await invoke({
    ...options,
    contentType: options.contentType ?? (isNamed ? typeOfFile(file) : undefined),
    accept: options.accept,
    body: isNamed ? fileInput(context, file) : standardInput(context),
  }, context);
  // The answer stays as it is; but the next prompt belongs on a line of its own.
  if (context.out.isTerminal && context.err.isTerminal && last !== NEWLINE) context.err.print("\n");
}

async function* fileInput(
  { cwd, input }: Context,
  file: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    const path = isAbsolute(file) ? file : join(cwd, file);
    if ((await Deno.stat(path)).isDirectory) throw new Error("it is a directory");
    yield* input.readFile(path);
  } catch (cause) {
    const isMissing = cause instanceof Deno.errors.NotFound;
    const reason = isMissing ? "no such file" : fileErrorReason(cause);
    throw new UsageError(`Cannot read ${file}: ${reason}`, { cause });
  }
}

function standardInput({ input }: Context): AsyncIterable<Uint8Array> {
  if (!input.isTerminal) return input.read();
  throw new UsageError("Nothing to send", {
    hint: "Name a file (mlcli local invoke rows.csv), or pipe the request's body in.",
  });
}
