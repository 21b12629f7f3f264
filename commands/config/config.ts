import { PERSON_SETTING_NAMES, PERSON_SETTINGS } from "../../runtime/person.ts";
import type { Group } from "../command.ts";

const configGroup: Group = {
  details:
    "Settings are stored in mlcli/config.json in XDG_CONFIG_HOME, ~/.config or APPDATA. Options, " +
    "environment variables and NAME.json override them.\n\n" +
    PERSON_SETTING_NAMES.map((name) => `${name}: ${PERSON_SETTINGS[name].meaning}`).join("\n"),
  options: {},
  commands: {
    list: { aliases: ["ls"], summary: "List your settings", load: () => import("./list.ts") },
    get: { summary: "Print a setting", load: () => import("./get.ts") },
    set: { summary: "Change or remove a setting", load: () => import("./set.ts") },
  },
};

export default configGroup;
