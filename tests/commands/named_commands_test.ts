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

/** A text before a command that is to be run: it needs all its arguments. */
const INVITES = /(?:: |\b[Rr]un )$/;

/** How a sentence about mlcli goes on: `mlcli keeps the model`. */
const SENTENCE = /^(?:\w+s|\w+ed|also|built|can|cannot|did|in|there|where)$/;

/** An expression that is attached to a word: what follows it is in the whole message. */
const ATTACHED = /(?<=[a-z])X+( .*)?$/;

suite("the commands in messages and hints", () => {
  it("exist, with the options and arguments that they name", async () => {
    const texts = new Set((await allMessages()).flatMap(({ text, hints }) => [text, ...hints]));
    for (const folder of ["commands", "runtime"]) {
      for await (const path of filesBelow(`${ROOT}${folder}`)) {
        if (!/\.tsx?$/.test(path) || path === "completions/scripts.ts") continue;
        const source = await Deno.readTextFile(`${ROOT}${folder}/${path}`);
        for (const { text } of textsOfTypeScript(source, path)) texts.add(text);
      }
    }
    const commands = [...texts].flatMap(commandsIn);
    assert(commands.length > 200, `${commands.length} commands`);
    const wrong: string[] = [];
    for (const { line, isToRun } of commands) {
      const problem = await problemOf(line);
      const isComplete = isToRun || !problem?.startsWith("Missing ");
      if (problem !== undefined && isComplete) wrong.push(`mlcli ${line}: ${problem}`);
    }
    assertEquals(wrong, []);
  });
});

interface NamedCommand {
  /** Without `mlcli` itself. */
  readonly line: string;
  readonly isToRun: boolean;
}

/** Finds the command lines in a text, without sentences about mlcli. */
function commandsIn(text: string): readonly NamedCommand[] {
  let before = "";
  const commands: NamedCommand[] = [];
  for (const part of text.split("\n").flatMap(partsOf)) {
    const [, command] = /^[("'$]*mlcli (.+)$/.exec(part) ?? [];
    const line = command?.replace(/ (?:--|[|>])(?: .*)?$/, "").replace(/(?<=\S)[.,;:)"'?]+$/, "")
      .replace(ATTACHED, "").trim();
    const [first = "", second = ""] = line?.split(" ") ?? [];
    const isToRun = INVITES.test(before) && !SENTENCE.test(first);
    const isGiven = [first, second].some((word) => /^(?:X+|[A-Z]{2,})$/.test(word));
    const isKnown = first in root.commands || first.startsWith("-");
    if (line && !isGiven && (isKnown || isToRun)) commands.push({ line, isToRun });
    before = `${part} `;
  }
  return commands;
}

/** Says what is wrong with a command line, if a sentence does not simply go on after a switch. */
async function problemOf(line: string): Promise<string | undefined> {
  const problem = await parse(line);
  const [command = line] = /^.* --[a-z-]+(?= [a-z])/.exec(line) ?? [];
  return problem && await parse(command) && problem;
}

async function parse(line: string): Promise<string | undefined> {
  try {
    await parseCommand(splitCommandLine(line.split(/ +/)), root);
  } catch (error) {
    return (error as Error).message;
  }
}
