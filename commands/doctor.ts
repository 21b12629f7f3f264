import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { cloudOptions, dockerTag, outputFormat, serverPort } from "./options/shared.ts";

const OPTIONS = options({
  ...dockerTag,
  "--port": {
    ...serverPort["--port"],
    description: "Port to check, which local deploy would use.",
    completion: undefined,
  },
  "--cloud": { description: "Also check credentials, region and roles, by asking AWS." },
  ...cloudOptions,
  ...outputFormat,
});

export type DoctorOptions = Values<typeof OPTIONS>;

export const doctorCommand: Command = command({
  details: "Says what to do about each finding. The exit status is 1 if there is a problem.",
  options: OPTIONS,
  examples: [
    ["Check this machine, and the app in this directory", "mlcli doctor"],
    ["Check the access to SageMaker, too", "mlcli doctor --cloud --region eu-west-1"],
  ],
  action: async () => (await import("./doctor_action.ts")).doctorAction,
});
