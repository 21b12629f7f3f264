import { MlcliError, UsageError } from "../errors.ts";
import {
  asWritten,
  distanceOf,
  isObject,
  isRawNumber,
  jsonProblem,
  nameOfType,
  parseJson,
} from "../text.ts";

export interface HyperparametersFile {
  /** For messages. */
  readonly path: string;
  readonly text: string;
}

/**
 * The hyperparameters of a training: those of the app's file, and the command line's over them.
 *
 * @param overrides each `key=value`.
 * @returns every value as SageMaker sends it: a string. Other values become JSON.
 * @throws UsageError for an override without a key or a value; MlcliError for a file that is not a
 * JSON object.
 */
export function hyperparametersOf(
  file: HyperparametersFile | undefined,
  overrides: readonly string[],
): Readonly<Record<string, string>> {
  const fromCommandLine = overrides.map(parseOverride);
  const fromFile = file === undefined ? [] : valuesIn(file);
  return Object.fromEntries([...fromFile, ...fromCommandLine]);
}

/**
 * Returns a warning for each name on the command line that looks like a typo: it is not in the file, but
 * equals one of its names except for case, `-` and `_`, or is one edit away from one of more than four
 * letters. Names with other digits are not typos: `adam_beta1`, `adam_beta2`.
 */
export function hyperparameterTypos(
  file: HyperparametersFile | undefined,
  overrides: readonly string[],
): readonly string[] {
  const known = Object.keys(hyperparametersOf(file, []));
  const typed = Object.keys(hyperparametersOf(undefined, overrides));
  return typed.filter((name) => !known.includes(name)).flatMap((name) => {
    const meant = nameMeantBy(name, known);
    if (meant === undefined) return [];
    const [wrong, right] = [name, meant].map((one) => JSON.stringify(one));
    return [`Hyperparameter ${wrong} is not in hyperparameters.json; did you mean ${right}?`];
  });
}

function nameMeantBy(typed: string, known: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");
  const digits = (name: string): string => name.replace(/\D/g, "");
  return known.find((name) => plain(name) === plain(typed)) ??
    known.find((name) =>
      name.replace(/\P{L}/gu, "").length > 4 && digits(name) === digits(typed) &&
      distanceOf(plain(typed), plain(name)) === 1
    );
}

function parseOverride(text: string): readonly [key: string, value: string] {
  const end = text.indexOf("=");
  const key = text.slice(0, Math.max(0, end)).trim();
  if (key !== "") return [key, text.slice(end + 1)];
  throw new UsageError(`Option "--hyperparameter" must be KEY=VALUE, but got "${text}"`, {
    hint: "Example: --hyperparameter epochs=20",
  });
}

function valuesIn({ path, text }: HyperparametersFile): [key: string, value: string][] {
  try {
    return valuesOf(parseJson(text, asWritten), path);
  } catch (error) {
    if (error instanceof SyntaxError) {
      const { reason, hint } = jsonProblem(error);
      throw new MlcliError(`${path} is not valid JSON: ${reason}`, {
        hint: `${hint}. ${EXAMPLE}.`,
        cause: error,
      });
    }
    // Each level of a value takes a call, and the stack holds thousands of them.
    if (!(error instanceof RangeError)) throw error;
    throw new MlcliError(`${path} is nested too deeply`, { hint: EXAMPLE, cause: error });
  }
}

const EXAMPLE = 'Write a JSON object, such as {"epochs": 20}';

function valuesOf(value: unknown, file: string): [key: string, value: string][] {
  if (!isObject(value) || isRawNumber(value)) {
    const found = isRawNumber(value) ? "a number" : nameOfType(value);
    throw new MlcliError(`${file} must contain a JSON object, but contains ${found}`, {
      hint: EXAMPLE,
    });
  }
  return Object.entries(value).map(([key, inner]) => [
    key,
    typeof inner === "string" ? inner : JSON.stringify(inner),
  ]);
}
