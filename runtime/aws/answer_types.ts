import { isObject } from "../text.ts";

/** What the numbers 0, 1 and 2 stand for in a schema. */
const SIMPLE = ["string", "number", "boolean"];

/**
 * Returns whether an answer has the texts, numbers, lists and maps of its schema (`StaticSchema` of
 * @smithy/types). The SDK does not check, but a proxy or an emulator can answer in the place of AWS.
 */
export function hasTypes(schema: unknown, value: unknown): boolean {
  if (value === undefined || value === null || schema === "unit") return true;
  if (typeof schema === "function") return hasTypes(schema(), value);
  const code = Number(schema);
  const type: string = typeof value;
  if (code in SIMPLE) return type === SIMPLE[code];
  // 4 to 7 are times.
  if (code < 64) return !(value instanceof Date) || !Number.isNaN(value.getTime());
  // 64 plus an item's schema is a list, 128 plus a value's schema is a map.
  const parts = Array.isArray(schema) ? schema : [code >> 6, 0, 0, 0, code & 63, code & 63];
  const [kind, , , , inner, types] = parts;
  // A member, or a simple type, with its traits.
  if (parts.length === 2) return hasTypes(kind, value);
  if (kind === 0) return hasTypes(inner, value);
  const has = (type: unknown) => (item: unknown) => item !== null && hasTypes(type, item);
  if (kind === 1) return Array.isArray(value) && value.every(has(inner));
  if (!isObject(value)) return false;
  if (kind === 2) return Object.values(value).every(has(types));
  return inner.every((name: string, index: number) => hasTypes(types[index], value[name]));
}
