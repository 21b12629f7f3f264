/**
 * Short names for the shapes of a service's input (`validation.ts`), for services with many.
 *
 * @module
 */

import type { Shape, Structure } from "./validation.ts";

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

/** A time, in seconds since 1970. */
export const time: Shape = { type: "number" };

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
      entries.map(([name, one]) => [name, "required" in one ? one.required : one] as const),
    ) as Readonly<Record<string, Shape>>,
    required: entries.flatMap(([name, one]) => "required" in one && !("type" in one) ? [name] : []),
  };
}
