/**
 * `mlcli doctor`
 *
 * @module
 */

import { type Command, command } from "./command.ts";
import { dockerTag } from "./options/app.ts";
import { cloudOptions } from "./options/cloud.ts";
import { options, type Values } from "./options/option.ts";
import { serverPort } from "./options/server.ts";
import { outputFormat } from "./options/output.ts";

const OPTIONS = options({
  ...dockerTag,
  "--port": {
    ...serverPort["--port"],
    description: "Port that local deploy is to take.",
    completion: undefined,
  },
  "--cloud": { description: "Check credentials, region and roles too: asks AWS." },
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
    ["Check the way to SageMaker, too", "mlcli doctor --cloud --region eu-west-1"],
  ],
  action: async () => (await import("./doctor_action.ts")).doctorAction,
});
