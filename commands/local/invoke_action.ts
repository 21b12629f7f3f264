/**
 * What `mlcli local invoke` does.
 *
 * @module
 */

import { invoke } from "../../runtime/local/server/invoke.ts";
import { stalenessOn } from "../../runtime/local/server/staleness.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import type { Context } from "../../runtime/context.ts";
import { requestHeaders } from "../options/invocation_parsers.ts";
import { requestBody } from "../named_files.ts";
import type { InvokeOptions } from "./invoke.ts";
import { staleText } from "./stale_text.ts";

/** Sends a file, or standard input (no file, or `-`), and prints the answer. */
export async function invokeAction(context: Context, options: InvokeOptions): Promise<void> {
  const { port, accept, stream, timeout } = options;
  const body = requestBody(context, options, "mlcli local invoke rows.csv");
  const headers = requestHeaders(options.header);
  const note = (text: string): void => tell(context.err, noteText(text));
  const answer = invoke({ port, accept, headers, stream, timeout, body }, context, note);
  const stale = await stalenessOn(port, context, answer);
  if (stale !== undefined && !context.interruption.signal.aborted) {
    // Below the answer; with a request that fails, too, since that may be why.
    await answer.catch(() => {});
    note(`stale: ${staleText(stale, port, context.clock.date())}`);
  }
  await answer;
}
