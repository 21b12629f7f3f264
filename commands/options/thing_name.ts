/**
 * The options of every command about one job or endpoint on SageMaker, known by its name.
 *
 * @module
 */

import { cloudOptions } from "./cloud.ts";
import { options } from "./option.ts";

/** The kinds of jobs. */
export const jobKind = options({
  "--kind": {
    value: "kind",
    choices: ["train", "process"],
    description: "Only jobs of this kind: train or process.",
  },
});

/** A job or an endpoint, and where it is. */
export const thingName = options({
  "<name>": {},
  "--kind": {
    value: "kind",
    choices: ["train", "process", "endpoint"],
    description: "What it is, if several have that name: train, process or endpoint.",
  },
  ...cloudOptions,
});
