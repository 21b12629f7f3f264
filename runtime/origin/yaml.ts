import { isScalar, parse, parseDocument, visit } from "yaml";
import { messageOf, MlcliError } from "../errors.ts";
import { inOneLine, isObject } from "../text.ts";

/** Comparing all keys takes the square of their number. Of two that are equal, the last counts. */
const OPTIONS = { maxAliasCount: 100, logLevel: "error", uniqueKeys: false } as const;

/**
 * A YAML file's mapping. Tags make no objects of it, and aliases do not make it large.
 *
 * @param shown its path in messages.
 * @throws MlcliError where it is no valid YAML, or holds no mapping.
 */
export function mappingIn(text: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text, OPTIONS);
  } catch (cause) {
    const [reason = ""] = messageOf(cause).split("\n");
    throw new MlcliError(`${inOneLine(shown)} is not valid YAML: ${inOneLine(reason)}`, { cause });
  }
  if (isObject(value)) return value;
  throw new MlcliError(`${inOneLine(shown)} must hold a mapping of keys`, {
    hint: "Without it, mlcli cannot tell what the project is.",
  });
}

/**
 * Returns a YAML text with some strings replaced, and everything else as it was.
 *
 * @param edit returns the string for a value of a mapping, or the value itself.
 */
export function withStrings(text: string, edit: (value: string, key: string) => string): string {
  const pieces: string[] = [];
  let end = 0;
  visit(parseDocument(text, OPTIONS), {
    Pair(_, { key, value }) {
      if (!isScalar(value) || typeof value.value !== "string") return;
      const other = edit(value.value, isScalar(key) ? String(key.value) : "");
      if (other === value.value) return;
      const [start, after] = value.range!;
      pieces.push(text.slice(end, start), JSON.stringify(other));
      // A block scalar ends after its line break.
      end = text[after - 1] === "\n" ? after - 1 : after;
    },
  });
  return pieces.join("") + text.slice(end);
}
