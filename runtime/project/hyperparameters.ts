/**
 * The hyperparameters of a training run: the app's file, and the command line over it.
 *
 * @module
 */

import { fileErrorReason, MlcliError } from "../errors.ts";
import { isObject, nameOfType, parseJson } from "./configuration.ts";
import type { Layout } from "./layout.ts";
import { typedPath } from "./typed_path.ts";

/**
 * Reads `hyperparameters.json`, if there is one, and puts the command line's over it.
 *
 * @param overrides each `key=value`.
 * @returns every value as the platform sends it: a string. Others than strings become JSON.
 * @throws MlcliError of kind `usage` for an override without a key or a value, `configuration`
 * for a file that is not a JSON object.
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
  throw new MlcliError("usage", `Option "--hyperparameter" must be KEY=VALUE, but got "${text}".`, {
    hint: "Such as --hyperparameter epochs=20",
  });
}

async function readFile(layout: Layout): Promise<[key: string, value: string][]> {
  const path = layout.hyperparameters;
  const file = typedPath(layout.directory, path);
  let value: unknown;
  try {
    value = parseJson(await Deno.readTextFile(path), asWritten);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    const problem = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new MlcliError("configuration", `${file} ${problem}: ${fileErrorReason(error)}`, {
      hint: `It holds a JSON object, such as {"epochs": 20}.`,
      cause: error,
    });
  }
  if (!isObject(value) || isRawNumber(value)) {
    const found = isRawNumber(value) ? "a number" : nameOfType(value);
    throw new MlcliError("configuration", `${file} must hold a JSON object, but holds ${found}`, {
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
