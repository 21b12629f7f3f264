import { type Command, command } from "./command.ts";
import { options } from "./options/option.ts";

export const helpCommand: Command = command({
  options: options({ "[command...]": {} }),
  examples: [["Show the options of mlcli local train", "mlcli help local train"]],
  action: async () => {
    const { parseCommand } = await import("./cliffy/command_line.ts");
    const { printHelp } = await import("./cliffy/run.ts");
    return async (context, { command }, { root }) => {
      const { names } = await parseCommand({ words: [...command, "--help"], rest: [] }, root);
      await printHelp(names, root, context, "common");
    };
  },
});
