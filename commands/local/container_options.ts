/**
 * The options that several local commands have.
 *
 * @module
 */

import type { AnyCommand } from "../command.ts";
import { DEFAULT_PORT } from "../options.ts";

/** Adds what every command that starts a container takes (`ContainerOptions`). */
export function withContainerOptions(command: AnyCommand): AnyCommand {
  return command
    .option(
      "-a, --app-name <name:string:app>",
      "Name of the app. Found by itself when there is one.",
    )
    .option("--memory <size:string>", "Memory limit, such as 512m or 2g.")
    .option("--allow-privileges", "Let programs of the image gain privileges, as sudo does.");
}

/** Adds the option that chooses a server. */
export function withServerPort(command: AnyCommand): AnyCommand {
  return command.option("-p, --port <port:string:server-port>", "Port of the deployment.", {
    default: DEFAULT_PORT,
  });
}
