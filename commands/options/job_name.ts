/**
 * The options of every command about one job on SageMaker.
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
    description: "Only jobs of this kind, train or process.",
  },
});

/** A job, and where it is. */
export const jobName = options({
  "<name>": {},
  ...jobKind,
  ...cloudOptions,
});
