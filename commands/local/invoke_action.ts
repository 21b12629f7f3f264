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
import type { InvokeOptions } from "./invoke.ts";

const NEWLINE = 10;

/** Sends a file, or standard input (no file, or `-`), and prints the answer. */
export async function invokeAction(context: Context, options: InvokeOptions): Promise<void> {
  const { file, port, accept, timeout } = options;
  const isNamed = file !== undefined && file !== "-";
  const last = await invoke({
    port,
    contentType: options.contentType ?? (isNamed ? typeOfFile(file) : undefined),
    accept,
    timeout,
    body: isNamed ? fileInput(context, file) : standardInput(context),
  }, context);
  // The answer is printed as it is; the next prompt belongs on a line of its own.
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
