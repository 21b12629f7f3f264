/**
 * The `local` group: everything that runs in containers on this machine.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { type AnyCommand, groupCommand } from "../command.ts";
import { deployCommand } from "./deploy.ts";
import { invokeCommand } from "./invoke.ts";
import { logsCommand } from "./logs.ts";
import { processCommand } from "./process.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { trainCommand } from "./train.ts";

/** `mlcli local` with its commands. */
export function localCommand(context: Context): AnyCommand {
  return groupCommand(context)
    .description("Train, serve and process in containers on this machine, as the platform does.")
    .globalOption("-t, --docker-tag <tag:string:image-tag>", "Tag of the image.", {
      default: "latest",
    })
    .command("train", trainCommand(context))
    .command("deploy", deployCommand(context))
    .command("process", processCommand(context))
    .command("invoke", invokeCommand(context))
    .command("stop", stopCommand(context))
    .command("status", statusCommand(context))
    .command("logs", logsCommand(context));
}
