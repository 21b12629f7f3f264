import { UsageError } from "../../runtime/errors.ts";
import {
  PERSON_SETTING_NAMES,
  personSettings,
  savePersonSettings,
  withSetting,
} from "../../runtime/person.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";

export default command({
  options: options({
    "<name>": { choices: PERSON_SETTING_NAMES },
    "[value]": {},
    "--unset": { description: "Remove the setting" },
  }),
  examples: [
    ["Print JSON by default", "mlcli config set output json"],
    ["Trust the images of a registry", "mlcli config set trusted_registries ghcr.io"],
    ["Remove a setting", "mlcli config set output --unset"],
  ],
  action: async ({ env }, { name, value, unset }) => {
    if ((value === undefined) !== unset) {
      throw new UsageError(`Expected either a value or --unset after "${name}"`, {
        hint: `Run mlcli config set ${name} VALUE, or mlcli config set ${name} --unset`,
      });
    }
    await savePersonSettings(withSetting(personSettings(env), name, value), env);
  },
});
