import { absolutePath } from "../../runtime/app/typed_path.ts";
import { jsonText } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
import { pipOptions, programOptions } from "../options/program.ts";
import { jobOptions, parseInput, type TypedChannel } from "../options/container.ts";
import { hostOptions, hostsOf } from "../options/hosts.ts";
import { options } from "../options/option.ts";
import { parseTimeLimit } from "../options/parsers.ts";

const OPTIONS = options({
  "[-- args...]": {},
  "--hyperparameter KEY=VALUE...": {
    description: "Override a hyperparameter of input/config/hyperparameters.json (repeatable)",
  },
  "-i, --input CHANNEL=DIR...": {
    description: "Use DIR as the data of CHANNEL, instead of input/data/CHANNEL (repeatable)",
    path: ({ directory }: TypedChannel) => directory,
    parse: parseInput,
  },
  "--stop-after DURATION": {
    group: "Failure rehearsal",
    description:
      "Stop the run like SageMaker after this time: with SIGTERM, and with SIGKILL 120 s " +
      "later",
    parse: parseTimeLimit,
  },
  "--watch": {
    description: "Retrain whenever the code, the data or the hyperparameters change",
    excludes: ["--strict", "--interactive", "--stop-after", "--instance-count"],
  },
  "--dry-run": {
    description: "Print the settings of the container as JSON, without running the container",
    excludes: ["--watch", "--interactive"],
  },
  ...jobOptions,
  ...programOptions,
  ...pipOptions,
  ...hostOptions,
  "--checkpoints": {
    group: "Failure rehearsal",
    rare: true,
    description: "Save /opt/ml/checkpoints in local_test/test_dir/checkpoints/ (implied by " +
      "--stop-after)",
  },
});

export default appCommand({
  options: OPTIONS,
  usesEngine: true,
  section: "train",
  examples: [
    ["Train on the test data", "mlcli local train"],
    ["Change a hyperparameter", "mlcli local train --hyperparameter epochs=20"],
    ["Test a stop after one minute", "mlcli local train --stop-after 60"],
    ["Train on two hosts", "mlcli local train --instance-count 2"],
    ["Fail on any difference from SageMaker, for CI", "mlcli local train --strict"],
    [
      "Train with your own script in an existing image",
      "mlcli local train --image team/torch:2 --entry-point train.py",
    ],
    ["Train on other data", "mlcli local train --input training=/data/my_flats"],
  ],
  action: async (context, options) => {
    const { requireCommand } = await import("../program.ts");
    const { programRequest, requirePublishable } = await import("./container_request.ts");
    const { runHost } = await import("./image_access.ts");
    const { app, args, command, stopAfter } = options;
    requireCommand(args, command);
    const request = await programRequest(context, options, "mlcli local train", args);
    requirePublishable(request);
    const job = {
      ...request,
      hosts: hostsOf(options),
      checkpoints: options.checkpoints || stopAfter !== undefined,
      inputs: options.input.map(({ name, directory }) => ({
        name,
        source: absolutePath(context.cwd, directory),
      })),
    };
    const host = runHost(context, app);
    if (options.dryRun) {
      const { plannedTraining } = await import("../../runtime/local/train_dry.ts");
      return context.out.print(jsonText(await plannedTraining(job, host)));
    }
    if (options.watch) {
      const { trainWatched } = await import("../../runtime/local/train_watched.ts");
      return await trainWatched(job, host);
    }
    const { train } = await import("../../runtime/local/train.ts");
    await train(job, host);
  },
});
