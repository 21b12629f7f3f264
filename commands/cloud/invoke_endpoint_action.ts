import { invokeEndpoint } from "../../runtime/cloud/invoke_endpoint.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import { shellWord } from "../../runtime/text.ts";
import type { Context } from "../../runtime/context.ts";
import { invocationFields } from "../options/invocation.ts";
import { requestBody } from "../named_files.ts";
import type { InvokeEndpointOptions } from "./invoke_endpoint.ts";

/** Sends a file, or standard input (no file, or `-`), to an endpoint and prints the answer. */
export async function invokeEndpointAction(
  context: Context,
  options: InvokeEndpointOptions,
): Promise<void> {
  const command = `mlcli invoke-endpoint -n ${shellWord(options.endpointName)}`;
  const invocation = {
    ...options,
    body: requestBody(context, options, command),
    fields: invocationFields(options),
  };
  const note = (text: string): void => tell(context.err, noteText(text));
  await invokeEndpoint(invocation, context, note);
}
