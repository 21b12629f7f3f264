/** Runs that never ran: their records, as `runtime/local/runs/record.ts` writes them. */

import type { JobDocument } from "../../runtime/model/records.ts";
import type { TestApp } from "./app.ts";

/** What a run had, as far as a test says it. */
export interface MadeRun extends Partial<Omit<JobDocument, "metrics">> {
  /** The values of its metrics, one a second. */
  readonly curves?: readonly (readonly [name: string, values: readonly number[]])[];
  /** Lines with their marks, `out ` or `err `. */
  readonly log?: string;
}

/** When the first of them began: the others follow, a minute each. */
const START = Date.parse("2026-03-01T09:00:00Z");

/** Makes a run. @returns its name. */
export async function makeRun(app: TestApp, index: number, run: MadeRun = {}): Promise<string> {
  const { curves = [], log, ...facts } = run;
  const started = START + index * 60_000;
  const name = facts.name ?? `${app.name}-${String(index).padStart(4, "0")}`;
  const longest = Math.max(0, ...curves.map(([, values]) => values.length));
  const document: JobDocument = {
    name,
    kind: "train",
    app: app.name,
    mlcli: "0.1.0",
    container: `mlcli-${name}`,
    started: new Date(started).toISOString(),
    ended: new Date(started + (longest + 1) * 1_000).toISOString(),
    image: { reference: `${app.name}:latest`, id: `sha256:${"1".repeat(64)}` },
    hyperparameters: {},
    channels: { training: "input/data/training" },
    options: {},
    variables: [],
    outcome: { status: "Completed", exit_status: 0, reason: null },
    python: "3.11.2",
    packages: null,
    data: null,
    ...facts,
    // A name such as __proto__ is one like the others.
    metrics: Object.fromEntries(curves.map(([metric, values]) => [metric, {
      last: values.at(-1)!,
      min: Math.min(...values),
      max: Math.max(...values),
      count: values.length,
    }])),
  };
  const path = (file: string): string => app.path("local_test/jobs", name, file);
  await app.write(path("job.json"), `${JSON.stringify(document, null, 2)}\n`);
  if (log !== undefined) await app.write(path("log"), log);
  if (curves.length === 0) return name;
  const rows = Array.from({ length: longest }, (_, step) => {
    const time = new Date(started + (step + 1) * 1_000).toISOString();
    const there = curves.filter(([, values]) => step < values.length);
    return there.map(([metric, values]) =>
      `${time},"${metric.replaceAll('"', '""')}",${values[step]}\n`
    ).join("");
  });
  await app.write(path("metrics.csv"), `time,metric,value\n${rows.join("")}`);
  return name;
}

/** A curve that falls from 1, in so many steps, with some noise that is the same each time. */
export function fallingCurve(steps: number, seed = 1): readonly number[] {
  return Array.from({ length: steps }, (_, step) => {
    const noise = Math.sin(step * 12.9898 + seed * 78.233) * 0.02;
    return Number((1 / (1 + 8 * step / steps) + noise / seed).toFixed(6));
  });
}
