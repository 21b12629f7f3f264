/**
 * The options of commands that send a request to a model.
 *
 * @module
 */

import { options, type Values } from "./option.ts";
import { parseMediaType } from "./parsers.ts";

/** What is sent. */
export const requestFile = options({ "[file]": { completion: "file" } });

/** As what it is sent, and what is to come back. */
export const mediaTypes = options({
  "--content-type": {
    value: "type",
    description:
      "Media type of the request. Default: told from the file's name, or how the input begins.",
    parse: parseMediaType,
  },
  "--accept": {
    value: "type",
    description: "Media type to answer in, such as application/json.",
    parse: parseMediaType,
  },
});

/** What a command gets from both. */
export type InvocationOptions =
  & Values<typeof requestFile>
  & Pick<Values<typeof mediaTypes>, "contentType">;
