import { MlcliError } from "../../runtime/errors.ts";
import { PERSON_SETTING_NAMES, personSettings } from "../../runtime/person.ts";
import { inOneLine } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";

export default command({
  options: options({ "<name>": { choices: PERSON_SETTING_NAMES } }),
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
