/**
 * The options of commands that take a while: how they show it.
 *
 * @module
 */

import { options } from "./option.ts";

/** What stands on standard error while it goes on. */
export const progressOptions = options({
  "--quiet": {
    short: "-q",
    description: "Print only the result, warnings and errors.",
  },
  "--progress": {
    value: "form",
    choices: ["auto", "plain"],
    description: "How to show progress: auto, or plain, line by line as in a pipe.",
    default: "auto",
  },
});
