/**
 * What a service's model says about an input, and how AWS words what is wrong with it. The shapes
 * are written by hand, from botocore's models.
 *
 * @module
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
