/**
 * The options of every command that starts a container.
 *
 * @module
 */

import { appName, dockerTag } from "./app.ts";
import { options } from "./option.ts";
import { parseMemory, parseSeconds } from "./parsers.ts";
import { variableOptions } from "./variables.ts";

/** Which image the container is made of, what it may do, and what its code is told. */
export const containerOptions = options({
  ...dockerTag,
  ...appName,
  ...variableOptions,
  "--memory": {
    value: "size",
    description: "Memory limit, such as 512m or 2g.",
    parse: parseMemory,
  },
  "--allow-privileges": {
    description: "Let programs of the image gain privileges, as sudo does.",
  },
  "--strict": {
    description:
      "Give it what the platform gives and no more, and fail for what would differ there.",
  },
});

/** The same, of a job that runs to its end. */
export const jobOptions = options({
  ...containerOptions,
  "--grace": {
    value: "seconds",
    description: "From SIGTERM to SIGKILL when it is stopped. Without it: 10, with --strict 120.",
    parse: parseSeconds,
  },
  "--network-isolation": {
    description: "Run without a network, as the platform does where it is asked to.",
  },
});
