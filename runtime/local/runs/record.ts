/**
 * The record of one run: what was run, how it ended, and what became of its metrics. A run goes on where
 * its record cannot be written.
 */

import { join } from "@std/path/join";
import { typedPath } from "../../app/typed_path.ts";
import {
  fileErrorReason,
  Interrupted,
  isSystemError,
  messageOf,
  OutputClosed,
  UserCodeError,
} from "../../errors.ts";
import type { Paths } from "../../app/paths.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { KEY_VARIABLES } from "../../contract/variables.ts";
import type { Messages } from "../../messages.ts";
import type { Clock } from "../../time.ts";
import { VERSION } from "../../version.ts";
import { type BatchJob, type Fault, type Hosts, type LocalJob, ONE_HOST } from "../jobs.ts";
import { RunLog } from "./log.ts";
import type { PythonOfImage } from "../differences/report.ts";
import type { Metric, Metrics, Sample } from "../metrics/metrics.ts";
import {
  type JobDocument,
  type Outcome,
  RECORD_FILES,
  type RunFacts,
} from "../../model/records.ts";

/** Path of a record, and the services to write it. */
export interface RecordPlace {
  readonly layout: Paths;
  readonly clock: Pick<Clock, "date">;
  readonly messages: Messages;
}

/** Record of an active run. */
export class RunRecord {
  /** Its metrics, if the app defines some. */
  #metrics: Metrics | undefined;
  /** Exit status of the code, once that has ended. */
  exitStatus: number | undefined;
  /** Whether it was stopped by `--stop-after`. */
  wasStopped = false;
  /** Details that the image reports about itself. */
  python: PythonOfImage | undefined;
  /** What its channels hold. */
  data: JobDocument["data"] = null;
  transform: JobDocument["transform"];
  /** How its hosts ended, where there are several. */
  hosts: JobDocument["hosts"];
  /** What its code writes. */
  readonly log: RunLog;
  #document: JobDocument | undefined;
  #values: Deno.FsFile | undefined;
  /** Whether the document has been written, and the values are all there. */
  #isThere = false;
  #isWhole = true;

  /** @param name also that of the job, as the code sees it. */
  constructor(
    readonly name: string,
    private readonly directory: string,
    private readonly place: RecordPlace,
  ) {
    this.log = new RunLog(join(directory, RECORD_FILES.log), (error) => this.#fail(error));
  }

  /** Whether there is something to be read of the run. */
  get isThere(): boolean {
    return this.#isThere;
  }

  get hasBegun(): boolean {
    return this.#document !== undefined;
  }

  /** Its metrics, where the app defines some. */
  get metrics(): Metrics | undefined {
    return this.#metrics;
  }

  /** Keeps what becomes of these metrics. */
  measure(metrics: Metrics | undefined): void {
    this.#metrics = metrics;
    if (metrics) metrics.onSample = (name, sample) => this.#addValue(name, sample);
  }

  /** The run starts: from now on there is a record of it. */
  begin(facts: RunFacts, image: JobDocument["image"]): void {
    this.#document = {
      name: this.name,
      started: this.place.clock.date().toISOString(),
      ended: null,
      image,
      ...facts,
      outcome: null,
      python: null,
      packages: null,
      data: null,
      metrics: {},
      metric_definitions: this.#metrics?.definitions,
    };
    this.#write(RECORD_FILES.document, jsonOf(this.#document));
  }

  /** A value of a metric has come: also a run that is killed leaves those that came before. */
  #addValue(name: string, sample: Sample): void {
    if (!this.#isWhole || this.#document === undefined) return;
    const row = valueRow(name, sample);
    const path = join(this.directory, RECORD_FILES.values);
    try {
      if (this.#values === undefined) {
        this.#values = Deno.openSync(path, { write: true, createNew: true });
        writeWhole(this.#values, VALUES_HEADER + row);
      } else {
        writeWhole(this.#values, row);
      }
    } catch (error) {
      if (this.#values?.statSync().size === 0) removeSync(path);
      this.#fail(error);
    }
  }

  /**
   * Nothing is added any more. Of a run that never began, nothing is written.
   *
   * @param outcome `null` where the run goes on without this mlcli.
   */
  end(outcome: Outcome | null): void {
    this.#values?.close();
    this.#values = undefined;
    this.log.end();
    if (this.#document === undefined) return;
    this.#write(
      RECORD_FILES.document,
      jsonOf({
        ...this.#document,
        ended: outcome && this.place.clock.date().toISOString(),
        python: this.python?.version ?? null,
        packages: this.python?.packages ?? null,
        data: this.data,
        transform: this.transform,
        hosts: this.hosts,
        outcome,
        metrics: metricFacts(this.#metrics?.all ?? []),
      }),
    );
  }

  /**
   * Writes a file as a whole: one that is half written is never there under its name. Where there was
   * no room before, there may be some now.
   */
  #write(file: string, text: string): void {
    const path = join(this.directory, file);
    try {
      Deno.writeTextFileSync(`${path}.part`, text);
      Deno.renameSync(`${path}.part`, path);
      if (file === RECORD_FILES.document) this.#isThere = true;
    } catch (error) {
      removeSync(`${path}.part`);
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!isSystemError(error)) throw error;
    if (this.#isWhole) this.#say(error as Error);
    this.#isWhole = false;
  }

  #say(error: Error): void {
    const { layout, messages } = this.place;
    const jobs = typedPath(layout, layout.jobs);
    // The run continues even if this message cannot be printed.
    messages.ignoringFailures().warning(
      `The run continues, but its record in ${jobs} is incomplete: ${fileErrorReason(error)}`,
    );
  }
}

/** Result of a run, as in its record. */
export function outcomeOf(
  { exitStatus, wasStopped }: RunRecord,
  failure: { readonly error: unknown } | undefined,
): Outcome {
  const exit_status = exitStatus ?? null;
  if (failure === undefined) {
    return { status: wasStopped ? "Stopped" : "Completed", exit_status, reason: null };
  }
  const { error } = failure;
  const isStopped = error instanceof Interrupted || error instanceof OutputClosed;
  return {
    status: isStopped ? "Stopped" : "Failed",
    exit_status: error instanceof UserCodeError ? error.status : exit_status,
    reason: messageOf(error),
  };
}

function jsonOf(document: JobDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the facts of metrics by their names, as `job.json` has them. */
export function metricFacts(metrics: readonly Metric[]): JobDocument["metrics"] {
  return Object.fromEntries(
    metrics.map(({ name, last, least, most, count }) => [
      name,
      { last, min: least, max: most, count },
    ]),
  );
}

/** The first row of `metrics.csv`. */
export const VALUES_HEADER = "time,metric,value\n";

/** Returns a row of `metrics.csv`; a time that is unknown (`NaN`) is empty. */
export function valueRow(name: string, { time, value }: Sample): string {
  const when = Number.isNaN(time) ? "" : new Date(time).toISOString();
  return `${when},${csvField(name)},${value}\n`;
}

/** RFC 4180 */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Adds all of a text to a file, or nothing of it. */
function writeWhole(file: Deno.FsFile, text: string): void {
  const { size } = file.statSync();
  try {
    for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
      rest = rest.subarray(file.writeSync(rest));
    }
  } catch (error) {
    file.truncateSync(size);
    throw error;
  }
}

/** Removes what could not be written; where that fails, too, the error before it is said. */
function removeSync(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was not made, or is not ours any more.
  }
}

/** What only one kind of job has. */
export interface OwnFacts extends Partial<Pick<RunFacts, "hyperparameters" | "channels">> {
  /** By the options' names; what was not given is `undefined`, `false` or an empty list. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Returns the facts of a run, with the names of variables only: values may be secrets. */
export function factsOf(
  kind: JobKind,
  job: LocalJob & Partial<Pick<BatchJob, "grace" | "interactive" | "hosts">>,
  container: string,
  { hyperparameters = {}, channels = {}, options }: OwnFacts,
): RunFacts {
  const given = {
    strict: job.strict,
    memory: job.memory,
    cpus: job.cpus,
    shm_size: job.shmSize,
    gpus: job.gpus,
    network: job.network,
    allow_privileges: job.allowPrivileges,
    grace: job.grace,
    interactive: job.interactive,
    ...hostOptions(job.hosts ?? ONE_HOST),
    ...options,
  };
  return {
    kind,
    app: job.app.name,
    mlcli: VERSION,
    container,
    hyperparameters,
    channels,
    options: Object.fromEntries(Object.entries(given).filter(([, value]) => isGiven(value))),
    variables: [
      ...Object.keys({ ...job.proxies, ...job.variables }),
      ...job.lender ? KEY_VARIABLES : [],
    ].sort(),
  };
}

/** What was asked for of several hosts, as it is typed. */
function hostOptions({ count, shards, faults }: Hosts): OwnFacts["options"] {
  const suffered = (kind: Fault["kind"]): readonly string[] =>
    faults.filter((fault) => fault.kind === kind).map(({ host, after, seconds }) =>
      `${host}@${after}${seconds === undefined ? "" : `+${seconds}`}`
    );
  return {
    instance_count: count > 1 && count,
    shard: shards,
    kill_host: suffered("kill"),
    freeze_host: suffered("freeze"),
  };
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false;
}
