import { PERSON_SETTINGS, type PersonSetting } from "../../runtime/person.ts";
import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";

const NAMES = Object.keys(PERSON_SETTINGS) as readonly PersonSetting[];

const GET = options({ "<name>": { choices: NAMES } });
export type GetOptions = Values<typeof GET>;

export default command({
  options: GET,
  action: async (context, options) =>
    await (await import("./config_actions.ts")).getAction(context, options),
});
