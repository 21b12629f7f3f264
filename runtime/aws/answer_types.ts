import { isObject } from "../text.ts";

const JSON_CONTAINERS: readonly unknown[] = [Object.prototype, Array.prototype];

/**
 * Returns whether an answer has the texts, numbers, lists and maps of its schema (`StaticSchema` of
 * @smithy/types). The SDK does not check, but a proxy or an emulator can answer in the place of AWS.
 */
export function hasTypes(schema: unknown, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof schema === "function") return hasTypes(schema(), value);
  if (schema === 0) return typeof value === "string";
  // The SDK has classes of its own for numbers that a double cannot hold.
  if (schema === 1) return !JSON_CONTAINERS.includes(Object.getPrototypeOf(value));
  if (Array.isArray(schema)) {
    const [kind, , , , inner, types] = schema;
    // A member and its traits, then a simple type and its traits.
    if (schema.length === 2) return hasTypes(kind, value);
    if (kind === 0) return hasTypes(inner, value);
    if (kind === 1) return isListOf(inner, value);
    if (!isObject(value)) return false;
    if (kind === 2) return isListOf(types, Object.values(value));
    return inner.every((name: string, index: number) => hasTypes(types[index], value[name]));
  }
  // 64 plus an item's schema is a list, 128 plus a value's schema is a map.
  const item = Number(schema) & 63;
  if (Number(schema) >= 128) return isObject(value) && isListOf(item, Object.values(value));
  return !(Number(schema) >= 64) || isListOf(item, value);
}

function isListOf(item: unknown, value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one !== null && hasTypes(item, one));
}
