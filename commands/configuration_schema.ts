/**
 * The schema of the configuration file (JSON Schema, draft 7), with which editors complete and check
 * it. It is made from the tables with which mlcli itself reads the file.
 */

import {
  CONFIGURATION_KEYS,
  RULES,
  SCHEMA_KEY,
  type SectionName,
  SECTIONS,
} from "../runtime/app/configuration.ts";
import {
  DEFINITION_KEYS,
  METRICS_KEY,
  MOST_DEFINITIONS,
} from "../runtime/contract/metric_definitions.ts";
import { VERSION } from "../runtime/version.ts";
import { sectionOptions } from "./chosen_app.ts";
import type { NamedOption } from "./options/option.ts";
import { optionsByKey } from "./options/file.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The schema as text, ending in a newline. */
export async function configurationSchema(): Promise<string> {
  const sections = await Promise.all(
    SECTIONS.map(async (name) => [name, await sectionSchema(name)] as const),
  );
  const schema: Schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $comment: `Written by mlcli ${VERSION}. To update it, run mlcli init with a newer version.`,
    title: "Configuration of an mlcli app",
    type: "object",
    properties: {
      [SCHEMA_KEY]: { type: "string", description: "Path of this schema, for editors" },
      ...Object.fromEntries(CONFIGURATION_KEYS.map((key) => [key, {
        type: "string",
        description: RULES[key].meaning,
        pattern: RULES[key].pattern.source,
      }])),
      [METRICS_KEY]: metricsSchema(),
      ...Object.fromEntries(sections),
    },
    // mlcli ignores unknown keys: an editor may mark them.
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function metricsSchema(): Schema {
  const texts = Object.entries(DEFINITION_KEYS).map(([key, maxLength]) =>
    [key, { type: "string", pattern: "^.+$", maxLength }] as const
  );
  return {
    type: "array",
    description: "Metrics to read from the output of a training run: a name and a regular " +
      "expression whose first group is the value",
    maxItems: MOST_DEFINITIONS,
    items: {
      type: "object",
      properties: Object.fromEntries(texts),
      required: Object.keys(DEFINITION_KEYS),
      additionalProperties: false,
    },
  };
}

async function sectionSchema(name: SectionName): Promise<Schema> {
  const known = optionsByKey(await sectionOptions(name), name);
  return {
    type: "object",
    description: name === "local"
      ? "Options of mlcli local train, process, deploy and shell"
      : `Options of mlcli ${name}`,
    properties: Object.fromEntries(
      [...known].map(([key, [, option]]) => [key, {
        description: option.description,
        ...valueSchema(option),
      }]),
    ),
    additionalProperties: false,
  };
}

/** Options whose values are numbers, with or without a unit. */
const NUMBERS = ["number", "duration", "mb", "percent", "size", "gpus"];

/** Returns the values that the file can set for an option. */
function valueSchema(option: NamedOption[1]): Schema {
  if (option.value === undefined) return { type: "boolean" };
  if (option.choices !== undefined) return { enum: option.choices };
  if (!option.repeatable) {
    return { type: NUMBERS.includes(option.value) ? ["number", "string"] : "string" };
  }
  const texts = [{ type: "string" }, { type: "array", items: { type: "string" } }];
  if (!PAIRS.test(option.value)) return { anyOf: texts };
  const pairs = { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } };
  return { anyOf: [pairs, ...texts] };
}

/** Options that are `NAME=VALUE` on a command line. */
const PAIRS = /=(value|type)/;
