/** The options that every command has, and those of `mlcli` itself. */

import { each, options } from "./option.ts";

/** Of every command. */
export const help = options({
  "--help": { group: "Global", short: "-h", description: "Show this help" },
});

/** Of `mlcli` alone. */
export const version = options({
  "-V, --version": {
    group: "Global",
    description: "Show the version (with --output json, as JSON)",
  },
});

/**
 * Of every command, for the help and the completions: `cliffy/command_line.ts` takes them out of the
 * command line before the rest is read, since streams and context depend on them.
 */
export const everywhere = options({
  ...each({ group: "Global", rare: true }, {
    "-C, --directory DIR": {
      description: "Run as if started in DIR, like git -C",
      path: "typed",
    },
    "--no-color": { description: "Print without colour (also: NO_COLOR=1)" },
    "--debug": {
      description: "Show stack traces and the source of AWS credentials (also: MLCLI_DEBUG=1)",
    },
  }),
});
