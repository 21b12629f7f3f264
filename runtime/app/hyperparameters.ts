/**
 * The hyperparameters of a training run: the app's file, and the command line over it.
 *
 * @module
 */

import { fileErrorReason, MlcliError, UsageError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import { isObject, nameOfType, parseJson } from "./configuration.ts";
import type { Layout } from "./layout.ts";
import { typedPath } from "./typed_path.ts";

/**
 * Reads `hyperparameters.json`, if there is one, and puts the command line's over it.
 *
 * @param overrides each `key=value`.
 * @returns every value as the platform sends it: a string. Others than strings become JSON.
 * @throws UsageError for an override without a key or a value; MlcliError for a file that is not a
 * JSON object.
 */
export async function readHyperparameters(
  layout: Layout,
  overrides: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const fromCommandLine = overrides.map(parseOverride);
  const fromFile = await readFile(layout);
  return Object.fromEntries([...fromFile, ...fromCommandLine]);
}

function parseOverride(text: string): readonly [key: string, value: string] {
  const end = text.indexOf("=");
  const key = text.slice(0, Math.max(0, end)).trim();
  if (key !== "") return [key, text.slice(end + 1)];
  throw new UsageError(`Option "--hyperparameter" must be KEY=VALUE, but got "${text}".`, {
    hint: "Such as --hyperparameter epochs=20",
  });
}

async function readFile(layout: Layout): Promise<[key: string, value: string][]> {
  const path = layout.hyperparameters;
  const file = typedPath(layout.directory, path);
  try {
    return valuesOf(parseJson(await readTextFile(path, LARGEST_TEXT), asWritten), file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    if (error instanceof MlcliError) throw error;
    throw new MlcliError(`${file} ${problemOf(error)}`, {
      hint: `It holds a JSON object, such as {"epochs": 20}.`,
      cause: error,
    });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return `is not valid JSON: ${error.message}`;
  // Each level of a value takes a call, and the stack holds thousands of them.
  if (error instanceof RangeError) return "is nested too deeply";
  return `cannot be read: ${fileErrorReason(error)}`;
}

function valuesOf(value: unknown, file: string): [key: string, value: string][] {
  if (!isObject(value) || isRawNumber(value)) {
    const found = isRawNumber(value) ? "a number" : nameOfType(value);
    throw new MlcliError(`${file} must hold a JSON object, but holds ${found}`, {
      hint: `Such as {"epochs": 20}.`,
    });
  }
  return Object.entries(value).map(([key, inner]) => [
    key,
    typeof inner === "string" ? inner : JSON.stringify(inner),
  ]);
}

/** Not in TypeScript's library yet: "JSON.parse source text access", stage 4. */
const { rawJSON, isRawJSON: isRawNumber } = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Keeps numbers as they are written: a seed of 20 digits, or 1e-3, must arrive unchanged. */
function asWritten(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === "number" && context.source !== undefined
    ? rawJSON(context.source)
    : value;
}
