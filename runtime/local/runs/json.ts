/** Runs as JSON, for programs and for the page: `mlcli local list-jobs --output json`. */

import type { RunSummary } from "../../model/records.ts";
import type * as page from "../../page/api.ts";
import { localTimestamp } from "../../time.ts";
import { type Comparison, secondsOf, type WholeRun } from "./list.ts";

/** What is not known is `null`. */
export function jsonRun(run: RunSummary): page.Run {
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
    pinned: run.pinned,
    model_bytes: run.modelBytes ?? null,
  };
}

export function jsonWholeRun({ run, places }: WholeRun): page.WholeRun {
  return {
    ...jsonRun(run),
    hosts: run.hosts,
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

/** The same of a comparison. */
export function jsonComparison({ runs, differences, code }: Comparison): page.Comparison {
  return {
    runs: runs.map(jsonRun),
    differences: differences.map(({ what, name, values }) => ({
      what,
      name: name || null,
      values: values.map((value) =>
        value === undefined ? null : what === "metric" ? Number(value) : value
      ),
    })),
    code: code?.map(({ path, change, patch }) => ({ path, change, patch: patch ?? null })) ?? null,
  };
}
