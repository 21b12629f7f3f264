import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const WAIT = options({ ...jobOrEndpoint, ...outputFormat, ...progressOptions });

export type WaitOptions = Values<typeof WAIT>;

export default command({
  usesApps: true,
  details:
    "The result is the S3 URI of the job's output, or the endpoint's name. The exit code is 1 if " +
    "the job failed or was stopped, or if the endpoint failed or its update was rolled back. " +
    "After Ctrl-C, the job or the update continues.",
  options: WAIT,
  examples: [
    ["Wait for a training job", "mlcli wait flats-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint is in service", "mlcli wait shop"],
  ],
  action: async (context, options) =>
    await (await import("./by_name_actions.ts")).waitAction(context, options),
});
