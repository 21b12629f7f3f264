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
    description: "Print the result, warnings and errors alone.",
  },
  "--progress": {
    value: "form",
    choices: ["auto", "plain"],
    description: "How it is shown, auto or plain: plain is line by line, as in a pipe.",
    default: "auto",
  },
});
