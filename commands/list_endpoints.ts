/**
 * `mlcli list-endpoints`
 *
 * @module
 */

import { Command, EnumType } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import { checkNamePart } from "../runtime/platform/names.ts";
import type { EndpointFilter } from "../runtime/platform/platform.ts";
import { regionWords } from "../runtime/platform/settings.ts";
import type { AnyCommand } from "./command.ts";
import { type EndpointFormat, jsonFormat, textFormat } from "./endpoint_formats.ts";
import { type CloudOptions, openPlatform, withPlatformOptions } from "./platform_options.ts";

interface Options extends CloudOptions, EndpointFilter {
  readonly output: "text" | "json";
}

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
    .action((options: Options) => listEndpoints(context, options));
}

async function listEndpoints(context: Context, options: Options): Promise<void> {
  const { status, nameContains } = options;
  if (nameContains !== undefined) checkNamePart(nameContains);
  const platform = await openPlatform(context, options);
  const format: EndpointFormat = options.output === "json" ? jsonFormat() : textFormat();
  const write = (text: string) => context.out.write(new TextEncoder().encode(text));
  let count = 0;
  for await (const page of platform.listEndpoints({ status, nameContains })) {
    count += page.length;
    await write(format.page(page));
  }
  await write(format.end());
  if (count === 0 && context.err.isTerminal) {
    // The usual cause is a wrong region.
    context.err.print(`0 endpoints in ${regionWords(platform.region)}\n`);
  }
}
