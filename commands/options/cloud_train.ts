/**
 * The options of `mlcli train`, and the keys of the object `train` in the configuration file.
 *
 * @module
 */

import { cloudJobOptions, instanceOptions } from "./cloud_job.ts";
import { parseAddress, parseChannelAddress, parseRun } from "./job_parsers.ts";
import { options } from "./option.ts";

/** Of `mlcli train`. */
export const TRAIN_OPTIONS = options({
  "--input-s3-dir": {
    short: "-i",
    value: "uri",
    description: "[CHANNEL=]s3://BUCKET/PREFIX, the data; the channel is training if none is " +
      "named. May be repeated.",
    repeatable: true,
    key: true,
    needed: true,
    parse: parseChannelAddress,
  },
  "--output-s3-dir": {
    short: "-o",
    value: "uri",
    description: "Where the artifact goes, in JOB/output/. Default: {s3_prefix}/output.",
    key: true,
    parse: parseAddress,
  },
  ...instanceOptions("train"),
  "--hyperparameter": {
    value: "pair",
    description: "KEY=VALUE; overrides input/config/hyperparameters.json. May be repeated.",
    repeatable: true,
    key: true,
  },
  "--spot": { description: "Run on spot instances: cheaper, but may be interrupted.", key: true },
  "--max-wait": {
    value: "seconds",
    description: "With --spot, how long it may wait and run. Default: --max-run.",
    key: true,
    parse: parseRun("train"),
  },
  "--checkpoint-s3-dir": {
    value: "uri",
    description: "Where /opt/ml/checkpoints is saved, and restored from.",
    key: true,
    parse: parseAddress,
  },
  ...cloudJobOptions,
});
