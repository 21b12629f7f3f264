/** A run as `mlcli local list-jobs` shows it, as text and as JSON. */

import { secondsOf, type WholeRun } from "../../runtime/local/runs/list.ts";
import type { RunSummary } from "../../runtime/model/records.ts";
import { inOneLine, isObject } from "../../runtime/text.ts";
import { type Field, fieldsText } from "../render/fields.ts";
import { localTimestamp } from "../render/format.ts";

/** What is not known is `null`. */
export function jsonRun(run: RunSummary): Record<string, unknown> {
  return {
    name: run.name,
    kind: run.kind,
    status: run.status,
    created: localTimestamp(run.started, "T"),
    ended: run.ended === undefined ? null : localTimestamp(run.ended, "T"),
    reason: run.reason ?? null,
    seconds: secondsOf(run) ?? null,
    exit_status: run.exitStatus ?? null,
    image: run.image,
    commit: run.commit ?? null,
    code: run.code ?? null,
    hyperparameters: run.hyperparameters,
    metrics: run.metrics,
    transform: run.transform ?? null,
  };
}

export function jsonWholeRun({ run, places }: WholeRun): Record<string, unknown> {
  return {
    ...jsonRun(run),
    channels: run.channels,
    data: run.data,
    options: run.options,
    variables: run.variables,
    image_id: run.imageId,
    container: run.container,
    mlcli: run.mlcli,
    python: run.python ?? null,
    packages: run.packages ?? null,
    ...places,
  };
}

/** The same, a field a line: `Exit status: 1`, `Hyperparameter: epochs=5`. */
export function wholeRunText(run: WholeRun): string {
  return fieldsText(
    Object.entries(jsonWholeRun(run)).flatMap(([key, value]): readonly Field[] => {
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
    return Object.entries(value).map(([name, part]) => `${name} ${textOf(part)}`).join(", ");
  }
  return Array.isArray(value) ? value.map(textOf).join("; ") : String(value);
}
