/** A run as `mlcli local list-jobs` shows it, as text and as JSON. */

import { shortNumber } from "../../runtime/local/metrics/messages.ts";
import { secondsOf, type WholeRun } from "../../runtime/local/runs/list.ts";
import type { ChannelData, RunSummary } from "../../runtime/model/records.ts";
import { inOneLine } from "../../runtime/text.ts";
import { type Field, fieldsText } from "../render/fields.ts";
import { byteCount, counted, elapsedText, localTimestamp } from "../render/format.ts";

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
  };
}

export function jsonWholeRun({ run, log, model, outputs, source }: WholeRun) {
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
    log: log ?? null,
    model: model ?? null,
    outputs: outputs ?? null,
    source: source ?? null,
  };
}

/** A field a line. */
export function wholeRunText({ run, log, model, outputs, source }: WholeRun): string {
  const seconds = secondsOf(run);
  const each = (
    name: string,
    values: Readonly<Record<string, unknown>>,
    between = "=",
  ): readonly Field[] =>
    Object.entries(values).map(([key, value]) => [name, inOneLine(`${key}${between}${value}`)]);
  return fieldsText([
    ["Name", run.name],
    ["Kind", run.kind],
    ["Status", run.status],
    ["Reason", run.reason],
    ["Exit status", run.exitStatus?.toString()],
    ["Created", localTimestamp(run.started, " ")],
    ["Ended", run.ended && localTimestamp(run.ended, " ")],
    ["Time", seconds === undefined ? undefined : elapsedText(1000 * seconds)],
    ["Image", `${run.image} ${run.imageId}`.trim() || undefined],
    ["Python", run.python],
    ["mlcli", run.mlcli || undefined],
    ["Commit", run.commit],
    ["Code", run.code],
    ...each("Hyperparameter", run.hyperparameters),
    ...each("Channel", run.channels, " "),
    ...Object.entries(run.data).map(([name, data]): Field => ["Data", dataText(name, data)]),
    ...each("Option", run.options),
    ["Variables", run.variables.join(", ") || undefined],
    ...Object.entries(run.metrics).map(([name, { last, min, max, count }]): Field => {
      const [end, least, most] = [last, min, max].map(shortNumber);
      return [
        "Metric",
        `${name} ${end} (least ${least}, most ${most}, ${counted(count, "value")})`,
      ];
    }),
    ...each("Package", run.packages ?? {}, " "),
    ["Log", log],
    ["Model", model],
    ["Outputs", outputs],
    ["Source", source],
  ]);
}

function dataText(name: string, { files, bytes, hash, by }: ChannelData): string {
  const doubt = by === "contents" ? "" : " of names, sizes and times: too much to be read";
  return `${name}: ${counted(files, "file")}, ${byteCount(bytes)}, hash ${hash}${doubt}`;
}
