/**
 * The options that choose an app and its image.
 *
 * @module
 */

import { options } from "./option.ts";
import { parseTag } from "./parsers.ts";

/** The app that a command works on. */
export const appName = options({
  "--app-name": {
    short: "-a",
    value: "name",
    description: "App to work on; needed only if this directory has several.",
    completion: "app",
    variable: "MLCLI_APP_NAME",
  },
});

/** Only the server of this app: a condition, which is to be said each time. */
export const serverOf = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Only if the server is this app's.",
    variable: undefined,
  },
});

/** The tag of the app's image. */
export const dockerTag = options({
  "--docker-tag": {
    short: "-t",
    value: "tag",
    description: "Tag of the image.",
    default: "latest",
    completion: "image-tag",
    variable: "MLCLI_DOCKER_TAG",
    parse: parseTag,
  },
});
