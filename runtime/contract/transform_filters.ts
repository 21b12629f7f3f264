/**
 * Filters and joins of a batch transform: SageMaker's part of JSONPath. Source: developer guide, "Associate
 * Prediction Results with Input Records"; what it refuses besides: aws/sagemaker-python-sdk issue 1112
 * (several ranges) and aws/aws-sdk issue 184 (`_`).
 */

import { MlcliError, UsageError } from "../errors.ts";
import { asWritten, isObject, isRawNumber, parseJson } from "../text.ts";
import { lengthOf, TRANSFORM } from "./limits.ts";

/** One operator: what it takes of a value of JSON. */
interface Step {
  /** Whether it takes several elements: nothing may follow it. */
  readonly isSeveral: boolean;
  /** Whether it is a range with an end. */
  readonly hasEnd?: boolean;
  /** @throws UnfitRecord where there is no such element. */
  readonly take: (value: unknown, isCsv: boolean) => unknown;
}

/** A filter that was read. */
export type Filter = readonly Step[];

const HINT = "Use a filter such as $[1:], $[0,-1], $.features or $['id','SageMakerOutput']";

/** @throws UsageError for what CreateTransformJob refuses. */
export function parseFilter(text: string): Filter {
  const wrong = (reason: string, hint = HINT): UsageError =>
    new UsageError(`SageMaker does not support the filter "${text}": ${reason}`, { hint });
  if (lengthOf(text) > TRANSFORM.filterLength) {
    throw wrong(`it is longer than ${TRANSFORM.filterLength} characters`);
  }
  if (!text.startsWith("$")) throw wrong("it must begin with $");
  if (text.includes("_")) throw wrong('names with "_" are not allowed', "Rename the JSON key");
  const steps: Step[] = [];
  let rest = text.slice(1);
  while (rest !== "") {
    if (steps.at(-1)?.isSeveral) throw wrong("a selection of several elements must come last");
    const [whole, name, brackets] = /^(?:\.([^.[\]'"*,:\s]+|\*)|\.?\[([^\]]*)\])/.exec(rest) ?? [];
    if (whole === undefined) throw wrong(`${rest} is not a supported operator`);
    const isAll = (name ?? brackets!).trim() === "*";
    steps.push(isAll ? ALL : name === undefined ? inBrackets(brackets!, wrong) : byNames([name]));
    rest = rest.slice(whole.length);
  }
  return steps;
}

function inBrackets(text: string, wrong: (reason: string) => UsageError): Step {
  const range = /^\s*(-?\d+)?\s*:\s*(-?\d+)?\s*$/.exec(text);
  if (range !== null) return byRange(range[1], range[2]);
  const parts = text.split(",").map((part) => part.trim());
  if (parts.some((part) => part.includes(":"))) throw wrong("brackets can contain only one range");
  if (parts.every((part) => /^-?\d{1,9}$/.test(part))) return byIndexes(parts.map(Number));
  const names = parts.map((part) => /^(['"])([^'"]+)\1$/.exec(part)?.[2]);
  if (names.includes(undefined)) throw wrong(`[${text}] is not a supported operator`);
  return byNames(names as string[]);
}

const ALL: Step = {
  isSeveral: true,
  take: (value) => Array.isArray(value) ? value : Object.values(objectOf(value)),
};

function byNames(names: readonly string[]): Step {
  const isSeveral = names.length > 1;
  return {
    isSeveral,
    take(value) {
      const object = objectOf(value);
      const taken = names.map((name) => {
        if (Object.hasOwn(object, name)) return [name, object[name]] as const;
        throw new UnfitRecord(`it has no key "${name}"`);
      });
      return isSeveral ? Object.fromEntries(taken) : taken[0]![1];
    },
  };
}

function byIndexes(indexes: readonly number[]): Step {
  const isSeveral = indexes.length > 1;
  return {
    isSeveral,
    take(value) {
      const array = arrayOf(value);
      const taken = indexes.map((index) => {
        const at = index < 0 ? array.length + index : index;
        if (at in array) return array[at];
        throw new UnfitRecord(`it has no element ${index} (length ${array.length})`);
      });
      return isSeveral ? taken : taken[0];
    },
  };
}

/** Of CSV, the end belongs to it: in the guide, `$[1:4]` takes the second to the fifth column. */
function byRange(from: string | undefined, to: string | undefined): Step {
  return {
    isSeveral: true,
    hasEnd: to !== undefined,
    take(value, isCsv) {
      const array = arrayOf(value);
      const start = Number(from ?? 0);
      if (start > array.length - 1 || start < -array.length) {
        throw new UnfitRecord(`it has no element ${start} (length ${array.length})`);
      }
      const end = to === undefined ? Infinity : Number(to) + (isCsv ? 1 : 0);
      // The one behind the last, -1, is the end itself.
      return array.slice(start, isCsv && to === "-1" ? Infinity : end);
    },
  };
}

/** Whether a filter has a range with an end, of which JSONPath and AWS's guide think differently. */
export function hasRangeEnd(filter: Filter): boolean {
  return filter.some(({ hasEnd }) => hasEnd);
}

/** A record that a filter or a join cannot take, which fails its file. */
export class UnfitRecord extends MlcliError {
  override readonly name = "UnfitRecord";
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !isRawNumber(value);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value;
  throw new UnfitRecord("the filter selects by name, but the value is not a JSON object");
}

function arrayOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnfitRecord("the filter selects by position, but the value is not a JSON array");
}

/** The fields of a line of CSV, as they stand there, with their quotes. */
function fieldsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(",");
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    if (character !== "," || isQuoted) {
      field += character;
      continue;
    }
    fields.push(field);
    field = "";
  }
  return [...fields, field];
}

/**
 * What a filter takes of a record.
 *
 * @param isCsv else it is JSON.
 * @throws UnfitRecord where it does not fit.
 */
export function filteredRecord(record: string, filter: Filter, isCsv: boolean): string {
  const whole: unknown = isCsv ? fieldsOf(record) : jsonOf(record);
  const found = filter.reduce((value, { take }) => take(value, isCsv), whole);
  return isCsv ? [found].flat().join(",") : JSON.stringify(found);
}

/** A record with its answer. */
export function joinedRecord(record: string, answer: string, isCsv: boolean): string {
  if (isCsv) return `${record},${answer}`;
  const input = jsonOf(record);
  const whole = isPlainObject(input) ? input : { SageMakerInput: input };
  return JSON.stringify({ ...whole, SageMakerOutput: jsonOf(answer) });
}

/** Numbers stay as they are written: 1.0, and what is larger than JavaScript's. */
function jsonOf(text: string): unknown {
  try {
    return parseJson(text, asWritten);
  } catch {
    throw new UnfitRecord("it is not JSON");
  }
}
