import { PERSON_SETTINGS, personSettings } from "../../runtime/person.ts";
import { inOneLine, jsonText } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { outputFormat } from "../options/shared.ts";

export default command({
  options: options({ ...outputFormat }),
  // deno-lint-ignore require-await -- an action is async
  action: async ({ out, err, env, messages }, { output }) => {
    const known = Object.entries(personSettings(env))
      .filter(([name]) => Object.hasOwn(PERSON_SETTINGS, name));
    out.print(
      output === "json"
        ? jsonText(Object.fromEntries(known))
        : known.map(([name, value]) => `${name}=${inOneLine(String(value))}\n`).join(""),
    );
    if (known.length === 0 && err.isTerminal) {
      messages.state("No settings. To see all settings, run mlcli config --help");
    }
  },
});
