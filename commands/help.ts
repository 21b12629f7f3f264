/**
 * The help of a command as text. Written here, since Cliffy's own is wider than a terminal and
 * differs between its versions; everything in it comes from the command tree.
 *
 * @module
 */

import type { AnyCommand } from "./command.ts";

/** How to lay the help out. */
export interface HelpStyle {
  readonly columns: number;
  readonly colour: boolean;
}

/** The whole help of one command, ending in a newline. */
export function helpText(command: AnyCommand, style: HelpStyle): string {
  const heading = (text: string): string => style.colour ? `\x1b[1m${text}\x1b[22m` : text;
  const sections = [
    wrap(command.getDescription(), style.columns, 0),
    `${heading("Usage:")} ${usage(command)}`,
    section(heading("Commands:"), commandRows(command), style.columns),
    section(heading("Options:"), optionRows(command), style.columns),
    exampleSection(heading("Examples:"), command),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

/** The usage line: path, arguments, required options. */
export function usage(command: AnyCommand): string {
  const isGroup = command.getCommands(false).length > 0;
  return [
    command.getPath(),
    ...(isGroup ? ["COMMAND"] : command.getArguments().map(argumentForm)),
    ...command.getOptions(false).filter((option) => option.required).map(optionForm),
    "[OPTIONS]",
  ].filter((part) => part !== "").join(" ");
}

/** An option of a command as the help and the reference show it. */
export interface OptionRow {
  /** `-p, --port PORT` */
  readonly form: string;
  readonly description: string;
}

/** The options of a command, those it inherits included. */
export function optionRows(command: AnyCommand): OptionRow[] {
  return command.getOptions(false).map((option) => {
    const short = option.flags.find((flag) => !flag.startsWith("--"));
    const notes = [
      option.required ? "required" : "",
      option.default === undefined || option.default === false ? "" : `default: ${option.default}`,
    ].filter((note) => note !== "").join(", ");
    return {
      form: `${short ? `${short}, ` : "    "}${optionForm(option)}`,
      description: notes === "" ? option.description : `${option.description} (${notes})`,
    };
  });
}

type CommandArgument = ReturnType<AnyCommand["getArguments"]>[number];

function argumentForm(argument: CommandArgument): string {
  const name = `${argument.name.toUpperCase()}${argument.variadic ? "..." : ""}`;
  return argument.optional ? `[${name}]` : name;
}

type CommandOption = ReturnType<AnyCommand["getOptions"]>[number];

function optionForm(option: CommandOption): string {
  const long = option.flags.find((flag) => flag.startsWith("--")) ?? option.flags[0] ?? "";
  const value = option.args[0]?.name;
  return value ? `${long} ${value.toUpperCase()}` : long;
}

function commandRows(command: AnyCommand): OptionRow[] {
  return command.getCommands(false).map((child) => ({
    form: child.getName(),
    description: firstSentence(child.getDescription()),
  }));
}

function firstSentence(text: string): string {
  return /^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

function section(heading: string, rows: readonly OptionRow[], columns: number): string {
  if (rows.length === 0) return "";
  const indent = Math.max(...rows.map((row) => row.form.length)) + 4;
  const lines = rows.map((row) =>
    `  ${row.form.padEnd(indent - 2)}${wrap(row.description, columns, indent)}`
  );
  return [heading, ...lines].join("\n");
}

function exampleSection(heading: string, command: AnyCommand): string {
  const examples = command.getExamples();
  if (examples.length === 0) return "";
  const lines = examples.map((example) => `  ${example.name}\n    ${example.description}`);
  return [heading, ...lines].join("\n");
}

/** Breaks text into lines no wider than `columns`, those after the first indented. */
export function wrap(text: string, columns: number, indent: number): string {
  const width = Math.max(20, columns - indent);
  const lines = text.split("\n").flatMap((line) => wrapLine(line, width));
  return lines.join(`\n${" ".repeat(indent)}`);
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}
