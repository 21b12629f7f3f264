import {
  keyOf,
  type NamedArgument,
  type NamedOption,
  OPTION_GROUPS,
  type OptionGroup,
} from "../options/option.ts";
import type { Topic } from "../topic.ts";
import { bold } from "./format.ts";
import { wrap, wrapWords } from "../../runtime/messages.ts";
import type { Output } from "../../runtime/streams.ts";

/** What the help of a command lists: what most people need, or all options. */
export type HelpLevel = "common" | "all";

/** Returns the help of a command, ending in a newline. */
export function helpText(
  { options, ...rest }: Topic,
  style: Pick<Output, "columns" | "colour">,
  level: HelpLevel,
): string {
  const topic = { ...rest, options: level === "all" ? options : commonOptions(options) };
  const left = options.length - topic.options.length;
  const more = left === 0 ? "" : `${left} more options: ${topic.path} --help all`;
  const heading = (text: string): string => style.colour ? bold(text) : text;
  const sections = [
    wrap(topic.description, style.columns, 0),
    `${heading("Usage:")} ${wrapWords(usageParts(topic), style.columns, "Usage: ".length)}`,
    ...memberSections(topic, heading, style.columns),
    ...optionSections(topic, heading, style.columns),
    more,
    exampleSection(heading("Examples:"), topic),
    wrap(topic.more, style.columns, 0),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

/** Returns the parts of the usage line. A line can break between parts, not inside an option. */
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

/** Options under a heading of the help. */
export interface RowGroup {
  readonly heading: OptionGroup;
  readonly rows: readonly Row[];
}

/** Returns the options of a command under their headings, in the order of `OPTION_GROUPS`. */
export function rowGroups({ options }: Pick<Topic, "options">): readonly RowGroup[] {
  const groups = Map.groupBy(options, groupOf);
  return OPTION_GROUPS.map((heading) => ({
    heading,
    rows: (groups.get(heading) ?? []).map(optionRow),
  })).filter(({ rows }) => rows.length > 0);
}

function groupOf([, option]: NamedOption): OptionGroup {
  const isRequired = option.value !== undefined && (option.required || option.needed);
  return isRequired ? "Required" : option.group ?? "Options";
}

/** Largest number of options that the help shows without `--help all`. */
const MOST_OPTIONS = 15;

/** Returns the options that most people need: all of them, if there are few. */
export function commonOptions(options: readonly NamedOption[]): readonly NamedOption[] {
  return options.length <= MOST_OPTIONS ? options : options.filter(([, { rare }]) => !rare);
}

/** Returns the options of a command, in the order of the help. */
export function optionRows(topic: Pick<Topic, "options">): readonly Row[] {
  return rowGroups(topic).flatMap(({ rows }) => rows);
}

function optionRow(named: NamedOption): Row {
  const [, option] = named;
  const notes = [
    isRequired(option) ? "required" : "",
    neededNote(named),
    defaultOf(option) === undefined ? "" : `default: ${defaultOf(option)}`,
    option.value === undefined || option.variable === undefined ? "" : `env: ${option.variable}`,
  ].filter((note) => note !== "").join("; ");
  return {
    form: `${option.short ? `${option.short}, ` : "    "}${allForms(named)}`,
    description: `${option.description}${notes && ` (${notes})`}`.replace(") (", "; "),
  };
}

/** Returns the options under their headings, with all descriptions in one column. */
function optionSections(
  topic: Topic,
  heading: (text: string) => string,
  columns: number,
): readonly string[] {
  const groups = rowGroups(topic);
  const beside = besideOf(groups.flatMap(({ rows }) => rows));
  return groups.map(({ heading: title, rows }) =>
    section(heading(`${title}:`), rows, columns, beside)
  );
}

type Option = NamedOption[1];

function isRequired(option: Option): boolean {
  return option.value !== undefined && option.required === true;
}

function neededNote([flag, option]: NamedOption): string {
  if (option.value === undefined || option.needed === undefined) return "";
  const unless = option.needed === true ? "" : `${option.needed} or `;
  return `required unless ${unless}${keyOf(flag)} in NAME.json is set`;
}

/** An option that requires another has its default in its description. */
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
    : form.replace(" ", () => `, ${option.alias} `);
}

/** Returns the commands of a group under their headings, with all names in one column. */
function memberSections(
  { members = [] }: Topic,
  heading: (text: string) => string,
  columns: number,
): readonly string[] {
  const width = Math.max(...members.map(([name]) => name.length));
  const byHeading = Map.groupBy(members, ([, { heading = "Commands" }]) => heading);
  return [...byHeading].map(([title, own]) => {
    const rows = own.map(([name, { summary, aliases }]) => {
      const also = aliases === undefined ? "" : ` (also: ${aliases.join(", ")})`;
      return { form: name.padEnd(width), description: summary + also };
    });
    return section(heading(`${title}:`), rows, columns);
  });
}

/** Returns the column of the descriptions: after the longest form that is not too long. */
function besideOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ form }) => form.length <= LONGEST_FORM ? form.length : 0)) + 4;
}

function section(
  heading: string,
  rows: readonly Row[],
  columns: number,
  beside: number = besideOf(rows),
): string {
  if (rows.length === 0) return "";
  const isNarrow = columns - beside < LEAST_DESCRIPTION;
  const lines = rows.map(({ form, description }) => {
    if (isNarrow) return `  ${form.trim()}\n${BELOW}${wrap(description, columns, BELOW.length)}`;
    const start = `  ${form}`.padEnd(beside);
    const gap = form.length + 4 > beside ? `\n${" ".repeat(beside)}` : "";
    return `${start}${gap}${wrap(description, columns, beside)}`;
  });
  return [heading, ...lines].join("\n");
}

/** In columns. The description of a longer form stands below it. */
const LONGEST_FORM = 27;

/** In columns. If less room is left beside the forms, descriptions stand below them. */
const LEAST_DESCRIPTION = 18;

const BELOW = " ".repeat(6);

function exampleSection(heading: string, { examples }: Topic): string {
  if (examples.length === 0) return "";
  return [heading, ...examples.map(([title, line]) => `  ${title}\n    ${line}`)].join("\n");
}
