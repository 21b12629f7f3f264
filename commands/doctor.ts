/**
 * `mlcli doctor`
 *
 * @module
 */

import { type Command, command } from "./command.ts";
import { dockerTag } from "./options/app.ts";
import { cloudOptions } from "./options/cloud.ts";
import { options, type Values } from "./options/option.ts";
import { outputFormat } from "./options/output.ts";

const OPTIONS = options({
  ...dockerTag,
  "--cloud": { description: "Check credentials and region too: asks the cloud service." },
  ...cloudOptions,
  ...outputFormat,
});

/** Options of `doctor`. */
export type DoctorOptions = Values<typeof OPTIONS>;

/** Checks what mlcli needs. */
export const doctorCommand: Command = command({
  details: "Says what to do about each finding, and ends with 1 when something stands in the way.",
  options: OPTIONS,
  examples: [
    ["Check this machine and the app of this directory", "mlcli doctor"],
    ["Check the way to the platform too", "mlcli doctor --cloud --region eu-west-1"],
  ],
  action: async () => (await import("./doctor_action.ts")).doctorAction,
});
