/**
 * `mlcli list-endpoints`
 *
 * @module
 */

import { Command, EnumType } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { AnyCommand } from "./command.ts";
import type { ListOptions } from "./list_endpoints_action.ts";
import { withPlatformOptions } from "./platform_options.ts";

/** Lists the endpoints of an account and region. */
export function listEndpointsCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("List the inference endpoints of the account and region, newest first.")
    .type("format", new EnumType(["text", "json"]));
  return withPlatformOptions(command)
    .option("--status <status:string>", "Only those in this status: InService, Failed, ...")
    .option("--name-contains <text:string>", "Only those with this text in their name.")
    .option("--output <format:format>", "Output format, text or json.", { default: "text" })
    .example("List the endpoints in another region", "mlcli list-endpoints --region eu-west-1")
    .example(
      "List the failed ones for another program",
      "mlcli list-endpoints --status Failed --output json",
    )
    .action(async (options: ListOptions) => {
      const { listEndpoints } = await import("./list_endpoints_action.ts");
      await listEndpoints(context, options);
    });
}
