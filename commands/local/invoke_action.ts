/**
 * What `mlcli local invoke` does.
 *
 * @module
 */

import { invoke } from "../../runtime/local/server/invoke.ts";
import type { Context } from "../../runtime/context.ts";
import { endAnswer, requestBody } from "../request_body.ts";
import type { InvokeOptions } from "./invoke.ts";

/** Sends a file, or standard input (no file, or `-`), and prints the answer. */
export async function invokeAction(context: Context, options: InvokeOptions): Promise<void> {
  const { port, accept, timeout } = options;
  const body = requestBody(context, options, "mlcli local invoke rows.csv");
  endAnswer(context, await invoke({ port, accept, timeout, body }, context));
}
