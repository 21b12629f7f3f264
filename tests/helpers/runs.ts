/** The directories of an app's runs: `local_test/jobs/NAME/`. */

import type { TestApp } from "./app.ts";
import { namesIn } from "./directory.ts";

/** The names of its runs, sorted. */
export async function runsOf(app: Pick<TestApp, "path">): Promise<readonly string[]> {
  const names: readonly string[] = await namesIn(app.path("local_test/jobs")).catch(() => []);
  return names.filter((name) => !/^(\..*|kept-.*|code)$/.test(name));
}

/** What a run said, but for the note that has its name: where its model is, or where to look. */
export function besidesRun<T extends { readonly stderr: string }>(result: T): T {
  const note = /^note: (Model:\s+\S+\s+\(run\s+\S+\)|See this run: mlcli local describe \S+)\n/m;
  return { ...result, stderr: result.stderr.replace(note, "") };
}

/** Those that have not come to their end. */
export async function unfinishedRuns(app: Pick<TestApp, "path">): Promise<readonly string[]> {
  const names = await runsOf(app);
  const owners = await Promise.all(
    names.map((name) => namesIn(app.path("local_test/jobs", name)).catch((): string[] => [])),
  );
  return names.filter((_, index) => owners[index]!.includes("owner"));
}

/** A path in the directory of its last run. */
export async function lastRun(app: TestApp, ...parts: readonly string[]): Promise<string> {
  return app.path("local_test/jobs", (await runsOf(app)).at(-1) ?? "none", ...parts);
}

/** What is kept beside the current model: files below `jobs/`, RUN for a run, KEPT for a person's. */
export async function keptModels(app: TestApp): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await namesIn(app.path("local_test/jobs")).catch(() => [])) {
    const model = app.path("local_test/jobs", name, "model");
    for (const file of await namesIn(model).catch(() => [])) {
      found.push(`${name.startsWith("kept-") ? "KEPT" : "RUN"}/${file}`);
    }
  }
  return found.sort();
}

/** What an earlier command left of a run. */
export interface LeftRun {
  /** Default: `earlier`. */
  readonly name?: string;
  readonly container: string;
  readonly kind?: "train" | "process";
  /** Of its record; `null`: it has not ended; `undefined`: it has none. */
  readonly outcome?: Readonly<Record<string, unknown>> | null;
  /** The process that sees to it; default: one that has ended. `undefined`, given: it says none. */
  readonly owner?: number | undefined;
  /** In `model/`. */
  readonly files?: readonly string[];
}

/** No process has this number. */
export const DEAD_PROCESS = 4_194_305;

/** Makes the directory of a run that has not come to its end. @returns its path. */
export async function leaveRun(app: TestApp, run: LeftRun): Promise<string> {
  const path = (...parts: readonly string[]) =>
    app.path("local_test/jobs", run.name ?? "earlier", ...parts);
  const { container, kind = "train", files = [], outcome } = run;
  await Deno.mkdir(path("config"), { recursive: true });
  if (kind === "train") await Deno.mkdir(path("model"));
  for (const file of files) await app.write(path("model", file), "");
  if (outcome !== undefined) {
    const record = { kind, container, started: "2026-03-01T09:00:00Z", outcome };
    await app.write(path("job.json"), JSON.stringify(record));
  }
  const owner = Object.hasOwn(run, "owner") ? run.owner : DEAD_PROCESS;
  await app.write(path("owner"), owner === undefined ? "" : `${owner} ${Deno.hostname()}`);
  return path();
}
