import { Command as Cliffy, ValidationError } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import { readOptions } from "../options/read.ts";
import { usageError } from "../usage.ts";
import type { ParsedCommand } from "./command_line.ts";

/**
 * Runs a command with the values of its options, which Cliffy reads from the command line.
 *
 * @throws UsageError when the command line is wrong; and whatever the command throws.
 */
export async function runCommand(
  { names, command, known, words, rest }: ParsedCommand,
  root: Group,
  context: Context,
): Promise<void> {
  const path = ["mlcli", ...names].join(" ");
  const { env } = context;
  // `parseCommand` has checked the arguments.
  const cliffy = new Cliffy().arguments("[words...]")
    .throwErrors().noExit().helpOption(false).versionOption(false);
  for (const [flag, option] of known) {
    const isSwitch = option.value === undefined;
    const isRequired = !isSwitch && option.required === true &&
      !(option.variable !== undefined && env(option.variable));
    // To declare all options takes several times as long as to read a command line.
    if (!isRequired && !words.includes(flag)) continue;
    // Defaults are not Cliffy's: it would hide whether the command line has a value.
    cliffy.option(isSwitch ? flag : `${flag} <value>`, option.description, {
      required: isRequired,
      collect: !isSwitch && option.repeatable === true,
    });
  }
  const read = await cliffy.parse([...words]).catch((error) => {
    if (!(error instanceof ValidationError)) throw error;
    throw usageError(path, inOurWords(error.message));
  });
  const given = { options: read.options ?? {}, arguments: read.args, rest };
  await command!.run(
    context,
    (options, file) => readOptions(options, { given, env, path, file }),
    { path, root },
  );
}

/** Rewords Cliffy's message about an option that is given twice. */
function inOurWords(message: string): string {
  return message.replace(
    " can only occur once, but was found several times",
    " was given more than once",
  ).replace(/\.$/, "");
}
