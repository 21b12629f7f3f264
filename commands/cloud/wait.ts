import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({ ...jobOrEndpoint, ...outputFormat, ...progressOptions });

export default command({
  usesApps: true,
  details:
    "The result is the S3 URI of the job's output, or the endpoint's name. The exit code is 1 if " +
    "the job failed or was stopped, or if the endpoint failed or its update was rolled back. " +
    "After Ctrl-C, the job or the update continues.",
  options: OPTIONS,
  examples: [
    ["Wait for a training job", "mlcli wait flats-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint is in service", "mlcli wait shop"],
  ],
  action: async (context, options) => {
    const { waitByName } = await import("../../runtime/cloud/by_name/by_name.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const host = { ...context, waiting: new WaitingProgress(context) };
    await printResult(context, options.output, await waitByName(options, host));
  },
});
