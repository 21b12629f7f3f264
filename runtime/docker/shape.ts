/**
 * Shapes of the engine's answers. One declaration gives both the check at run time and the type.
 */

import { isObject } from "../text.ts";

/** Checks a JSON value. */
export type Shape<T> = (value: unknown) => value is T;

/** The type of values that have a shape. */
export type Of<S> = S extends Shape<infer T> ? T : never;

export const text = (value: unknown): value is string => typeof value === "string";
export const number = (value: unknown): value is number => typeof value === "number";
export const flag = (value: unknown): value is boolean => typeof value === "boolean";
/** For a field whose type differs from message to message. */
export const anything = (_: unknown): _ is unknown => true;

export function list<T>(each: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(each);
}

/** An object whose values all have this shape. */
export function record<T>(each: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(each);
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** An object with required and optional fields; others are ignored. */
export function object<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<
  & { readonly [Name in keyof R]: Of<R[Name]> }
  & { readonly [Name in keyof O]?: Of<O[Name]> }
>;
export function object(required: Fields, optional: Fields = {}): Shape<object> {
  const wanted = { ...optional, ...required };
  const names = Object.keys(required);
  return (value): value is object =>
    isObject(value) && names.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, one]) =>
      !Object.hasOwn(wanted, name) || wanted[name]!(one)
    );
}

/**
 * Parses JSON of an engine. A null field is left out: engines write null for what is not there.
 * @throws SyntaxError
 */
export function parsedWithoutNulls(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _, value: unknown) {
    return value === null && !Array.isArray(this) ? undefined : value;
  });
}
