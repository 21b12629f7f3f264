/** What changes, as lines of JSON. Each client has looks of its own at the disk and the engine. */

import { join } from "@std/path/join";
import { requireInside } from "../../app/confinement.ts";
import type { Paths } from "../../app/paths.ts";
import { messageOf } from "../../errors.ts";
import { withModels } from "../../model/kept_models.ts";
import { RECORD_FILES, recordOf } from "../../model/records.ts";
import { runDirectoryOf, runNames } from "../../model/runs.ts";
import type { Event, ListedRun } from "../../page/api.ts";
import { joinSignals, pause } from "../../time.ts";
import { jsonRun } from "../runs/json.ts";
import { fileSize, lstatOrNothing, metricsOf, MOST_VALUES } from "./files.ts";
import type { Servers } from "./servers.ts";

/** How often (ms) the disk and the engine are looked at. */
const RUNS_EVERY = 1_000;
const SERVERS_EVERY = 2_000;

/** Those for one client, until it goes. */
export function eventStream(
  layout: Paths,
  servers: Pick<Servers, "look">,
  end: AbortSignal,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TextEncoderStream();
  const writer = writable.getWriter();
  const gone = new AbortController();
  writer.closed.catch(() => gone.abort());
  const either = joinSignals(end, gone.signal);
  const tell = async (look: () => Promise<Event | undefined>, every: number): Promise<never> => {
    for (let before = "";;) {
      const event = await look();
      const line = event === undefined ? before : `${JSON.stringify(event)}\n`;
      // A client that does not read is waited for: it gets what is new then.
      if (line !== before) await writer.write(line);
      before = line;
      await pause(every, either.signal);
    }
  };
  Promise.race([tell(runNews(layout), RUNS_EVERY), tell(() => servers.look(), SERVERS_EVERY)])
    .catch((error) => writer.abort(error).catch(() => {}))
    .finally(() => either[Symbol.dispose]());
  return readable;
}

/** A run when its record was read. */
interface SeenRun {
  /** Another one where a file of the run has changed. */
  readonly stamp: string;
  /** `undefined`: a directory that is no run's. */
  readonly run: ListedRun | undefined;
}

/** Tells what is new of the runs since it told before, or why it cannot; `undefined`: nothing. */
function runNews(layout: Paths): () => Promise<Event | undefined> {
  let before: ReadonlyMap<string, SeenRun> = new Map();
  let isUntold = true;
  const look = async (): Promise<Event | undefined> => {
    await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
    const now = new Map<string, SeenRun>();
    for (const name of runNames(layout)) {
      now.set(name, await seenRun(layout, name, before.get(name)));
    }
    const isNews = ([name, seen]: [string, SeenRun]) => before.get(name) !== seen;
    const runs = [...now].filter(isNews).flatMap(([, { run }]) => run ?? []);
    const gone = [...before].filter(([name, { run }]) => run && !now.get(name)?.run)
      .map(([name]) => name);
    const hasNews = isUntold || runs.length + gone.length > 0;
    [before, isUntold] = [now, false];
    return hasNews ? { kind: "runs", runs, gone, problem: null } : undefined;
  };
  return () =>
    look().catch((error) => {
      isUntold = true;
      return { kind: "runs", runs: [], gone: [], problem: messageOf(error) };
    });
}

/** The same object for a run that has not changed. */
async function seenRun(layout: Paths, name: string, before?: SeenRun): Promise<SeenRun> {
  const path = (file: string): string => join(runDirectoryOf(layout, name), file);
  const document = lstatOrNothing(path(RECORD_FILES.document));
  const log_bytes = fileSize(path(RECORD_FILES.log));
  const curve_bytes = Math.min(fileSize(path(RECORD_FILES.values)), MOST_VALUES);
  const stamp = [document?.mtime?.getTime(), document?.size, log_bytes, curve_bytes].join(" ");
  const isSame = before?.stamp === stamp;
  if (isSame && before.run?.status !== "InProgress") return before;
  const summary = await recordOf(layout, name);
  // It may have been lost without another trace.
  if (isSame && before.run?.status === summary?.status) return before;
  const [found] = await withModels(layout, summary ? [summary] : []);
  const run = found && jsonRun({ ...found, metrics: metricsOf(layout, found) });
  return { stamp, run: run && { ...run, log_bytes, curve_bytes } };
}
