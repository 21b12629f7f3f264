import { assertEquals } from "@std/assert";
import { modelsToRemove } from "../../../runtime/model/kept_models.ts";
import { type RunSummary, summaryOf } from "../../../runtime/model/records.ts";
import type { PersonSettings } from "../../../runtime/person.ts";
import { it, suite } from "../../helpers/suite.ts";

const GB = 1e9;

interface Facts {
  readonly status?: string;
  readonly exit_status?: number;
  readonly strict?: true;
  readonly pinned?: true;
  readonly bytes?: number;
  readonly metrics?: Readonly<Record<string, number | null>>;
}

/** A run that succeeded, except for the facts. */
function run(name: string, facts: Facts): RunSummary {
  const { status = "Completed", exit_status = 0, strict, pinned = false, bytes = 1 } = facts;
  const metrics = Object.entries(facts.metrics ?? {}).map(([name, last]) => [name, { last }]);
  const document = {
    kind: "train",
    started: "2026-03-01",
    options: { strict },
    outcome: { status, exit_status },
    metrics: Object.fromEntries(metrics),
  };
  return { ...summaryOf(name, JSON.stringify(document))!, pinned, modelBytes: bytes };
}

interface Row {
  readonly title: string;
  /** By name, the oldest first. */
  readonly runs: Readonly<Record<string, Facts>>;
  readonly used?: readonly string[];
  readonly metric?: string;
  readonly settings?: PersonSettings;
  /** Names of the runs whose model goes, in alphabetical order. */
  readonly gone: string;
}

const ELEVEN = Object.fromEntries("abcdefghijk".split("").map((name) => [name, {}]));
const FAILED = { status: "Failed", exit_status: 1 };
const STRICT = { status: "Failed", exit_status: 0, strict: true } as const;
const loss = (last: number | null, more: Facts = {}) => ({ ...more, metrics: { loss: last } });

const ROWS: readonly Row[] = [
  {
    title: "keeps the models of the last ten successful runs",
    runs: ELEVEN,
    gone: "a",
  },
  {
    title: "keeps the model of the last failed run beside them",
    runs: { x: FAILED, y: FAILED, ...ELEVEN },
    gone: "a x",
  },
  {
    title: "counts a run that fails only under --strict as failed",
    runs: { a: {}, x: STRICT, y: STRICT, b: {} },
    settings: { keep_models: "2" },
    gone: "x",
  },
  {
    title: "counts a run whose complete model could not be moved as successful",
    runs: { a: { status: "Failed", exit_status: 0 }, x: FAILED, b: { status: "Stopped" } },
    settings: { keep_models: "2" },
    gone: "",
  },
  {
    title: "keeps as many models as keep_models says",
    runs: { a: {}, b: { status: "Downloaded" }, c: {}, d: {} },
    settings: { keep_models: "3" },
    gone: "a",
  },
  {
    title: "keeps a pinned model, which takes no other model's place or bytes",
    runs: { a: { pinned: true, bytes: 90 * GB }, b: {}, c: {}, d: {} },
    settings: { keep_models: "2" },
    gone: "b",
  },
  {
    title: "keeps the model of a run whose end is unknown",
    runs: { a: { status: "Lost", bytes: 90 * GB }, b: {}, c: {} },
    settings: { keep_models: "1" },
    gone: "b",
  },
  {
    title: "keeps the current and the served model",
    runs: { a: {}, b: {}, c: {}, d: {} },
    used: ["a", "c"],
    settings: { keep_models: "1" },
    gone: "b",
  },
  {
    // https://github.com/huggingface/transformers/issues/15089
    title: "keeps the runs with the minimum and the maximum of the metric",
    runs: { a: loss(3), b: loss(1), c: loss(9), d: loss(2), e: loss(5), f: loss(4) },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "a d e",
  },
  {
    // https://github.com/huggingface/transformers/pull/11748 and .../issues/25129
    title: "keeps the newest model beside the best one if only one is to be kept",
    runs: { a: loss(1), b: loss(2), c: loss(2) },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "b",
  },
  {
    title: "keeps the newest of several runs with the best value",
    runs: { a: loss(1), b: loss(1), c: loss(1), d: {} },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "a b",
  },
  {
    // https://github.com/ray-project/ray/pull/23862
    title: "takes no run for the best one because its value is unknown",
    runs: { a: loss(null), b: loss(1), c: loss(2), d: loss(null), e: {} },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "a d",
  },
  {
    title: "takes no failed run for the best one",
    runs: { a: loss(0, FAILED), b: loss(1), c: loss(2), x: FAILED, d: loss(1.5) },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "a",
  },
  {
    title: "compares runs by the first metric definition, also if they measured other metrics",
    runs: {
      a: { metrics: { acc: 1, loss: 5 } },
      b: { metrics: { acc: 2, loss: 1 } },
      c: { metrics: { acc: 9, loss: 3 } },
      d: { metrics: { loss: 9 } },
    },
    metric: "loss",
    settings: { keep_models: "1" },
    gone: "a c",
  },
  {
    title: "removes the oldest models if all together take more than 10 GB",
    runs: { a: { bytes: 1 }, b: { bytes: 4 * GB }, c: { bytes: 4 * GB }, d: { bytes: 4 * GB } },
    gone: "a b",
  },
  {
    title: "removes no model at exactly 10 GB",
    runs: { a: { bytes: 5 * GB }, b: { bytes: 5 * GB } },
    gone: "",
  },
  {
    title: "removes no model for the bytes of one that goes by the number",
    runs: { a: { bytes: 4 * GB }, b: { bytes: 2 * GB }, c: { bytes: 5 * GB } },
    settings: { keep_models: "2" },
    gone: "a",
  },
  {
    title: "removes older models by the number and by the size",
    runs: { a: { bytes: 1 * GB }, b: { bytes: 6 * GB }, c: { bytes: 6 * GB } },
    settings: { keep_models: "2" },
    gone: "a b",
  },
  {
    title: "takes the size from keep_models_size",
    runs: { a: { bytes: 200e6 }, b: { bytes: 200e6 }, c: { bytes: 200e6 } },
    settings: { keep_models_size: "0.5GB" },
    gone: "a",
  },
  {
    title: "keeps current, served, pinned, best and newest models over any size",
    runs: {
      current: { bytes: 20 * GB },
      served: { bytes: 20 * GB },
      pinned: { bytes: 20 * GB, pinned: true },
      best: loss(1, { bytes: 20 * GB }),
      a: loss(2, { bytes: 1 }),
      worst: loss(3, { bytes: 20 * GB }),
      newestSuccess: loss(2, { bytes: 20 * GB }),
      newest: { ...FAILED, bytes: 20 * GB },
    },
    used: ["current", "served"],
    metric: "loss",
    gone: "a",
  },
  {
    title: "keeps a model that takes no bytes, since removing it frees nothing",
    runs: { a: { bytes: 0 }, b: { bytes: 6 * GB }, c: { bytes: 6 * GB } },
    gone: "b",
  },
  {
    // https://github.com/huggingface/transformers/issues/27138
    title: "goes by the order of the runs, not by their names",
    runs: { "run-9": {}, "run-10": {}, "run-11": {} },
    settings: { keep_models: "2" },
    gone: "run-9",
  },
  { title: "removes nothing if there is no run", runs: {}, gone: "" },
];

suite("modelsToRemove", () => {
  for (const { title, runs, used = [], metric, settings = {}, gone } of ROWS) {
    it(title, () => {
      const newestFirst = Object.entries(runs).map(([name, facts]) => run(name, facts)).reverse();
      const names = modelsToRemove(newestFirst, new Set(used), metric, settings);
      assertEquals(names.toSorted().join(" "), gone);
    });
  }
});
