import { command } from "../command.ts";
import { options } from "../options/option.ts";

export default command({
  options: options({ "[-- words...]": {} }),
  action: async (context, { words }, { root }) => {
    const { candidates } = await import("./candidates.ts");
    for (const { word, description } of await candidates(words, root, context)) {
      context.out.print(description === undefined ? `${word}\n` : `${word}\t${description}\n`);
    }
  },
});
