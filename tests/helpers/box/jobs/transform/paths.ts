/**
 * SageMaker's part of JSONPath: guide, "Associate Prediction Results with Input Records". What it
 * does not have is refused when the first record comes.
 */

import { RecordError } from "./records.ts";

/** A step of a path. */
type Step =
  | { readonly names: readonly string[] }
  | { readonly indexes: readonly number[] }
  | { readonly from: string; readonly to: string }
  | "*";

const NAME = "'[^'.]*'";
const NUMBER = "-?\\d+";
const STEP = new RegExp(
  `\\.(?<name>[a-zA-Z0-9 -]+)|(?<all>\\.\\*|\\.?\\[ *\\* *\\])|\\.?\\[ *(?:` +
    `(?<names>${NAME}(?: *, *${NAME})*)|(?<indexes>${NUMBER}(?: *, *${NUMBER})*)|` +
    `(?<from>(?:${NUMBER})?) *: *(?<to>(?:${NUMBER})?)) *\\]`,
  "y",
);

/** @throws RecordError */
export function parsePath(path: string): readonly Step[] {
  const range = /\[[^\]]*(?:,[^\]]*:|:[^\]]*,)[^\]]*\]/.exec(path)?.[0];
  if (range) {
    // In the words of an issue of the SDK's (1112).
    throw new RecordError(
      `Invalid JsonPath: ${path}: only single range filters of format (eg: [1:5]) are supported. ` +
        `Format ${range} is not supported`,
    );
  }
  const steps: Step[] = [];
  for (STEP.lastIndex = 1; STEP.lastIndex < path.length;) {
    const groups = STEP.exec(path)?.groups;
    if (!groups) throw new RecordError(`Invalid JsonPath: ${path}`);
    const { name, all, names, indexes, from, to } = groups;
    if (name !== undefined) steps.push({ names: [name] });
    else if (all !== undefined) steps.push("*");
    else if (names !== undefined) {
      steps.push({ names: names.split(",").map((one) => one.trim().slice(1, -1)) });
    } else if (indexes !== undefined) steps.push({ indexes: indexes.split(",").map(Number) });
    else steps.push({ from: from!, to: to! });
  }
  return steps;
}

/**
 * What a path finds.
 * @param isInclusive Whether a range has its end: the guide says so of the columns of CSV.
 * @throws RecordError
 */
export function found(
  value: unknown,
  [step, ...rest]: readonly Step[],
  isInclusive = false,
): unknown {
  if (step === undefined) return value;
  const next = stepped(value, step, isInclusive);
  const isSeveral = step === "*" || "from" in step ||
    ("indexes" in step && step.indexes.length > 1);
  if (!isSeveral || rest.length === 0) return found(next, rest, isInclusive);
  return (next as readonly unknown[]).map((one) => found(one, rest, isInclusive));
}

function stepped(value: unknown, step: Step, isInclusive: boolean): unknown {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) {
    throw new RecordError("The path leads into a value that has no parts");
  }
  if (step === "*") return Object.values(value);
  if ("names" in step) {
    const members: Record<string, unknown> = isList ? {} : { ...value };
    const { names } = step;
    if (names.length > 1) {
      return Object.fromEntries(
        names.filter((one) => one in members).map((one) => [
          ...[one, members[one]],
        ]),
      );
    }
    if (names[0]! in members) return members[names[0]!];
    throw new RecordError(`There is no "${names[0]}"`);
  }
  if (!isList) throw new RecordError("An index needs a list");
  if ("indexes" in step) {
    const all = step.indexes.map((index) => elementOf(value, index));
    return all.length === 1 ? all[0] : all;
  }
  const last = step.to === "" ? value.length : Number(step.to) + (isInclusive ? 1 : 0);
  if (step.from !== "") elementOf(value, Number(step.from));
  return value.slice(Number(step.from), step.to === "-1" && isInclusive ? undefined : last);
}

function elementOf(list: readonly unknown[], index: number): unknown {
  const place = index < 0 ? list.length + index : index;
  if (place in list) return list[place];
  throw new RecordError(`The index ${index} is not within the ${list.length} of the record`);
}
