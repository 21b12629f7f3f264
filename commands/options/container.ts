/**
 * The options of every command that starts a container.
 *
 * @module
 */

import { appName, dockerTag } from "./app.ts";
import { options } from "./option.ts";
import { parseMemory } from "./parsers.ts";

/** Which image the container is made of, and what it may do. */
export const containerOptions = options({
  ...dockerTag,
  ...appName,
  "--memory": {
    value: "size",
    description: "Memory limit, such as 512m or 2g.",
    parse: parseMemory,
  },
  "--allow-privileges": {
    description: "Let programs of the image gain privileges, as sudo does.",
  },
});
