/**
 * The metrics of an app, as its configuration file defines them: `metric_definitions`, a list as
 * CreateTrainingJob takes it.
 */

import { MlcliError } from "../errors.ts";
import { isObject, nameOfType } from "../text.ts";

/** A metric, and where in a line of the output its value is. */
export interface MetricDefinition {
  readonly name: string;
  /** Its first group is the value. */
  readonly regex: string;
}

export const METRICS_KEY = "metric_definitions";

/** Finds the loss in the output of the sample that `mlcli init` writes, and of much other code. */
export const SAMPLE_METRIC = { Name: "loss", Regex: "\\bloss[=: ]+([0-9.e+-]+)" } as const;

/** How many definitions there may be: API reference, AlgorithmSpecification, `MetricDefinitions`. */
export const MOST_DEFINITIONS = 40;

/** How many values mlcli keeps of a run, of all its metrics: a curve needs no more. */
export const MOST_SAMPLES = 100_000;

/** The keys of a definition, and how long their values may be: API reference, MetricDefinition. */
export const DEFINITION_KEYS = { Name: 255, Regex: 500 } as const;

const EXAMPLE = `Example: "${METRICS_KEY}": [{"Name": "loss", "Regex": "loss=([0-9.]+)"}]`;

/**
 * The definitions that a configuration file has; none where it does not have the key.
 *
 * @param file its name, for messages.
 * @throws MlcliError that names file, key and what was expected.
 */
export function metricDefinitionsIn(value: unknown, file: string): readonly MetricDefinition[] {
  if (value === undefined || value === null || value === "") return [];
  if (!Array.isArray(value)) {
    throw new MlcliError(`${file}: "${METRICS_KEY}" must be a list, but is ${nameOfType(value)}`, {
      hint: EXAMPLE,
    });
  }
  if (value.length > MOST_DEFINITIONS) {
    throw new MlcliError(
      `${file}: "${METRICS_KEY}" has ${value.length} definitions, but SageMaker accepts ` +
        `up to ${MOST_DEFINITIONS}`,
      { hint: `Remove some definitions from ${file}` },
    );
  }
  return value.map((row: unknown, index) => definitionIn(row, `${METRICS_KEY}[${index}]`, file));
}

function definitionIn(row: unknown, where: string, file: string): MetricDefinition {
  if (!isObject(row)) {
    throw new MlcliError(`${file}: ${where} must be an object, but is ${nameOfType(row)}`, {
      hint: EXAMPLE,
    });
  }
  const other = Object.keys(row).find((key) => !Object.hasOwn(DEFINITION_KEYS, key));
  if (other !== undefined) {
    throw new MlcliError(`${file}: ${where} has an unknown key ${JSON.stringify(other)}`, {
      hint: `Use only the keys "Name" and "Regex". ${EXAMPLE}`,
    });
  }
  return { name: textIn(row, "Name", where, file), regex: textIn(row, "Regex", where, file) };
}

function textIn(
  row: Readonly<Record<string, unknown>>,
  key: keyof typeof DEFINITION_KEYS,
  where: string,
  file: string,
): string {
  const value = Object.hasOwn(row, key) ? row[key] : undefined;
  const longest = DEFINITION_KEYS[key];
  // SageMaker's pattern is `.+`.
  const isFit = typeof value === "string" && /^.+$/.test(value) && [...value].length <= longest;
  if (isFit) return value;
  const found = value === undefined
    ? "is missing"
    : typeof value === "string"
    ? value === "" ? "is empty" : "is longer or contains line breaks"
    : `is ${nameOfType(value)}`;
  throw new MlcliError(
    `${file}: "${key}" of ${where} must be text of 1 to ${longest} characters, but ${found}`,
    { hint: EXAMPLE },
  );
}
