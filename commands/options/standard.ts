/** The options that every command has, and those of `mlcli` itself. */

import { options } from "./option.ts";

/** Of every command. */
export const help = options({ "--help": { short: "-h", description: "Show this help." } });

/** Of `mlcli` alone. */
export const version = options({
  "--version": { short: "-V", description: "Show the version." },
});

/**
 * Before any command, for those that take it: `dockerTag` of `options/shared.ts`, without what it would
 * load.
 */
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
 * Of every command, for the help and the completions alone: they are taken out of the command line
 * (`cliffy/command_line.ts`) before the rest is read, since the streams, and what the command may touch,
 * have to know of them before.
 */
export const everywhere = options({
  "--directory": {
    value: "dir",
    description: "Run as if started in DIR, as git -C does.",
    completion: "file",
  },
  "--no-color": { description: "Print without colour, as with NO_COLOR set." },
});
