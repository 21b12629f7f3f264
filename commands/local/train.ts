import { type Command, command } from "../command.ts";
import { pipOptions, programOptions } from "../options/program.ts";
import { jobOptions, parseInput, type TypedChannel } from "../options/container.ts";
import { hostOptions } from "../options/hosts.ts";
import { options, type Values } from "../options/option.ts";
import { parseSeconds } from "../options/parsers.ts";

const OPTIONS = options({
  "[-- args...]": {},
  ...jobOptions,
  ...programOptions,
  "--hyperparameter": {
    value: "pair",
    description: "KEY=VALUE; overrides input/config/hyperparameters.json. May be repeated.",
    repeatable: true,
  },
  "--input": {
    short: "-i",
    value: "channel",
    description: "CHANNEL=DIR: directory to use instead of the one in input/data. May be repeated.",
    repeatable: true,
    path: ({ directory }: TypedChannel) => directory,
    parse: parseInput,
  },
  "--copy-inputs": {
    description: "Give the run a copy of the data, which it may write to, as on SageMaker.",
  },
  "--stop-after": {
    value: "seconds",
    description: "Rehearse a stop: send SIGTERM after this time, with SageMaker's 120 s to end.",
    parse: parseSeconds,
  },
  "--watch": {
    description: "Stay, and train again after each edit of the code, the data or hyperparameters.",
  },
  "--dry-run": {
    description: "Print the container that would run, as JSON, and change nothing.",
  },
  ...pipOptions,
  ...hostOptions,
  "--checkpoints": {
    description: "Keep /opt/ml/checkpoints in test_dir/checkpoints/, as --stop-after does.",
  },
});

export type TrainDeclaration = typeof OPTIONS;

export type TrainOptions = Values<TrainDeclaration>;

export const trainCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Train on the test data", "mlcli local train"],
    ["Try other hyperparameters", "mlcli local train --hyperparameter epochs=20"],
    ["See what a stop after a minute saves", "mlcli local train --stop-after 60"],
    ["Train on two hosts, as on SageMaker", "mlcli local train --instance-count 2"],
    ["Train exactly as on SageMaker, for CI", "mlcli local train --strict"],
    [
      "Train your own script on an image that exists",
      "mlcli local train --image team/torch:2 --entry-point train.py",
    ],
    ["Train on data elsewhere", "mlcli local train --input training=/data/my_flats"],
  ],
  action: async () => (await import("./train_action.ts")).trainAction,
});
