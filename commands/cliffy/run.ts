import type { Context } from "../../runtime/context.ts";
import { NoAppHere } from "../../runtime/errors.ts";
import type { Group } from "../command.ts";
import { asksOnly, parseCommand, type ParsedCommand, splitCommandLine } from "./command_line.ts";

/**
 * Runs the command that a command line names.
 *
 * @throws UsageError when the command line is wrong; and whatever the command throws.
 */
export async function runCommandLine(
  args: readonly string[],
  root: Group,
  context: Context,
): Promise<void> {
  const line = splitCommandLine(args);
  // Help and the version need no Cliffy, which takes as long to load as all the rest. Otherwise its
  // loading begins before the first await: a binary keeps the compiled code of what it has asked for
  // by then for its next run.
  const loading = asksOnly(line.words) ? undefined : import("./tree.ts");
  // If the command line is wrong, nobody waits for it.
  loading?.catch(() => {});
  const parsed = await parseCommand(line, root);
  if (parsed.question === "version") return await printVersion(parsed, context);
  if (parsed.question !== undefined) return await printHelp(parsed, root, context);
  const { run } = await (loading ?? import("./tree.ts"));
  const there = line.directory === undefined ? context : await inOther(line.directory, context);
  try {
    await run(parsed, root, there);
  } catch (error) {
    if (error instanceof NoAppHere) {
      const { withCommandAbove } = await import("../directory.ts");
      throw withCommandAbove(error, line, context.cwd);
    }
    const { withLocalCommand } = await import("../local_command.ts");
    throw withLocalCommand(error, parsed.names);
  }
}

async function inOther(directory: string, context: Context): Promise<Context> {
  const { inDirectory } = await import("../directory.ts");
  return await inDirectory(context, directory);
}

/** Prints the help of a command, with all options for the question "help all". */
export async function printHelp(
  { names, question }: Pick<ParsedCommand, "names" | "question">,
  root: Group,
  context: Context,
): Promise<void> {
  const { topicOf } = await import("../topic.ts");
  const { helpText } = await import("../render/help.ts");
  const { out } = context;
  const text = helpText(
    await topicOf(root, names),
    out,
    question === "help all" ? "all" : "common",
  );
  if (out.rows === 0 || text.split("\n").length <= out.rows) return out.print(text);
  const { printPaged } = await import("../render/pager.ts");
  await printPaged(text, context);
}

async function printVersion(
  { words }: ParsedCommand,
  { env, out, system }: Context,
): Promise<void> {
  const { versionFacts, versionText } = await import("../../runtime/version.ts");
  const { readOptions } = await import("../options/read.ts");
  const { outputFormat } = await import("../options/shared.ts");
  const { installation } = await import("../../runtime/installation.ts");
  const { inOneLine, printableJson } = await import("../../runtime/text.ts");
  // No variable gives it: scripts read the first line.
  const format = { ...outputFormat["--output"], variable: undefined, setting: undefined };
  const at = words.indexOf("--output");
  const given = { options: at < 0 ? {} : { output: words[at + 1] }, arguments: [], rest: [] };
  const { output } = readOptions({ "--output": format }, { given, path: "mlcli", env });
  const installed = await installation(system.root);
  if (output === "json") {
    return out.print(`${printableJson({ ...versionFacts(), installed }, 2)}\n`);
  }
  out.print(`${versionText()}\nInstalled ${inOneLine(installed)}\n`);
}
