import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseCommand, splitCommandLine } from "../../commands/cliffy/command_line.ts";
import { root } from "../../commands/root.ts";
import { partsOf } from "../../runtime/messages.ts";
import { filesBelow } from "../../scripts/files.ts";
import { textsOfTypeScript } from "../../scripts/lint/literals.ts";
import { allMessages } from "../../scripts/reference/errors.ts";
import { it, suite } from "../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A text before a command to run. In other places, `mlcli` can begin a sentence about itself. */
const INVITES = /(?:: |\b[Rr]un )$/;

/** An expression that is attached to a word: what follows is in the whole message. */
const ATTACHED = /(?<=[a-z])X+( .*)?$/;

suite("the commands in messages and hints", () => {
  it("exist, with the options and arguments that they name", async () => {
    const texts = new Set((await allMessages()).flatMap(({ text, hints }) => [text, ...hints]));
    for (const folder of ["commands", "runtime"]) {
      for await (const path of filesBelow(`${ROOT}${folder}`)) {
        if (!/\.tsx?$/.test(path)) continue;
        const source = await Deno.readTextFile(`${ROOT}${folder}/${path}`);
        for (const { text } of textsOfTypeScript(source, path)) texts.add(text);
      }
    }
    const commands = new Set([...texts].flatMap(commandsIn));
    assert(commands.size > 200, `${commands.size} commands`);
    const wrong: string[] = [];
    for (const command of commands) {
      const problem = await problemOf(command);
      if (problem !== undefined) wrong.push(`mlcli ${command}: ${problem}`);
    }
    assertEquals(wrong, []);
  });
});

/** The command lines in a text that a reader is to run, without `mlcli` itself. */
function commandsIn(text: string): readonly string[] {
  let before = "";
  const commands: string[] = [];
  for (const part of text.split("\n").flatMap(partsOf)) {
    const [, command] = /^[("'$]*mlcli (.+)$/.exec(part) ?? [];
    if (command !== undefined) {
      const line = command.replace(/ (?:--|[|>]) .*$/, "").replace(ATTACHED, "")
        .replace(/[.,;:)"']+$/, "").trim();
      const [first = ""] = line.split(" ");
      const isSentence = /^[a-z]/.test(first) && !(first in root.commands);
      if (INVITES.test(before) || !isSentence) commands.push(line);
    }
    before = `${part} `;
  }
  return commands;
}

async function problemOf(command: string): Promise<string | undefined> {
  try {
    await parseCommand(splitCommandLine(command.split(" ")), root);
  } catch (error) {
    return (error as Error).message;
  }
}
