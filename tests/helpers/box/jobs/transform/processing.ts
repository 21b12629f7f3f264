/** `DataProcessing`: what of a record the model sees, and what becomes of its answer. */

import { found } from "./paths.ts";
import { RecordError } from "./records.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** Of texts without a newline at their end. */
export interface Processing {
  /** What the model sees of a record. */
  readonly input: (record: string) => string;
  /** What is kept of a record and its answer. */
  readonly output: (record: string, answer: string) => string;
}

/** @returns `undefined` where nothing is filtered or joined. */
export function processingOf(
  { DataProcessing = {}, TransformInput }: Request,
): Processing | undefined {
  const { InputFilter = "$", OutputFilter = "$", JoinSource = "None" } = DataProcessing;
  const joins = JoinSource === "Input";
  if (InputFilter === "$" && OutputFilter === "$" && !joins) return undefined;
  const { parse, write, join, isInclusive } = TransformInput.ContentType === "text/csv"
    ? CSV
    : JSON_TEXT;
  return {
    input: (record) => write(found(parse(record, "input"), InputFilter, isInclusive)),
    output: (record, answer) => {
      const answered = parse(answer, "output from the algorithm");
      const all = joins ? join(parse(record, "input"), answered) : answered;
      return write(found(all, OutputFilter, isInclusive));
    },
  };
}

interface Format {
  readonly parse: (text: string, what: string) => unknown;
  readonly write: (value: unknown) => string;
  readonly join: (record: unknown, answer: unknown) => unknown;
  readonly isInclusive: boolean;
}

const FIELD = /("(?:[^"]|"")*"|[^",]*)(,|$)/y;

/** A row is a list of fields, which keep their quotes. */
const CSV: Format = {
  parse: (text, what) => {
    const fields: string[] = [];
    for (FIELD.lastIndex = 0;;) {
      const [, field, end] = FIELD.exec(text) ?? [];
      if (field === undefined) throw new RecordError([`Failed to parse ${what} as CSV`]);
      fields.push(field);
      if (end === "") return fields;
    }
  },
  write: (value) => [value].flat().join(","),
  join: (record, answer) => [record, answer].flat(),
  isInclusive: true,
};

const JSON_TEXT: Format = {
  parse: (text, what) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new RecordError([`Failed to parse ${what} as JSON`]);
    }
  },
  write: (value) => JSON.stringify(value),
  join: (record, answer) => {
    const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
    return isObject
      ? { ...record, SageMakerOutput: answer }
      : { SageMakerInput: record, SageMakerOutput: answer };
  },
  isInclusive: false,
};
