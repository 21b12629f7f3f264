/**
 * What two runs have that is not the same.
 *
 * @module
 */

import type { RunSummary } from "./document.ts";

/** Something that differs; `undefined` where a run does not have it. */
export interface RunDifference {
  /** `hyperparameter`, `package`, ... */
  readonly what: string;
  /** Its name; empty where there is only one of its kind. */
  readonly name: string;
  readonly values: readonly [string | undefined, string | undefined];
}

type Values = Readonly<Record<string, string | undefined>>;

/** What differs between two runs, the results last. */
export function runDifferences(
  one: RunSummary,
  other: RunSummary,
): readonly RunDifference[] {
  const rows: readonly (readonly [what: string, (run: RunSummary) => Values])[] = [
    ["kind", ({ kind }) => ({ "": kind })],
    ["image", ({ image }) => ({ "": image })],
    ["image id", ({ imageId }) => ({ "": imageId.replace(/^sha256:/, "").slice(0, 12) })],
    ["python", ({ python }) => ({ "": python })],
    ["mlcli", ({ mlcli }) => ({ "": mlcli })],
    ["hyperparameter", ({ hyperparameters }) => hyperparameters],
    ["channel", ({ channels }) => channels],
    ["option", ({ options }) => options],
    ["variable", ({ variables }) => Object.fromEntries(variables.map((name) => [name, "given"]))],
    // Of an image that told nothing, nobody knows what it lacks.
    ["package", ({ packages }) => one.packages && other.packages ? packages ?? {} : {}],
    ["status", ({ status }) => ({ "": status })],
    ["exit status", ({ exitStatus }) => ({ "": textOf(exitStatus) })],
    ["seconds", (run) => ({ "": textOf(secondsOf(run)) })],
    ["metric", ({ metrics }) => {
      return Object.fromEntries(
        Object.entries(metrics).map(([name, last]) => [name, String(last)]),
      );
    }],
  ];
  return rows.flatMap(([what, valuesOf]) => {
    const [first, second] = [
      new Map(Object.entries(valuesOf(one))),
      new Map(Object.entries(valuesOf(other))),
    ];
    const names = [...new Set([...first.keys(), ...second.keys()])].sort();
    return names.filter((name) => first.get(name) !== second.get(name)).map((name) => ({
      what,
      name,
      values: [first.get(name), second.get(name)] as const,
    }));
  });
}

/** How long a run took, in seconds, to a tenth. */
export function secondsOf({ started, ended }: RunSummary): number | undefined {
  if (ended === undefined) return undefined;
  return Math.round((ended.getTime() - started.getTime()) / 100) / 10;
}

function textOf(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
