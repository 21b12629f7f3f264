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
      "Type of what is sent. Without it: by the file's name, or how standard input begins.",
    parse: parseMediaType,
  },
  "--accept": {
    value: "type",
    description: "Type that the answer is to have.",
    parse: parseMediaType,
  },
});

/** What a command gets from both. */
export type InvocationOptions =
  & Values<typeof requestFile>
  & Pick<Values<typeof mediaTypes>, "contentType">;
