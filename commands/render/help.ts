import { keyOf, type NamedArgument, type NamedOption } from "../options/option.ts";
import type { Topic } from "../topic.ts";
import { wrap, wrapWords } from "../../runtime/messages.ts";
import type { Output } from "../../runtime/streams.ts";

/** The whole help of one command, ending in a newline. */
export function helpText(topic: Topic, style: Pick<Output, "columns" | "colour">): string {
  const heading = (text: string): string => style.colour ? `\x1b[1m${text}\x1b[22m` : text;
  const sections = [
    wrap(topic.description, style.columns, 0),
    `${heading("Usage:")} ${wrapWords(usageParts(topic), style.columns, "Usage: ".length)}`,
    ...memberSections(topic, heading, style.columns),
    section(heading("Options:"), optionRows(topic), style.columns),
    exampleSection(heading("Examples:"), topic),
    wrap(topic.more, style.columns, 0),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

/** The parts of the usage line, between which it may be broken: an option and its value are one. */
export function usageParts(
  { path, members, arguments: named, rest, options }: Topic,
): readonly string[] {
  return [
    path,
    ...(members === undefined ? named.map(argumentForm) : ["COMMAND"]),
    ...options.filter(([, option]) => isRequired(option)).map(optionForm),
    "[OPTIONS]",
    ...(rest === undefined ? [] : [argumentForm(rest)]),
  ];
}

/** A line of the help or the reference: an option or a command. */
export interface Row {
  /** `-p, --port PORT` */
  readonly form: string;
  readonly description: string;
}

/** The options of a command, those of its groups included. */
export function optionRows({ options }: Topic): readonly Row[] {
  return options.map((named) => {
    const [, option] = named;
    const notes = [
      isRequired(option) ? "required" : "",
      isNeeded(option) ? `required, or ${keyOf(named[0])} in APP.json` : "",
      defaultOf(option) === undefined ? "" : `default: ${defaultOf(option)}`,
    ].filter((note) => note !== "").join(", ");
    return {
      form: `${option.short ? `${option.short}, ` : "    "}${allForms(named)}`,
      description: notes === "" ? option.description : `${option.description} (${notes})`,
    };
  });
}

type Option = NamedOption[1];

function isRequired(option: Option): boolean {
  return option.value !== undefined && option.required === true;
}

function isNeeded(option: Option): boolean {
  return option.value !== undefined && option.needed === true;
}

/** An option that needs another has its default in its description. */
function defaultOf(option: Option): string | undefined {
  return option.value === undefined || option.onlyWith !== undefined ? undefined : option.default;
}

/** `[FILE]`, `NAME`, `[WORD...]`, `[-- ARGS...]` */
function argumentForm([form]: NamedArgument): string {
  return form.replace(/^<(.*)>$/, "$1").toUpperCase();
}

function optionForm([flag, option]: NamedOption): string {
  return option.value === undefined ? flag : `${flag} ${option.value.toUpperCase()}`;
}

/** `-e, --ec2-type, --instance-type TYPE` */
function allForms(named: NamedOption): string {
  const [, option] = named;
  const form = optionForm(named);
  return option.value === undefined || option.alias === undefined
    ? form
    : form.replace(" ", `, ${option.alias} `);
}

/** The commands of a group, under its headings; all names in one column. */
function memberSections(
  { members = [] }: Topic,
  heading: (text: string) => string,
  columns: number,
): readonly string[] {
  const width = Math.max(...members.map(([name]) => name.length));
  const byHeading = new Map<string, Row[]>();
  for (const [name, { summary, heading: own = "Commands" }] of members) {
    const rows = byHeading.get(own) ?? [];
    byHeading.set(own, rows);
    rows.push({ form: name.padEnd(width), description: summary });
  }
  return [...byHeading].map(([title, rows]) => section(heading(`${title}:`), rows, columns));
}

function section(heading: string, rows: readonly Row[], columns: number): string {
  if (rows.length === 0) return "";
  const beside = Math.max(...rows.map((row) => row.form.length)) + 4;
  const isNarrow = columns - beside < LEAST_DESCRIPTION;
  const lines = rows.map(({ form, description }) =>
    isNarrow
      ? `  ${form.trim()}\n${BELOW}${wrap(description, columns, BELOW.length)}`
      : `  ${form.padEnd(beside - 2)}${wrap(description, columns, beside)}`
  );
  return [heading, ...lines].join("\n");
}

/** If less room is left beside the forms, in columns, descriptions stand below them. */
const LEAST_DESCRIPTION = 18;

const BELOW = " ".repeat(6);

function exampleSection(heading: string, { examples }: Topic): string {
  if (examples.length === 0) return "";
  return [heading, ...examples.map(([title, line]) => `  ${title}\n    ${line}`)].join("\n");
}
