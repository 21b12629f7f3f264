import { command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { cloudOptions, dockerTag, outputFormat, serverPort } from "./options/shared.ts";

const OPTIONS = options({
  ...dockerTag,
  "--port": {
    ...serverPort["--port"],
    description: "Port to check for local deploy",
    completion: undefined,
  },
  "--cloud": { description: "Also check AWS credentials, region and roles" },
  ...cloudOptions,
  ...outputFormat,
});

export type DoctorOptions = Values<typeof OPTIONS>;

export default command({
  details: "mlcli prints a hint for each problem, and exits with 1 if a check fails",
  options: OPTIONS,
  examples: [
    ["Check this machine and the app in this directory", "mlcli doctor"],
    ["Also check access to SageMaker", "mlcli doctor --cloud --region eu-west-1"],
  ],
  action: async (context, options) =>
    await (await import("./doctor_action.ts")).doctorAction(context, options),
});
