import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { outputFormat } from "../options/shared.ts";

const LIST = options({ ...outputFormat });
export type ListOptions = Values<typeof LIST>;

export default command({
  options: LIST,
  action: async (context, options) =>
    await (await import("./config_actions.ts")).listAction(context, options),
});
