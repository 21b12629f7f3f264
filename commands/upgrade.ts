import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { outputFormat } from "./options/shared.ts";

const OPTIONS = options({ ...outputFormat });

export type UpgradeOptions = Values<typeof OPTIONS>;

export const upgradeCommand: Command = command({
  details: "It changes nothing and opens no connection: run the lines that it prints.",
  options: OPTIONS,
  action: async () => (await import("./upgrade_action.ts")).upgradeAction,
});
