/** What the page knows: what has come on the stream of events. */

import type { Event, ListedRun, Report, Server } from "./api.ts";
import { own } from "../text.ts";

export interface State {
  /** `refused`: the token is not the server's. */
  readonly connection: "starting" | "open" | "lost" | "refused";
  /** The newest first; `undefined`: not told yet. */
  readonly runs: readonly ListedRun[] | undefined;
  readonly servers: readonly Server[] | undefined;
  /** Why the disk, or the engine, says nothing. */
  readonly runsProblem: string | null;
  readonly serversProblem: string | null;
}

export const NOTHING_YET: State = {
  connection: "starting",
  runs: undefined,
  servers: undefined,
  runsProblem: null,
  serversProblem: null,
};

/** @param isFirst whether it is the first of its kind on a new stream: then it says all there is. */
export function withEvent(state: State, event: Event, isFirst: boolean): State {
  if (event.kind === "servers") {
    return { ...state, servers: event.servers, serversProblem: event.problem };
  }
  const runs = new Map(isFirst ? [] : state.runs?.map((run) => [run.name, run]));
  for (const name of event.gone) runs.delete(name);
  for (const run of event.runs) runs.set(run.name, run);
  return { ...state, runs: newestFirst([...runs.values()]), runsProblem: event.problem };
}

/** All that a report has; what it has of a log and of curves, instead of their bytes. */
export function reported({ runs, logs, curves, made }: Report): State {
  const listed = runs.map((run) => ({
    ...run,
    // Of a run that went on, until then.
    seconds: run.seconds ?? (Date.parse(made) - Date.parse(run.created)) / 1_000,
    log_bytes: own(logs, run.name)?.length ?? 0,
    curve_bytes: Object.keys(own(curves, run.name) ?? {}).length,
  }));
  return { ...NOTHING_YET, connection: "open", runs: newestFirst(listed) };
}

function newestFirst(runs: readonly ListedRun[]): readonly ListedRun[] {
  return runs.toSorted((one, other) => Date.parse(other.created) - Date.parse(one.created));
}
