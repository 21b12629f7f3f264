/**
 * `mlcli doctor`
 *
 * @module
 */

import { Command, EnumType } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { AnyCommand } from "./command.ts";
import type { DoctorOptions } from "./doctor_action.ts";
import { checkTag } from "./options.ts";
import { withPlatformOptions } from "./platform_options.ts";

/** Checks what mlcli needs. */
export function doctorCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description(
      "Check what mlcli needs: the Docker Engine, the app, its image, the port. Says what to do " +
        "about each finding, and ends with 1 when something stands in the way.",
    )
    .type("format", new EnumType(["text", "json"]))
    .option("-t, --docker-tag <tag:string:image-tag>", "Tag of the image.", { default: "latest" })
    .option("--cloud", "Check credentials and region too: asks the cloud service.");
  return withPlatformOptions(command)
    .option("--output <format:format>", "Output format, text or json.", { default: "text" })
    .example("Check this machine and the app of this directory", "mlcli doctor")
    .example("Check the way to the platform too", "mlcli doctor --cloud --region eu-west-1")
    .action(async (options: DoctorOptions) => {
      checkTag(options.dockerTag);
      const { runDoctor } = await import("./doctor_action.ts");
      await runDoctor(context, options);
    });
}
