/**
 * The options of `mlcli process`, and the keys of the object `process` in the configuration file.
 *
 * @module
 */

import { cloudJobOptions, instanceOptions } from "./cloud_job.ts";
import { parseAddress } from "./job_parsers.ts";
import { options } from "./option.ts";

/** Of `mlcli process`. */
export const PROCESS_OPTIONS = options({
  "[-- args...]": {},
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/, as the image has it.",
    key: true,
    needed: true,
    completion: "script",
  },
  "--input-s3-location": {
    short: "-i",
    value: "uri",
    description: "The data, which becomes /opt/ml/processing/input. Default: none.",
    key: true,
    parse: parseAddress,
  },
  "--output-s3-location": {
    short: "-o",
    value: "uri",
    description: "Where /opt/ml/processing/output goes. Default: {s3_prefix}/output/JOB.",
    key: true,
    parse: parseAddress,
  },
  ...instanceOptions("process"),
  "--input-sharded": {
    description: "Give each instance a share of the objects, instead of all of them.",
    key: true,
  },
  ...cloudJobOptions,
});
