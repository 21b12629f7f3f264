/** `local report`: runs as one document, for who has neither the app nor mlcli. */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { absolutePath, typedPath } from "../../app/typed_path.ts";
import { fileErrorHint, fileErrorReason, MlcliError } from "../../errors.ts";
import { lstatIfThere, replacePrivately } from "../../files.ts";
import { makeJobs } from "../../model/runs.ts";
import type { Comparison, Curve, Files, Report, WholeRun } from "../../page/api.ts";
import { thinned } from "../../page/curves.ts";
import { jsonInPage } from "../../page/document.ts";
import { inOneLine } from "../../text.ts";
import { localTimestamp, pause } from "../../time.ts";
import { VERSION } from "../../version.ts";
import { jsonComparison, jsonWholeRun } from "../runs/json.ts";
import { compareRuns, findRun, listRuns, wholeRun } from "../runs/list.ts";
import { curvesOf, filesOf, logOf, metricsOf } from "./files.ts";

/** How many points a curve has at most. */
const MOST_POINTS = 2_000;

/** In characters: 100 records of a clone can hold 1 MiB each. */
const LARGEST_REPORT = 100_000_000;

/** Of how many runs at most each two are compared. */
const MOST_COMPARED = 4;

export interface ReportOptions {
  /** As `wholeRun` takes them; none: all that are kept. */
  readonly runs: readonly string[];
  readonly withLogs: boolean;
  readonly made: Date;
}

/** @throws UsageError for a run that is not there. */
export async function reportOf(
  app: App,
  { runs: typed, withLogs, made }: ReportOptions,
  signal: AbortSignal,
): Promise<Report> {
  const layout = app.paths;
  const all = await listRuns(app);
  const chosen = typed.map((one) => findRun(all, one));
  const names = all.filter((run) => typed.length === 0 || chosen.includes(run))
    .map(({ name }) => name);
  const report = {
    app: app.name,
    version: VERSION,
    made: localTimestamp(made, "T"),
    runs: [] as WholeRun[],
    curves: {} as Record<string, Record<string, Curve>>,
    files: {} as Record<string, Files>,
    logs: {} as Record<string, string>,
    comparisons: [] as Comparison[],
  };
  let size = 0;
  const counted = <T>(part: T): T => {
    size += jsonInPage(part).length;
    if (size <= LARGEST_REPORT) return part;
    const hint = `Choose fewer runs: mlcli local report ${names[0]} -o report.html`;
    throw new MlcliError("The report would be larger than 100 MB", { hint });
  };
  for (const [index, name] of names.entries()) {
    // Deno delivers Ctrl-C only if the program also waits for something other than files.
    await pause(0, signal);
    const { run, places } = await wholeRun(app, name, all);
    const shown = { ...run, metrics: metricsOf(layout, run) };
    report.runs.push(counted(jsonWholeRun({ run: shown, places })));
    report.curves[name] = counted(thinnedCurves((await curvesOf(layout, name, 0)).curves));
    report.files[name] = counted(await filesOf(layout, name));
    if (withLogs) report.logs[name] = counted((await logOf(layout, name)).text);
    if (names.length > MOST_COMPARED) continue;
    for (const older of names.slice(index + 1)) {
      const found = await compareRuns(app, [older, name], signal, all);
      report.comparisons.push(counted(jsonComparison(found)));
    }
  }
  return report;
}

function thinnedCurves(curves: Readonly<Record<string, Curve>>): Record<string, Curve> {
  return Object.fromEntries(
    Object.entries(curves).map(([metric, curve]) => [metric, thinned(curve, MOST_POINTS)]),
  );
}

/**
 * Writes a report, whole or not at all, for this user alone. It replaces only an earlier report, and
 * follows no link: a cloned repository can have one at the default path.
 *
 * @param typed the path that the user typed, if any.
 * @param document the page without a report.
 * @returns the path as the user would type it.
 */
export async function writeReport(
  app: App,
  typed: string | undefined,
  page: string,
  document: string,
): Promise<string> {
  const layout = app.paths;
  const shown = typed ?? typedPath(app, join(layout.jobs, "report.html"));
  const path = absolutePath(app.cwd, shown);
  try {
    if (typed === undefined) await makeJobs(layout);
    if (await mayReplace(path, document)) {
      await replacePrivately(path, page);
      return shown;
    }
  } catch (error) {
    throw new MlcliError(`Cannot write ${inOneLine(shown)}: ${fileErrorReason(error)}`, {
      hint: fileErrorHint(error) ?? "Check that you can write to the directory",
      cause: error,
    });
  }
  throw new MlcliError(`${inOneLine(shown)} already exists and is not an mlcli report`, {
    hint: "Choose another name with -o, or remove the file first",
  });
}

/** Returns whether nothing is at the path, or a report, whose first lines do not depend on the version. */
async function mayReplace(path: string, document: string): Promise<boolean> {
  const found = await lstatIfThere(path);
  if (!found?.isFile) return found === undefined;
  const beginning = document.slice(0, document.indexOf("'sha256-"));
  const bytes = new Uint8Array(new TextEncoder().encode(beginning).length);
  using file = await Deno.open(path);
  const length = await file.read(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, length)) === beginning;
}
