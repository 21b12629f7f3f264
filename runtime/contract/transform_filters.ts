/**
 * Filters and joins of a batch transform: SageMaker's part of JSONPath. Source: developer guide, "Associate
 * Prediction Results with Input Records"; what it refuses besides: aws/sagemaker-python-sdk issue 1112
 * (several ranges) and aws/aws-sdk issue 184 (`_`).
 */

import { MlcliError, UsageError } from "../errors.ts";

type Step =
  | { readonly names: readonly string[]; readonly isList: boolean }
  | { readonly indexes: readonly number[]; readonly isList: boolean }
  | { readonly from: number | undefined; readonly to: number | undefined }
  | "all";

/** A filter that was read. */
export type Filter = readonly Step[];

const HINT = "Such as $[1:], $[0,-1], $.features or $['id','SageMakerOutput'].";

/** @throws UsageError for what CreateTransformJob refuses. */
export function parseFilter(text: string): Filter {
  const wrong = (reason: string): UsageError =>
    new UsageError(`SageMaker takes no filter like ${text}: ${reason}.`, { hint: HINT });
  if (!text.startsWith("$")) throw wrong("it begins with $");
  if (text.includes("_")) throw wrong('it refuses names with "_"');
  const steps: Step[] = [];
  let rest = text.slice(1);
  while (rest !== "") {
    const last = steps.at(-1);
    if (last !== undefined && isSeveral(last)) throw wrong("nothing follows several elements");
    const [whole, name, brackets] = /^(?:\.([^.[\]'"*,:\s]+|\*)|\.?\[([^\]]*)\])/.exec(rest) ?? [];
    if (whole === undefined) throw wrong(`${rest} is none of its operators`);
    steps.push(name === undefined ? inBrackets(brackets!, wrong) : named(name));
    rest = rest.slice(whole.length);
  }
  return steps;
}

function named(name: string): Step {
  return name === "*" ? "all" : { names: [name], isList: false };
}

function inBrackets(text: string, wrong: (reason: string) => UsageError): Step {
  if (text.trim() === "*") return "all";
  const [, from, to] = /^\s*(-?\d+)?\s*:\s*(-?\d+)?\s*$/.exec(text) ?? [];
  if (/^[\s\d-]*:[\s\d-]*$/.test(text)) {
    const number = (digits: string | undefined) =>
      digits === undefined ? undefined : Number(digits);
    return { from: number(from), to: number(to) };
  }
  const parts = text.split(",").map((part) => part.trim());
  if (parts.some((part) => part.includes(":"))) throw wrong("it may have one range alone");
  const isList = parts.length > 1;
  if (parts.every((part) => /^-?\d{1,9}$/.test(part))) {
    return { indexes: parts.map(Number), isList };
  }
  const names = parts.map((part) => /^'([^']+)'$|^"([^"]+)"$/.exec(part));
  if (names.some((name) => name === null)) throw wrong(`[${text}] is none of its operators`);
  return { names: names.map((name) => name![1] ?? name![2]!), isList };
}

function isSeveral(step: Step): boolean {
  return step === "all" || !("isList" in step) || step.isList;
}

/** Whether a filter has a range with an end, of which JSONPath and AWS's guide think differently. */
export function hasRangeEnd(filter: Filter): boolean {
  return filter.some((step) => step !== "all" && "to" in step && step.to !== undefined);
}

/** A record that a filter or a join cannot take, which fails its file. */
export class UnfitRecord extends MlcliError {
  override readonly name = "UnfitRecord";
}

/**
 * What a filter takes of a value of JSON.
 *
 * @param countsEnd of CSV, the end of a range belongs to it: in the guide, `$[1:4]` takes the second to the
 * fifth column.
 * @throws UnfitRecord where there is no such element.
 */
function filtered(value: unknown, filter: Filter, countsEnd: boolean): unknown {
  return filter.reduce((found, step) => {
    if (step === "all") return Array.isArray(found) ? found : Object.values(objectOf(found));
    if ("names" in step) {
      const object = objectOf(found);
      const each = step.names.map((name) => [name, ownOf(object, name)] as const);
      return step.isList ? Object.fromEntries(each) : each[0]![1];
    }
    if (!Array.isArray(found)) throw new UnfitRecord("a filter by numbers needs an array");
    if ("indexes" in step) {
      const each = step.indexes.map((index) => elementOf(found, index));
      return step.isList ? each : each[0];
    }
    const { from, to } = step;
    if (to === undefined || !countsEnd) return found.slice(from ?? 0, to);
    return found.slice(from ?? 0, to === -1 ? undefined : to + 1);
  }, value);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJson(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new UnfitRecord("a filter by name needs an object");
}

function ownOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  throw new UnfitRecord(`there is no "${name}"`);
}

function elementOf(array: readonly unknown[], index: number): unknown {
  const at = index < 0 ? array.length + index : index;
  if (at in array) return array[at];
  throw new UnfitRecord(`there is no element ${index} of ${array.length}`);
}

/** The fields of a line of CSV, as they stand there, with their quotes. */
export function fieldsOf(line: string): readonly string[] {
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

/** A type of records: how a filter is applied to one, and how an answer is joined with it. */
export interface Records {
  /** @throws UnfitRecord */
  readonly filter: (record: string, filter: Filter) => string;
  /** The record with its answer. */
  readonly join: (record: string, answer: string) => string;
}

const CSV: Records = {
  filter(record, filter) {
    const found = filtered(fieldsOf(record), filter, true);
    return Array.isArray(found) ? found.join(",") : String(found);
  },
  join: (record, answer) => `${record},${answer}`,
};

const JSON_RECORDS: Records = {
  filter: (record, filter) => JSON.stringify(filtered(jsonOf(record), filter, false)),
  join(record, answer) {
    const [input, output] = [jsonOf(record), jsonOf(answer)];
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input) &&
      !isRawJson(input);
    return JSON.stringify(
      isObject
        ? { ...input, SageMakerOutput: output }
        : { SageMakerInput: input, SageMakerOutput: output },
    );
  },
};

/** @param type without parameters: CSV, JSON or JSON Lines. */
export function recordsOfType(type: string): Records {
  return type === "text/csv" ? CSV : JSON_RECORDS;
}

/** Of ECMAScript's "JSON.parse source text access", which V8 has and TypeScript does not know. */
const RAW = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, of: { readonly source: string }) => unknown,
  ): unknown;
};

function isRawJson(value: unknown): boolean {
  return RAW.isRawJSON(value);
}

/** Numbers stay as they are written: 1.0, and what is larger than JavaScript's. */
function jsonOf(text: string): unknown {
  try {
    return RAW.parse(
      text,
      (_, value, { source }) => typeof value === "number" ? RAW.rawJSON(source) : value,
    );
  } catch {
    throw new UnfitRecord("it is not JSON");
  }
}
