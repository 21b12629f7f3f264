/** The options that every command has, and those of `mlcli` itself. */

import { options } from "./option.ts";

/** Of every command. */
export const help = options({ "--help": { short: "-h", description: "Show this help." } });

/** Of `mlcli` alone. */
export const version = options({
  "--version": { short: "-V", description: "Show the version; --output json for programs." },
});

/** Of `mlcli --version`. No variable gives it: scripts read the line. */
export const versionFormat = options({
  "--output": {
    value: "format",
    choices: ["text", "json"],
    description: "Format of --version: text or json.",
    default: "text",
  },
});

/** `dockerTag` of `options/shared.ts` before any command; without its parser, which would be loaded. */
export const earlyTag = options({
  "--docker-tag": {
    short: "-t",
    value: "tag",
    description: "Tag of the image; may also follow the command.",
    default: "latest",
    completion: "image-tag",
  },
});

/**
 * Of every command, for the help and the completions: `cliffy/command_line.ts` takes them out of the
 * command line before the rest is read, since streams and context depend on them.
 */
export const everywhere = options({
  "--directory": {
    value: "dir",
    description: "Run as if started in DIR, as git -C does.",
    completion: "file",
  },
  "--no-color": { description: "Print without colour, as with NO_COLOR set." },
});
