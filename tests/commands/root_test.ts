import { assert, assertEquals } from "@std/assert";
import { type Group, isGroup } from "../../commands/command.ts";
import { optionsOf } from "../../commands/options/option.ts";
import { root } from "../../commands/root.ts";
import { main } from "../../main.ts";
import { commandPaths } from "../helpers/command_paths.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the command tree", () => {
  it("the help summarizes each command in a sentence", async () => {
    for (const names of await commandPaths()) {
      let declared: Group = root;
      for (const name of names) {
        const member = declared.commands[name]!;
        assert(member.isHidden || /^[A-Z].{2,58}[^.]$/.test(member.summary), member.summary);
        assertEquals(
          name === "transform",
          / batch transform /.test(member.summary),
          member.summary,
        );
        const next = (await member.load()).default;
        if (isGroup(next)) declared = next;
      }
    }
  });

  it("gives the help of each command, however it is asked for", async () => {
    for (const names of await commandPaths()) {
      const texts: string[] = [];
      const [first = "", ...more] = names;
      const lines = [[...names, "--help"], ["help", ...names], [first, "-h", ...more]];
      for (const line of lines) {
        const context = fakeContext();
        const words = line.filter((word) => word !== "");
        assertEquals([await main(words, context), context.err.text], [0, ""]);
        texts.push(context.out.text);
      }
      assertEquals(texts, texts.map(() => texts[0]!));
      assert(texts[0]!.includes(`Usage: ${["mlcli", ...names].join(" ")} `));
    }
  });

  it("a command and its groups use each short flag once", async () => {
    for (const names of await commandPaths()) {
      const groups: Group[] = [root];
      for (const name of names) {
        const declared = (await groups.at(-1)!.commands[name]!.load()).default;
        if (isGroup(declared)) {
          groups.push(declared);
          continue;
        }
        const all = {
          ...Object.assign({}, ...groups.map(({ options }) => options)),
          ...declared.options,
        };
        const shorts = optionsOf(all).flatMap(([, { short }]) => short ?? []);
        assertEquals(shorts.length, new Set(shorts).size, names.join(" "));
      }
    }
  });
});
