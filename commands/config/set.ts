import { PERSON_SETTINGS, type PersonSetting } from "../../runtime/person.ts";
import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";

const NAMES = Object.keys(PERSON_SETTINGS) as readonly PersonSetting[];

const SET = options({
  "<name>": { choices: NAMES },
  "[value]": {},
  "--unset": { description: "Remove the setting" },
});
export type SetOptions = Values<typeof SET>;

export default command({
  options: SET,
  examples: [
    ["Print JSON by default", "mlcli config set output json"],
    ["Trust the images of a registry", "mlcli config set trusted_registries ghcr.io"],
    ["Remove a setting", "mlcli config set output --unset"],
  ],
  action: async (context, options) =>
    await (await import("./config_actions.ts")).setAction(context, options),
});
