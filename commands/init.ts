import { command } from "./command.ts";
import { INIT_OPTIONS } from "./options/init.ts";

export default command({
  details: "mlcli init does not overwrite files. On a terminal, mlcli asks for the app's name.",
  options: INIT_OPTIONS,
  examples: [
    ["Create the app flats", "mlcli init flats"],
    ["Create an app named after this directory", "mlcli init --yes"],
    [
      "Run a SageMaker training job locally",
      "mlcli init --from training-job/flats-9 --data 100MB && mlcli local train",
    ],
    ["Choose another Python version", "mlcli init flats --python-version 3.11"],
    [
      "Run your own script in an existing image",
      "mlcli init --image team/torch:2 --source-dir src --entry-point train.py",
    ],
  ],
  action: async (context, options, call) =>
    await (await import("./init_action.ts")).initAction(context, options, call),
});
