/**
 * The options that give environment variables to the user's code.
 *
 * @module
 */

import { ownVariable } from "../../runtime/contract/own_variables.ts";
import { options } from "./option.ts";

/** Of every command that runs the user's code; `runtime/variable_files.ts` reads the files. */
export const variableOptions = options({
  "--env": {
    value: "variable",
    description: "NAME=VALUE for your code, or NAME for its value here. May be repeated.",
    repeatable: true,
    parse: ownVariable,
  },
  "--env-file": {
    value: "file",
    description: "File with a variable on each line, as docker run takes it. May be repeated.",
    repeatable: true,
    completion: "file",
  },
});
