/** What is kept of a run: `job.json`, and what is read of one that somebody may have changed. */

import { join } from "@std/path/join";
import type { Paths } from "../app/paths.ts";
import { JOB_KINDS, type JobKind } from "../contract/jobs.ts";
import type { MetricDefinition } from "../contract/metric_definitions.ts";
import { LARGEST_TEXT, lstatIfThere, readTextFile } from "../files.ts";
import { isRunOver, runDirectoryOf, runNames } from "./runs.ts";
import { isObject, jsonObject, parseJson } from "../text.ts";

/**
 * How a run ended, in SageMaker's words; `InProgress` while it runs, `Lost` where nobody knows. A model
 * that was downloaded has no other run here.
 */
export type RunStatus = "InProgress" | "Completed" | "Failed" | "Stopped" | "Lost" | "Downloaded";

/** How many records are kept. */
export const KEPT_RECORDS = 100;

/** What a record consists of. */
export const RECORD_FILES = {
  document: "job.json",
  values: "metrics.csv",
  log: "log",
} as const;

/** What is known of a run when it starts. Nothing of it is a secret: of variables, their names. */
export interface RunFacts {
  readonly kind: JobKind;
  readonly app: string;
  /** Version of mlcli. */
  readonly mlcli: string;
  /** The container's name. */
  readonly container: string;
  readonly hyperparameters: Readonly<Record<string, string>>;
  /** Name to directory, relative to that of `NAME.json` if it lies below. */
  readonly channels: Readonly<Record<string, string>>;
  /** What was asked for besides, by the names of the options. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Names of the variables that the user gave. */
  readonly variables: readonly string[];
  /** The hash of the code, which is kept as `jobs/code/HASH.tar.gz`; `null`: it was the image's. */
  readonly code?: string | null;
  /** Of the work tree that the code lies in; `null` where it is not known. */
  readonly commit?: string | null;
}

/** What is kept of a metric besides its curve. */
export interface MetricFacts {
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** What a channel held when its run started. */
export interface ChannelData {
  readonly files: number;
  readonly bytes: number;
  /** Of names and contents; where those are too much to be read, of names, sizes and times. */
  readonly hash: string;
  readonly by: "contents" | "times";
}

/** How a host ended, where a run has several. */
export interface HostFacts {
  readonly name: string;
  readonly exit_status: number;
  readonly seconds: number;
  /** In bytes, as it was seen each second; `null` where it was not. */
  readonly peak_memory: number | null;
  /** The host whose failure ended it; `null`: none, or it was lost for good in a rehearsal. */
  readonly ended_by: string | null;
}

/** The end of a run. */
export interface Outcome {
  readonly status: RunStatus;
  readonly exit_status: number | null;
  readonly reason: string | null;
}

/** `job.json` */
export interface JobDocument extends RunFacts {
  readonly name: string;
  /** ISO 8601, in UTC. */
  readonly started: string;
  readonly ended: string | null;
  readonly image: { readonly reference: string; readonly id: string };
  /** `null` where the image did not tell: only those of mlcli do. */
  readonly python: string | null;
  readonly packages: Readonly<Record<string, string>> | null;
  /** By channel; `null` where it is not known: until the end, and of one with very many files. */
  readonly data: Readonly<Record<string, ChannelData | null>> | null;
  readonly outcome: Outcome | null;
  readonly metrics: Readonly<Record<string, MetricFacts>>;
  /** The definitions that were searched for, in the run or later in its log. */
  readonly metric_definitions?: readonly MetricDefinition[] | undefined;
  /** What a transform did: counts, times, the records that failed. */
  readonly transform?: object;
  /** Where there are several. */
  readonly hosts?: readonly HostFacts[];
}

/** A run as it is listed. */
export interface RunSummary {
  readonly name: string;
  readonly app: string;
  readonly kind: string;
  readonly status: RunStatus;
  readonly container: string;
  readonly started: Date;
  readonly ended: Date | undefined;
  readonly image: string;
  readonly imageId: string;
  readonly mlcli: string;
  readonly exitStatus: number | undefined;
  readonly reason: string | undefined;
  readonly python: string | undefined;
  readonly packages: Readonly<Record<string, string>> | undefined;
  readonly hyperparameters: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  readonly variables: readonly string[];
  readonly code: string | undefined;
  readonly commit: string | undefined;
  readonly data: Readonly<Record<string, ChannelData>>;
  readonly metrics: Readonly<Record<string, MetricFacts>>;
  readonly transform: Readonly<Record<string, unknown>> | undefined;
  /** None where there is only one. */
  readonly hosts: readonly HostFacts[];
  /** `withModels` adds these: whether its model is pinned, and that model's size. */
  readonly pinned: boolean;
  readonly modelBytes: number | undefined;
}

const ENDS: readonly string[] = ["Completed", "Failed", "Stopped", "Lost", "Downloaded"];

/**
 * What the text of a `job.json` says; `undefined` where it is none. What has no end is in progress.
 *
 * @param name of its directory: what the file says of it does not count.
 */
export function summaryOf(name: string, text: string): RunSummary | undefined {
  // It may not be written to its end, or be somebody's own.
  const value = jsonObject(text);
  if (value === undefined) return undefined;
  const started = dateIn(value["started"]);
  const kind = textIn(value["kind"]);
  if (started === undefined || !JOB_KINDS.some((one) => one === kind)) return undefined;
  const outcome = objectIn(value["outcome"]);
  const status = textIn(outcome["status"]);
  const exitStatus = outcome["exit_status"];
  const image = objectIn(value["image"]);
  return {
    name,
    app: textIn(value["app"]),
    kind,
    status: ENDS.includes(status) ? status as RunStatus : "InProgress",
    container: textIn(value["container"]),
    started,
    ended: dateIn(value["ended"]),
    image: textIn(image["reference"]),
    imageId: textIn(image["id"]),
    mlcli: textIn(value["mlcli"]),
    exitStatus: typeof exitStatus === "number" ? exitStatus : undefined,
    reason: textIn(outcome["reason"]) || undefined,
    python: textIn(value["python"]) || undefined,
    packages: isObject(value["packages"]) ? textsIn(value["packages"]) : undefined,
    hyperparameters: textsIn(value["hyperparameters"]),
    channels: textsIn(value["channels"]),
    options: textsIn(value["options"]),
    variables: Array.isArray(value["variables"]) ? value["variables"].map(textIn) : [],
    code: textIn(value["code"]) || undefined,
    commit: textIn(value["commit"]) || undefined,
    data: partsIn(value["data"], ({ files, bytes, hash, by }) => {
      const isKnown = typeof files === "number" && typeof bytes === "number";
      if (!isKnown || typeof hash !== "string") return undefined;
      return { files, bytes, hash, by: by === "contents" ? by : "times" };
    }),
    metrics: partsIn(value["metrics"], ({ last, min = last, max = last, count = 1 }) => {
      const isKnown = [last, min, max, count].every((one) => typeof one === "number");
      return isKnown ? { last, min, max, count } as MetricFacts : undefined;
    }),
    transform: isObject(value["transform"]) ? value["transform"] : undefined,
    hosts: Array.isArray(value["hosts"]) ? value["hosts"].filter(isHost) : [],
    pinned: false,
    modelBytes: undefined,
  };
}

/** Whether it is all that it should be. */
function isHost(value: unknown): value is HostFacts {
  const { name, exit_status, seconds, peak_memory, ended_by } = objectIn(value);
  const numbers = [exit_status, seconds, peak_memory === null ? 0 : peak_memory];
  const texts = [name, ended_by === null ? "" : ended_by];
  return numbers.every((one) => typeof one === "number") &&
    texts.every((one) => typeof one === "string");
}

/** Returns an object as it is, and an empty one for another value. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function dateIn(value: unknown): Date | undefined {
  const time = Date.parse(textIn(value));
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** How many hyperparameters, metrics or packages are read of a record: a clone's can hold 100,000. */
const MOST_ENTRIES = 1_000;

/** Values that are no text as JSON. */
function textsIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectIn(value)).slice(0, MOST_ENTRIES).map(([name, text]) => [
      name,
      typeof text === "string" ? text : JSON.stringify(text),
    ]),
  );
}

/** Those parts of an object that are what they should be. */
function partsIn<T>(
  value: unknown,
  read: (part: Readonly<Record<string, unknown>>) => T | undefined,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(objectIn(value)).slice(0, MOST_ENTRIES).flatMap(([name, part]) => {
      const found = read(objectIn(part));
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

/** Returns the records of all runs, the newest first. Leaves out files that mlcli did not write. */
export async function recordsOf(layout: Paths): Promise<readonly RunSummary[]> {
  const found = await Promise.all(runNames(layout).map((name) => recordOf(layout, name)));
  return found.filter((record) => record !== undefined).sort((a, b) =>
    b.started.getTime() - a.started.getTime() || (a.name < b.name ? 1 : -1)
  );
}

/** Finds the run with this name, this place in the list (1 is the newest) or this short name. */
export function runCalled(
  runs: readonly RunSummary[],
  typed: string,
): RunSummary | undefined {
  return runs.find(({ name }) => name === typed) ??
    (/^\d{1,6}$/.test(typed) ? runs[Number(typed) - 1] : undefined) ??
    runs[[...shortNames(runs).values()].indexOf(typed)];
}

/**
 * Returns the names of runs without the app's, by their whole names. A name stays whole if the rest
 * could mean another run, a place in the list, or `last`.
 */
export function shortNames(runs: readonly RunSummary[]): ReadonlyMap<string, string> {
  const shortOf = ({ app, name }: RunSummary): string =>
    name.startsWith(`${app}-`) ? name.slice(app.length + 1) : name;
  const meanings = Map.groupBy(runs.flatMap((run) => [run.name, shortOf(run)]), String);
  const isClear = (short: string): boolean =>
    meanings.get(short)!.length === 1 && !/^(\d+|last)$/.test(short);
  return new Map(
    runs.map((run) => [run.name, isClear(shortOf(run)) ? shortOf(run) : run.name]),
  );
}

/** One record; `undefined` where there is none of that name. */
export async function recordOf(layout: Paths, name: string): Promise<RunSummary | undefined> {
  const path = join(runDirectoryOf(layout, name), RECORD_FILES.document);
  const info = await lstatIfThere(path).catch(() => undefined);
  if (!info?.isFile) return undefined;
  const summary = summaryOf(name, await readTextFile(path, LARGEST_TEXT).catch(() => ""));
  if (summary?.status !== "InProgress") return summary;
  return await isRunOver(layout, name) ? { ...summary, status: "Lost" } : summary;
}

/**
 * Writes into the record of a run how it ended, where that has become known later. (When it ended is
 * not.) A run goes on without a record: a failure is not said.
 */
export async function completeRecord(layout: Paths, run: string, outcome: Outcome): Promise<void> {
  const path = join(runDirectoryOf(layout, run), RECORD_FILES.document);
  try {
    const document = parseJson(await readTextFile(path, LARGEST_TEXT));
    if (!isObject(document) || isObject(document["outcome"])) return;
    const text = `${JSON.stringify({ ...document, outcome }, null, 2)}\n`;
    // createNew: never through a link that somebody left there.
    await Deno.writeTextFile(`${path}.part`, text, { createNew: true });
    await Deno.rename(`${path}.part`, path);
  } catch {
    await Deno.remove(`${path}.part`).catch(() => {});
  }
}
