/**
 * What a service's model says about an input, and how AWS words what is wrong with it. The shapes
 * are written by hand, from botocore's models.
 */

import { Refused, Unexpected } from "./service.ts";

/** A shape of a model, as far as the box knows it. */
export type Shape =
  | {
    readonly type: "string";
    readonly min?: number;
    readonly max?: number;
    /** Of the whole text. */
    readonly pattern?: string;
    readonly enum?: readonly string[];
  }
  | { readonly type: "integer" | "number"; readonly min?: number; readonly max?: number }
  | { readonly type: "boolean" }
  | { readonly type: "list"; readonly of: Shape; readonly min?: number; readonly max?: number }
  | {
    readonly type: "map";
    readonly key: Shape;
    readonly value: Shape;
    readonly min?: number;
    readonly max?: number;
  }
  | Structure;

/** Members by name; a program that is right sends no others. */
export interface Structure {
  readonly type: "structure";
  readonly members: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

/**
 * Checks an input against its shape.
 *
 * @throws Refused with all that is wrong, under the service's code. Unexpected for members that the
 * shape has not: AWS ignores them, and whoever sends them believes that it does not.
 */
export function checkInput(shape: Structure, input: unknown, code = "ValidationException"): void {
  const wrong = [...problems(shape, input, "")];
  if (wrong.length === 0) return;
  const count = `${wrong.length} validation error${wrong.length === 1 ? "" : "s"} detected: `;
  throw new Refused(code, count + wrong.join("; "));
}

function* problems(shape: Shape, value: unknown, path: string): Generator<string> {
  const constraint = (words: string): string =>
    `Value '${shown(value)}' at '${path}' failed to satisfy constraint: Member must ${words}`;
  switch (shape.type) {
    case "structure":
      return yield* structureProblems(shape, value, path);
    case "list":
      mustBe(Array.isArray(value), "a list", path);
      yield* sizeProblems(shape, (value as unknown[]).length, constraint);
      for (const [index, item] of (value as unknown[]).entries()) {
        yield* problems(shape.of, item, `${path}.${index + 1}.member`);
      }
      return;
    case "map": {
      mustBe(typeof value === "object" && value !== null, "a map", path);
      const entries = Object.entries(value as Record<string, unknown>);
      yield* sizeProblems(shape, entries.length, constraint);
      for (const [name, item] of entries) {
        yield* problems(shape.key, name, path);
        yield* problems(shape.value, item, `${path}.${name}.member`);
      }
      return;
    }
    case "boolean":
      return mustBe(typeof value === "boolean", "a boolean", path);
    case "integer":
    case "number":
      mustBe(
        shape.type === "number" ? typeof value === "number" : Number.isInteger(value),
        "a number",
        path,
      );
      if (shape.min !== undefined && (value as number) < shape.min) {
        yield constraint(`have value greater than or equal to ${shape.min}`);
      }
      if (shape.max !== undefined && (value as number) > shape.max) {
        yield constraint(`have value less than or equal to ${shape.max}`);
      }
      return;
    case "string": {
      mustBe(typeof value === "string", "a string", path);
      const text = value as string;
      yield* sizeProblems(shape, [...text].length, constraint);
      if (shape.pattern !== undefined && !new RegExp(`^(?:${shape.pattern})$`, "u").test(text)) {
        yield constraint(`satisfy regular expression pattern: ${shape.pattern}`);
      }
      if (shape.enum && !shape.enum.includes(text)) {
        yield constraint(`satisfy enum value set: [${shape.enum.join(", ")}]`);
      }
    }
  }
}

function* structureProblems(shape: Structure, value: unknown, path: string): Generator<string> {
  mustBe(typeof value === "object" && value !== null && !Array.isArray(value), "an object", path);
  const members = value as Record<string, unknown>;
  const at = (name: string): string => `${path === "" ? "" : `${path}.`}${lowerFirst(name)}`;
  for (const name of shape.required ?? []) {
    if (members[name] === undefined || members[name] === null) {
      yield `Value null at '${at(name)}' failed to satisfy constraint: Member must not be null`;
    }
  }
  for (const [name, member] of Object.entries(members)) {
    if (member === null) continue;
    const known = shape.members[name];
    if (!known) throw new Unexpected(`Not expected in the input: ${at(name)}`);
    yield* problems(known, member, at(name));
  }
}

function* sizeProblems(
  { min, max }: { readonly min?: number; readonly max?: number },
  length: number,
  constraint: (words: string) => string,
): Generator<string> {
  if (max !== undefined && length > max) {
    yield constraint(`have length less than or equal to ${max}`);
  }
  if (min !== undefined && length < min) {
    yield constraint(`have length greater than or equal to ${min}`);
  }
}

/** A value of another type does not even reach the service's checks. */
function mustBe(is: boolean, what: string, path: string): void {
  if (!is) throw new Refused("SerializationException", `Expected ${what} at ${path || "the top"}`);
}

function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? `[${value.map(shown).join(", ")}]` : JSON.stringify(value);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** A member that has to be there. */
export interface Required {
  readonly required: Shape;
}

/** Limits of a text: characters, a pattern that all of it fits, or the values that there are. */
export interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  readonly values?: readonly string[];
}

/** Marks a member that has to be there. */
export function required(shape: Shape): Required {
  return { required: shape };
}

/** A text. */
export function text({ min, max, pattern, values }: TextLimits = {}): Shape {
  return { type: "string", min, max, pattern: pattern?.source, enum: values };
}

/** One of some values. */
export function oneOf(...values: readonly string[]): Shape {
  return text({ values });
}

/** A whole number in a range. */
export function integer(min?: number, max?: number): Shape {
  return { type: "integer", min, max };
}

/** True or false. */
export const flag: Shape = { type: "boolean" };

/** A list of so many values. */
export function list(of: Shape, min?: number, max?: number): Shape {
  return { type: "list", of, min, max };
}

/** A map from texts to values, with so many keys. */
export function map(key: Shape, value: Shape, max?: number): Shape {
  return { type: "map", key, value, max };
}

/** An object with these members. */
export function structure(members: Readonly<Record<string, Shape | Required>>): Structure {
  const entries = Object.entries(members);
  return {
    type: "structure",
    members: Object.fromEntries(
      entries.map(([name, one]) => [name, "type" in one ? one : one.required] as const),
    ) as Readonly<Record<string, Shape>>,
    required: entries.flatMap(([name, one]) => "required" in one && !("type" in one) ? [name] : []),
  };
}

/** `s3://bucket/...` */
export const s3Uri = text({ max: 1_024, pattern: /(https|s3):\/\/([^/]+)\/?(.*)/ });

/** The ARN of a role that has to be given. */
export const roleArn = required(
  text({
    min: 20,
    max: 2_048,
    pattern: /arn:aws[a-z-]*:iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+/,
  }),
);

/** A key of KMS, by its id, ARN or alias. */
export const kmsKey = text({ max: 2_048, pattern: /[a-zA-Z0-9:/_-]*/ });

const tagText = /[\p{L}\p{Z}\p{N}_.:/=+\-@]*/u;

/** At most 50 tags. */
export const tags = list(
  structure({
    Key: required(text({ min: 1, max: 128, pattern: tagText })),
    Value: required(text({ max: 256, pattern: tagText })),
  }),
  0,
  50,
);

/** Subnets and security groups. */
export const vpc = structure({
  SecurityGroupIds: required(list(text({ max: 32, pattern: /[-0-9a-zA-Z]+/ }), 1, 5)),
  Subnets: required(list(text({ max: 32, pattern: /[-0-9a-zA-Z]+/ }), 1, 16)),
});

/** Of the next page. */
export const pageToken = text({ max: 8_192, pattern: /.*/ });
