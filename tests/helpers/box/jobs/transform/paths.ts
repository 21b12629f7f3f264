/**
 * SageMaker's part of JSONPath: guide, "Associate Prediction Results with Input Records". What it
 * does not have is refused when the first record comes.
 */

import { RecordError } from "./records.ts";

const NAME = "'[^'.]*'";
const NUMBER = "-?\\d+";
const STEP = new RegExp(
  `^(?:\\.(?<name>[a-zA-Z0-9 -]+)|(?<all>\\.\\*|\\.?\\[ *\\* *\\])|\\.?\\[ *(?:` +
    `(?<names>${NAME}(?: *, *${NAME})*)|(?<indexes>${NUMBER}(?: *, *${NUMBER})*)|` +
    `(?<from>(?:${NUMBER})?) *: *(?<to>(?:${NUMBER})?)) *\\])`,
);

/**
 * What a path finds.
 * @param isInclusive Whether a range has its end: the guide says so of the columns of CSV.
 * @throws RecordError
 */
export function found(value: unknown, path: string, isInclusive: boolean): unknown {
  const range = /\[[^\]]*(?:,[^\]]*:|:[^\]]*,)[^\]]*\]/.exec(path)?.[0];
  if (range) {
    // In the words of an issue of the SDK's (1112).
    throw new RecordError([
      `Invalid JsonPath: ${path}: only single range filters of format (eg: [1:5]) are supported. ` +
      `Format ${range} is not supported`,
    ]);
  }
  return below(value, path.slice(1), isInclusive);
}

function below(value: unknown, path: string, isInclusive: boolean): unknown {
  if (path === "") return value;
  const step = STEP.exec(path);
  if (!step) throw new RecordError([`Invalid JsonPath: ${path}`]);
  const { name, all, names, indexes, from, to } = step.groups!;
  const rest = path.slice(step[0].length);
  const one = (part: unknown): unknown => below(part, rest, isInclusive);
  if (all !== undefined) return Object.values(partsOf(value)).map(one);
  const quoted = name ?? names;
  if (quoted !== undefined) {
    const parts = partsOf(value);
    const wanted = quoted.split(",").map((text) => text.trim().replaceAll("'", ""));
    const there = wanted.filter((text) => Object.hasOwn(parts, text));
    if (wanted.length > 1) return one(Object.fromEntries(there.map((text) => [text, parts[text]])));
    if (there.length === 0) throw new RecordError([`There is no "${wanted[0]}"`]);
    return one(parts[wanted[0]!]);
  }
  if (!Array.isArray(value)) throw new RecordError(["An index needs a list"]);
  if (indexes !== undefined) {
    const wanted = indexes.split(",").map((index) => element(value, Number(index)));
    return wanted.length === 1 ? one(wanted[0]) : wanted.map(one);
  }
  if (from !== "") element(value, Number(from));
  const end = to === "" ? value.length : Number(to) + (isInclusive ? 1 : 0);
  return value.slice(Number(from), isInclusive && to === "-1" ? value.length : end).map(one);
}

function partsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new RecordError(["The path leads into a value that has no parts"]);
}

function element(list: readonly unknown[], index: number): unknown {
  const place = index < 0 ? list.length + index : index;
  if (place in list) return list[place];
  throw new RecordError([`The index ${index} is not within the ${list.length} of the record`]);
}
