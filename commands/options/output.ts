/**
 * The option that chooses how results are printed.
 *
 * @module
 */

import { options } from "./option.ts";

/** For a reader, or for another program. */
export const outputFormat = options({
  "--output": {
    value: "format",
    choices: ["text", "json"],
    description: "Output format: text or json.",
    default: "text",
    variable: "MLCLI_OUTPUT",
  },
});
