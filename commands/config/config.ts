/** `mlcli config`: the person's own settings. */

import { PERSON_SETTINGS, type PersonSetting } from "../../runtime/person.ts";
import { type Command, command, type Group } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { outputFormat } from "../options/shared.ts";

const NAMES = Object.keys(PERSON_SETTINGS) as readonly PersonSetting[];

const LIST = options({ ...outputFormat });
export type ListOptions = Values<typeof LIST>;

const GET = options({ "<name>": { choices: NAMES } });
export type GetOptions = Values<typeof GET>;

const SET = options({
  "<name>": { choices: NAMES },
  "[value]": {},
  "--unset": { description: "Remove the setting" },
});
export type SetOptions = Values<typeof SET>;

const listCommand: Command = command({
  options: LIST,
  action: async () => (await import("./config_actions.ts")).listAction,
});

const getCommand: Command = command({
  options: GET,
  action: async () => (await import("./config_actions.ts")).getAction,
});

const setCommand: Command = command({
  options: SET,
  examples: [
    ["Print JSON by default", "mlcli config set output json"],
    ["Trust the images of a registry", "mlcli config set trusted_registries ghcr.io"],
    ["Remove a setting", "mlcli config set output --unset"],
  ],
  action: async () => (await import("./config_actions.ts")).setAction,
});

export const configGroup: Group = {
  details:
    "Settings are stored in mlcli/config.json in XDG_CONFIG_HOME, ~/.config or APPDATA. Options, " +
    "environment variables and NAME.json override them.\n\n" +
    NAMES.map((name) => `${name}: ${PERSON_SETTINGS[name].meaning}`).join("\n"),
  options: {},
  commands: {
    list: { aliases: ["ls"], summary: "List your settings", load: () => listCommand },
    get: { summary: "Print a setting", load: () => getCommand },
    set: { summary: "Change or remove a setting", load: () => setCommand },
  },
};
