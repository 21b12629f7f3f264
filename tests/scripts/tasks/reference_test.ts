import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseCommand, splitCommandLine } from "../../../commands/cliffy/command_line.ts";
import { root } from "../../../commands/root.ts";
import { partsOf } from "../../../runtime/messages.ts";
import { filesBelow } from "../../../scripts/files.ts";
import { textsOfTypeScript } from "../../../scripts/lint/literals.ts";
import {
  allMessages,
  explainedIn,
  patternOf,
  productFiles,
} from "../../../scripts/reference/errors.ts";
import { updatedReference } from "../../../scripts/tasks/reference.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = new URL("../../../", import.meta.url);

/** The program in images, which is written in Python. */
const HARNESS = "runtime/harness/";

suite("the reference", () => {
  it("lists the commands as the source declares them (deno task reference writes them)", async () => {
    const text = await Deno.readTextFile(new URL("docs/reference/cli.md", ROOT));
    assertEquals(text.split("\n"), (await updatedReference()).split("\n"));
  });

  it("explains at least 140 messages, all of mlcli or of the server in the image", async () => {
    const page = await Deno.readTextFile(new URL("docs/reference/errors.md", ROOT));
    const explained = explainedIn(page);
    assert(explained.length >= 140, `${explained.length} messages`);
    const known = new Set((await allMessages()).map(({ text }) => patternOf(text)));
    for await (const path of filesBelow(fromFileUrl(new URL(HARNESS, ROOT)))) {
      const text = await Deno.readTextFile(new URL(`${HARNESS}${path}`, ROOT));
      for (const [, literal = ""] of text.matchAll(/"((?:[^"\\\n]|\\.)+)"/g)) {
        known.add(patternOf(literal.replaceAll(/(?:%[sdr])+/g, "...")));
      }
    }
    assertEquals(explained.filter((message) => !known.has(patternOf(message))), []);
  });
});

/** A text before a command that is to be run: it needs all its arguments. */
const INVITES = /(?:: |\b[Rr]un )$/;

/** How a sentence about mlcli goes on: `mlcli keeps the model`. */
const SENTENCE = /^(?:\w+s|\w+ed|also|built|can|cannot|did|in|then|there|where)$/;

/** An expression that is attached to a word: what follows it is in the whole message. */
const ATTACHED = /(?<=[a-z])X+( .*)?$/;

suite("messages and hints", () => {
  it("have at most 160 characters in a message", async () => {
    const long = (await allMessages()).map(({ text }) => text).filter((text) => text.length > 160);
    assertEquals(long, []);
  });

  it("end without a full stop after a single sentence", async () => {
    const texts = (await allMessages()).flatMap(({ text, hints }) => [text, ...hints]);
    // A command can end with the directory `.`.
    const wrong = texts.filter((text) => /^[^.!?]*[^.!? ]\.$/.test(text.trim()));
    assertEquals([...new Set(wrong)], []);
  });

  it("name commands that exist, with their options and arguments", async () => {
    const texts = new Set((await allMessages()).flatMap(({ text, hints }) => [text, ...hints]));
    for (const path of await productFiles()) {
      if (!/\.tsx?$/.test(path) || path === "commands/completions/scripts.ts") continue;
      const source = await Deno.readTextFile(new URL(path, ROOT));
      for (const { text } of textsOfTypeScript(source, path)) texts.add(text);
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
