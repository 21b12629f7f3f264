/**
 * The options that give environment variables to the user's code.
 *
 * @module
 */

import { ownVariable } from "../../runtime/contract/variables.ts";
import { options } from "./option.ts";

/** Of every command that runs the user's code; `runtime/variable_files.ts` reads the files. */
export const variableOptions = options({
  "--env": {
    value: "variable",
    description:
      "Environment variable for your code: NAME=VALUE, or NAME for the value that it has here. May be repeated.",
    repeatable: true,
    parse: ownVariable,
  },
  "--env-file": {
    value: "file",
    description: "File with NAME=VALUE on each line, as docker run takes it. May be repeated.",
    repeatable: true,
    completion: "file",
  },
});
