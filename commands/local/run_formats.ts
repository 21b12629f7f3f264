/** A run as `mlcli local list-jobs` shows it as text. */

import { jsonWholeRun } from "../../runtime/local/runs/json.ts";
import type { WholeRun } from "../../runtime/local/runs/list.ts";
import { byteCount } from "../../runtime/quantities.ts";
import { inOneLine, isObject } from "../../runtime/text.ts";
import { type Field, fieldsText } from "../render/fields.ts";

/** A field a line: `Exit status: 1`, `Hyperparameter: epochs=5`. */
export function wholeRunText(run: WholeRun): string {
  const whole = jsonWholeRun(run);
  const hosts = whole.hosts.map(({ name, peak_memory, ...facts }) => [
    name,
    { ...facts, peak_memory: peak_memory && byteCount(peak_memory) },
  ]);
  const shown = {
    ...whole,
    hosts: Object.fromEntries(hosts),
    pinned: whole.pinned ? "yes" : null,
    model_bytes: whole.model_bytes && byteCount(whole.model_bytes),
  };
  return fieldsText(
    Object.entries(shown).flatMap(([key, value]): readonly Field[] => {
      const name = `${key[0]!.toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;
      if (isObject(value)) {
        const each = Object.entries(value).map(([part, of]) => `${part}=${textOf(of)}`);
        return each.map((text) => [name.replace(/s$/, ""), inOneLine(text)]);
      }
      return [[name, value === null || textOf(value) === "" ? undefined : textOf(value)]];
    }),
  );
}

function textOf(value: unknown): string {
  if (isObject(value)) {
    const known = Object.entries(value).filter(([, part]) => part !== null);
    return known.map(([name, part]) => `${name} ${textOf(part)}`).join(", ");
  }
  return Array.isArray(value) ? value.map(textOf).join("; ") : String(value);
}
