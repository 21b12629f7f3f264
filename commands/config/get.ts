import { MlcliError } from "../../runtime/errors.ts";
import { PERSON_SETTINGS, type PersonSetting, personSettings } from "../../runtime/person.ts";
import { inOneLine } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";

const NAMES = Object.keys(PERSON_SETTINGS) as readonly PersonSetting[];

export default command({
  options: options({ "<name>": { choices: NAMES } }),
  // deno-lint-ignore require-await -- an action is async
  action: async ({ out, env }, { name }) => {
    const value = personSettings(env)[name];
    if (value === undefined) {
      throw new MlcliError(`${name} is not set`, {
        hint: `Set it: mlcli config set ${name} VALUE`,
      });
    }
    out.print(`${inOneLine(String(value))}\n`);
  },
});
