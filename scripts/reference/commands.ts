/** The commands of docs/reference/cli.md, from the command tree. */

import { everywhere, help } from "../../commands/options/standard.ts";
import { type Row, type RowGroup, rowGroups, usageParts } from "../../commands/render/help.ts";
import { OPTION_GROUPS } from "../../commands/options/option.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicsBelow } from "../../commands/topic.ts";
import { wrap, wrapWords } from "../../runtime/messages.ts";

/** A list of all commands, and a section for each. */
export async function commandList(): Promise<string> {
  const topics = (await topicsBelow(root)).filter(({ members }) => members === undefined);
  const shared = sharedItems(topics);
  return [
    sharedSection(topics, shared),
    listSection(topics),
    ...topics.map((topic) => section(topic, shared)),
  ].join("\n");
}

/** Options that this many commands have in the same words are described once. */
const MANY = 3;

/** Returns the options of many commands, as `itemOf` writes them, if their flags have one meaning. */
function sharedItems(topics: readonly Topic[]): ReadonlySet<string> {
  const rows = topics.flatMap((topic) => ownGroups(topic).flatMap(({ rows }) => rows));
  const shared = [...Map.groupBy(rows, flagOf).values()].map((rows) => {
    const frequent = [...Map.groupBy(rows, itemOf)].filter(([, { length }]) => length >= MANY);
    return frequent.map(([item]) => item);
  });
  return new Set(shared.filter(({ length }) => length === 1).flat());
}

function listSection(topics: readonly Topic[]): string {
  const items = topics.map(({ path, description }) => {
    const [summary] = description.split("\n");
    return `- [${path.replace("mlcli ", "")}](#${path.replaceAll(" ", "-")}): ${summary}\n`;
  });
  return `## All commands\n\n${items.join("")}`;
}

/** Describes the shared options, under the headings of the help. */
function sharedSection(topics: readonly Topic[], shared: ReadonlySet<string>): string {
  const meaning = "Each command below names the options from this list that it supports.";
  const all = topics.flatMap(ownGroups);
  const groups = OPTION_GROUPS.map((heading) => {
    const items = new Set(itemsOf(all.filter((group) => group.heading === heading)));
    return headed(heading, [...items].filter((item) => shared.has(item)));
  });
  return ["## Options of many commands\n", `${meaning}\n`, ...groups].filter((text) => text !== "")
    .join("\n");
}

function headed(heading: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `**${heading}**\n\n${items.join("")}`;
}

/** Leaves out the options that every command has: the text above the reference describes them. */
function ownGroups(topic: Topic): readonly RowGroup[] {
  const ofEvery = Object.keys({ ...everywhere, ...help });
  return rowGroups(topic).map(({ heading, rows }) => ({
    heading,
    rows: rows.filter(({ form }) => !ofEvery.some((flag) => form.includes(flag))),
  })).filter(({ rows }) => rows.length > 0);
}

function itemsOf(groups: readonly RowGroup[]): readonly string[] {
  return groups.flatMap(({ rows }) => rows.map(itemOf));
}

function itemOf({ form, description }: Row): string {
  return `- ${wrapWords([`\`${form.trim()}\`:`, ...description.split(" ")], 100, 2)}\n`;
}

function section(topic: Topic, shared: ReadonlySet<string>): string {
  const groups = ownGroups(topic);
  const usage = usageParts(topic);
  const isShared = (row: Row): boolean => shared.has(itemOf(row));
  const also = groups.flatMap(({ rows }) => rows.filter(isShared)).map(flagOf);
  return [
    `### ${topic.path}\n`,
    `${wrap(topic.description, 100, 0)}\n`,
    usage.length === 2 ? "" : `\`${usage.join(" ")}\`\n`,
    ...groups.map(({ heading, rows }) =>
      headed(heading, rows.filter((row) => !isShared(row)).map(itemOf))
    ),
    also.length === 0 ? "" : `${wrap(`Also ${also.join(", ")}`, 100, 0)}\n`,
  ].filter((part) => part !== "").join("\n");
}

/** Returns the long flag of an option, without the placeholder of its value. */
function flagOf({ form }: Row): string {
  return `\`${/--[a-z0-9-]+/.exec(form)![0]}\``;
}
