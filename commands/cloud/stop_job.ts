import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  ...jobOrEndpoint,
  "--wait": { description: "Wait until the job has ended" },
  "-y, --yes": {
    description: "Don't ask before stopping a transform job (mlcli asks only on a terminal)",
  },
  ...outputFormat,
  ...progressOptions,
});

export default command({
  usesApps: true,
  details: "The code receives SIGTERM. A training job then has 120 seconds to exit, and " +
    "SageMaker saves the files in /opt/ml/model. The outputs of a stopped transform job are lost.",
  options: OPTIONS,
  examples: [["Stop a job and wait until it has ended", "mlcli stop-job flats-2026-03-01 --wait"]],
  action: async (context, options) => {
    const { isAgreed } = await import("../../runtime/agreement.ts");
    const { findJobToStop, losesResults, stopJob } = await import(
      "../../runtime/cloud/by_name/stop_job.ts"
    );
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const found = await findJobToStop(options, context);
    if (losesResults(found.job) && !options.yes) {
      const question =
        `SageMaker discards the results of a stopped transform job. Stop ${options.name}?`;
      if (await isAgreed(question, context) === false) {
        return context.messages.state("The job was not stopped");
      }
    }
    const host = { ...context, waiting: new WaitingProgress(context) };
    await printResult(context, options.output, await stopJob(found, options, host));
  },
});
