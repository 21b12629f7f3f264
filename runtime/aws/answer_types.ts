import { isObject } from "../text.ts";

const JSON_CONTAINERS: readonly unknown[] = [Object.prototype, Array.prototype];

/**
 * Returns whether an answer has the texts, numbers, lists and maps of its schema (`StaticSchema` of
 * @smithy/types). The SDK does not check, but a proxy or an emulator can answer in the place of AWS.
 */
export function hasTypes(schema: unknown, value: unknown): boolean {
  if (value === undefined || value === null || schema === "unit") return true;
  if (typeof schema === "function") return hasTypes(schema(), value);
  const code = Number(schema);
  if (code === 0) return typeof value === "string";
  // The SDK has classes of its own for numbers that a double cannot hold.
  if (code === 1) return !JSON_CONTAINERS.includes(Object.getPrototypeOf(value));
  if (code < 64) return true;
  // 64 plus an item's schema is a list, 128 plus a value's schema is a map.
  const parts = Array.isArray(schema) ? schema : [code >> 6, 0, 0, 0, code & 63, code & 63];
  const [kind, , , , inner, types] = parts;
  // A member, or a simple type, with its traits.
  if (parts.length === 2) return hasTypes(kind, value);
  if (kind === 0) return hasTypes(inner, value);
  const isItem = (item: unknown): boolean => item !== null && hasTypes(inner, item);
  if (kind === 1) return Array.isArray(value) && value.every(isItem);
  if (!isObject(value)) return false;
  if (kind === 2) return Object.values(value).every((one) => hasTypes(types, one));
  return inner.every((name: string, index: number) => hasTypes(types[index], value[name]));
}
