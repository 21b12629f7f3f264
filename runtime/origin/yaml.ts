import { parse } from "yaml";
import { messageOf, MlcliError } from "../errors.ts";
import { inOneLine, isObject } from "../text.ts";

/**
 * A YAML file's mapping. Tags make no objects of it, and aliases do not make it large.
 *
 * @param shown its path in messages.
 * @throws MlcliError where it is no valid YAML, or holds no mapping.
 */
export function mappingIn(text: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    // To compare all keys takes the square of their number. Of two that are equal, the last counts.
    value = parse(text, { maxAliasCount: 100, logLevel: "error", uniqueKeys: false });
  } catch (cause) {
    const [reason = ""] = messageOf(cause).split("\n");
    throw new MlcliError(`${inOneLine(shown)} is not valid YAML: ${inOneLine(reason)}`, { cause });
  }
  if (isObject(value)) return value;
  throw new MlcliError(`${inOneLine(shown)} must hold a mapping of keys`, {
    hint: "Without it, mlcli cannot tell what the project is.",
  });
}
