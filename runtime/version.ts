/** The version of mlcli, as in deno.json. */
import configuration from "../deno.json" with { type: "json" };

export const VERSION: string = configuration.version;
