/** The options that every command has, and those of `mlcli` itself. */

import { options } from "./option.ts";

/** Of every command. */
export const help = options({ "--help": { short: "-h", description: "Show this help." } });

/** Of `mlcli` alone. */
export const version = options({
  "--version": { short: "-V", description: "Show the version; --output json for programs." },
});

/**
 * Of every command, for the help and the completions: `cliffy/command_line.ts` takes them out of the
 * command line before the rest is read, since streams and context depend on them.
 */
export const everywhere = options({
  "--directory": {
    short: "-C",
    value: "dir",
    description: "Run as if started in DIR, as git -C does.",
    path: "typed",
  },
  "--no-color": { description: "Print without colour, as with NO_COLOR set." },
  "--debug": {
    description:
      "Print where an error happened, and where AWS credentials came from (MLCLI_DEBUG=1).",
  },
});
