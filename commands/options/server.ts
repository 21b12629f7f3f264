/**
 * The option that chooses a server.
 *
 * @module
 */

import { options } from "./option.ts";
import { parsePort } from "./parsers.ts";

/** Where `local deploy` serves without `--port`. */
export const DEFAULT_PORT = "8080";

/** The server on a port of this machine. */
export const serverPort = options({
  "--port": {
    short: "-p",
    value: "port",
    description: "Port of the server.",
    default: DEFAULT_PORT,
    completion: "server-port",
    variable: "MLCLI_PORT",
    parse: parsePort,
  },
});
