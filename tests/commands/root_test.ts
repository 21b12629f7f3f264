import { assert, assertEquals } from "@std/assert";
import { parse } from "../../commands/cliffy/tree.ts";
import { type Group, isGroup } from "../../commands/command.ts";
import { optionsOf } from "../../commands/options/option.ts";
import { root } from "../../commands/root.ts";
import { main } from "../../main.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

/** The names that lead to each group and command, below a group. */
async function everyPath(group: Group, names: readonly string[] = []): Promise<string[][]> {
  const paths = [[...names]];
  for (const [name, { load }] of Object.entries(group.commands)) {
    const declared = await load();
    const path = [...names, name];
    if (isGroup(declared)) paths.push(...await everyPath(declared, path));
    else paths.push(path);
  }
  return paths;
}

suite("the command tree", () => {
  it("says each command in a sentence", async () => {
    for (const names of await everyPath(root)) {
      let declared: Group = root;
      for (const name of names) {
        const member = declared.commands[name]!;
        assert(member.isHidden || /^[A-Z].*\.$/.test(member.summary), member.summary);
        const next = await member.load();
        if (isGroup(next)) declared = next;
      }
    }
  });

  it("gives the same help with Cliffy as without", async () => {
    for (const names of await everyPath(root)) {
      const [quick, thorough] = [fakeContext(), fakeContext()];
      assertEquals(await main([...names, "--help"], quick), 0);
      await parse({ words: [...names, "--help"], rest: [] }, root, thorough);
      assertEquals(quick.out.text, thorough.out.text);
      assert(quick.out.text.includes(`Usage: ${["mlcli", ...names].join(" ")} `));
    }
  });

  it("has no short flag twice in a command and its groups", async () => {
    for (const names of await everyPath(root)) {
      const groups: Group[] = [root];
      for (const name of names) {
        const declared = await groups.at(-1)!.commands[name]!.load();
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
