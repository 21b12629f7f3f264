import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const STOP_JOB = options({
  ...jobOrEndpoint,
  "--wait": { description: "Wait until the job has ended" },
  "-y, --yes": {
    description: "Don't ask before stopping a transform job (mlcli asks only on a terminal)",
  },
  ...outputFormat,
  ...progressOptions,
});

export type StopJobOptions = Values<typeof STOP_JOB>;

export default command({
  usesApps: true,
  details: "The code receives SIGTERM. A training job then has 120 seconds to exit, and " +
    "SageMaker saves the files in /opt/ml/model. The outputs of a stopped transform job are lost.",
  options: STOP_JOB,
  examples: [["Stop a job and wait until it has ended", "mlcli stop-job flats-2026-03-01 --wait"]],
  action: async (context, options) =>
    await (await import("./by_name_actions.ts")).stopJobAction(context, options),
});
