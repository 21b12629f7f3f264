/**
 * `mlcli local invoke`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { checkMediaType, parsePort, parseSeconds } from "../options.ts";
import { withServerPort } from "./container_options.ts";
import type { InvokeOptions } from "./invoke_action.ts";

interface Options extends Omit<InvokeOptions, "port" | "timeout"> {
  readonly port: string;
  readonly timeout: string;
}

/** Sends a request to a server. */
export function invokeCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description(
      "Send a file, or standard input, to the server's /invocations, and print its answer.",
    )
    .arguments("[file:file]");
  return withServerPort(command)
    .option(
      "--content-type <type:string>",
      "Type of what is sent. Without it: by the file's name, or how standard input begins.",
    )
    .option("--accept <type:string>", "Type that the answer is to have.")
    .option("--timeout <seconds:string>", "How long the answer may take; as on the platform.", {
      default: "60",
    })
    .example("Ask for the predictions of a file's rows", "mlcli local invoke rows.csv")
    .example("Ask for one", "echo 72,3,15 | mlcli local invoke --accept application/json")
    .action(async (options: Options, file?: string) => {
      const { contentType, accept } = options;
      const request = {
        contentType: contentType && checkMediaType("--content-type", contentType),
        accept: accept && checkMediaType("--accept", accept),
        port: parsePort(options.port),
        timeout: parseSeconds("--timeout", options.timeout),
      };
      const { sendRequest } = await import("./invoke_action.ts");
      await sendRequest(context, request, file);
    });
}
