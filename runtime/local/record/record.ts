/**
 * The record of one run: what was run, how it ended, and what became of its metrics. It is no must: a
 * run goes on where it cannot be written.
 *
 * @module
 */

import { join } from "@std/path/join";
import { typedPath } from "../../app/typed_path.ts";
import {
  Interrupted,
  isSystemError,
  messageOf,
  OutputClosed,
  UserCodeError,
} from "../../errors.ts";
import { removeTreeIfThere } from "../../files.ts";
import type { PythonOfImage } from "../differences/report.ts";
import type { Metrics, Sample } from "../metrics/metrics.ts";
import { chartOf } from "./chart.ts";
import type { JobDocument, Outcome, RunFacts } from "./document.ts";
import {
  newFolder,
  type RecordFolder,
  type RecordPlace,
  removeFolder,
  sayNoRecord,
} from "./folder.ts";
import { RECORD_FILES, removeOldRecords } from "./records.ts";

/** The record of a run that goes on. */
export class RunRecord {
  /** Its metrics, where the app defines some. */
  #metrics: Metrics | undefined;
  /** Exit status of the code, once that has ended. */
  exitStatus: number | undefined;
  /** Whether it was stopped, as was asked for. */
  wasStopped = false;
  /** What the image told of itself. */
  python: PythonOfImage | undefined;
  #document: JobDocument | undefined;
  #values: Deno.FsFile | undefined;
  /** Whether the document has been written, and the values are all there. */
  #isThere = false;
  #isWhole = true;

  /** @param name also that of the job, as the code sees it. */
  constructor(
    readonly name: string,
    private readonly folder: RecordFolder,
    private readonly place: RecordPlace,
  ) {}

  /** Its metrics, where the app defines some. */
  get metrics(): Metrics | undefined {
    return this.#metrics;
  }

  /** Where the picture of its metrics will be, as the user would type it. */
  get picture(): string | undefined {
    const { folder: { path }, place: { layout: { directory } } } = this;
    return path && this.#isWhole
      ? typedPath(directory, join(path, RECORD_FILES.picture))
      : undefined;
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
      metrics: {},
    };
    this.#write(RECORD_FILES.document, jsonOf(this.#document));
  }

  /** A value of a metric has come: also a run that is killed leaves those that came before. */
  #addValue(name: string, { time, value }: Sample): void {
    if (this.folder.path === undefined || !this.#isWhole || this.#document === undefined) return;
    const row = `${new Date(time).toISOString()},${csvField(name)},${value}\n`;
    const path = join(this.folder.path, RECORD_FILES.values);
    try {
      if (this.#values === undefined) {
        this.#values = Deno.openSync(path, { write: true, createNew: true });
        writeWhole(this.#values, `time,metric,value\n${row}`);
      } else {
        writeWhole(this.#values, row);
      }
    } catch (error) {
      if (this.#values?.statSync().size === 0) removeSync(path);
      this.#fail(error);
    }
  }

  /** The run has ended. Of one that never began, nothing is left. */
  async end(outcome: Outcome): Promise<void> {
    this.#values?.close();
    this.#values = undefined;
    if (this.#document === undefined) return await removeFolder(this.folder, this.place);
    const metrics = this.#metrics?.all ?? [];
    if (metrics.length > 0) this.#write(RECORD_FILES.picture, chartOf(this.name, metrics));
    this.#write(
      RECORD_FILES.document,
      jsonOf({
        ...this.#document,
        ended: this.place.clock.date().toISOString(),
        python: this.python?.version ?? null,
        packages: this.python?.packages ?? null,
        outcome,
        metrics: Object.fromEntries(
          metrics.map(({ name, last, least, most, count }) => [
            name,
            { last, min: least, max: most, count },
          ]),
        ),
      }),
    );
    // Without its document, nobody would know what the rest is.
    if (!this.#isThere && this.folder.path) await removeTreeIfThere(this.folder.path);
    await removeOldRecords(this.place.layout);
  }

  /**
   * Writes a file as a whole: one that is half written is never there under its name. Where there was
   * no room before, there may be some now.
   */
  #write(file: string, text: string): void {
    if (this.folder.path === undefined) return;
    const path = join(this.folder.path, file);
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
    if (this.#isWhole) sayNoRecord(this.place, error);
    this.#isWhole = false;
  }
}

/**
 * Calls `work` with a new record, and writes into it how that ended. It has the name of the job: the
 * app's, and the time.
 *
 * @param base the app's name.
 */
export async function withRecord<T>(
  base: string,
  place: RecordPlace,
  work: (record: RunRecord) => Promise<T>,
): Promise<T> {
  const { name, folder } = await newFolder(base, place);
  const record = new RunRecord(name, folder, place);
  let outcome: Outcome | undefined;
  try {
    const result = await work(record);
    outcome = outcomeOf(record);
    return result;
  } catch (error) {
    outcome = outcomeOf(record, error);
    throw error;
  } finally {
    if (outcome !== undefined) await record.end(outcome);
  }
}

function outcomeOf({ exitStatus, wasStopped }: RunRecord, error?: unknown): Outcome {
  const exit_status = exitStatus ?? null;
  if (error === undefined) {
    return { status: wasStopped ? "Stopped" : "Completed", exit_status, reason: null };
  }
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

/** RFC 4180 */
function csvField(text: string): string {
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
