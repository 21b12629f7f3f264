import { command } from "./command.ts";
import { options } from "./options/option.ts";

export default command({
  options: options({ "[command...]": {} }),
  examples: [
    ["Show the options that most people need", "mlcli help local train"],
    ["Show all options", "mlcli help local train all"],
  ],
  action: async (context, { command }, { root }) => {
    const { parseCommand } = await import("./cliffy/command_line.ts");
    const { printHelp } = await import("./cliffy/run.ts");
    const isAll = command.at(-1) === "all";
    const words = isAll ? [...command.slice(0, -1), "--help", "all"] : [...command, "--help"];
    await printHelp(await parseCommand({ words, rest: [] }, root), root, context);
  },
});
