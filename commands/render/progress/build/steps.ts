/**
 * What is known of a build at a moment, gathered from its events.
 *
 * @module
 */

import type {
  BuildEvent,
  StepEvent,
  TransferEvent,
} from "../../../../runtime/image/build_events.ts";
import { StepLog } from "./step_log.ts";

/** One step. */
export interface Step {
  readonly id: string;
  /** The how manieth it is. */
  readonly number: number;
  readonly name: string;
  readonly state: StepEvent["state"];
  /** How long it took, in ms; `undefined` while it is running, and where nobody says. */
  readonly took: number | undefined;
  /** Since when it is known, in ms on the clock of `Steps`. */
  readonly since: number;
  readonly error: string | undefined;
  readonly log: StepLog;
  /** By their ids. */
  readonly transfers: ReadonlyMap<string, TransferEvent>;
}

/** The steps of one build, in the order in which they were announced. */
export class Steps {
  readonly #now: () => number;
  readonly #steps = new Map<string, Step & { readonly transfers: Map<string, TransferEvent> }>();

  /** @param now milliseconds on a clock that only goes forward: the engine's may be another. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes an event in, and returns the step that it is about, and how that was before. */
  add(event: BuildEvent): { readonly step: Step; readonly before: Step | undefined } | undefined {
    if (event.kind === "warning") return undefined;
    const id = event.kind === "transfer" ? event.step : event.id;
    const before = this.#steps.get(id);
    if (event.kind === "step") {
      const step = {
        id,
        number: before?.number ?? this.#steps.size + 1,
        name: shortName(event.name),
        state: event.state,
        took: this.#took(event, before),
        since: before?.since ?? this.#now(),
        error: event.error,
        log: before?.log ?? new StepLog(),
        transfers: before?.transfers ?? new Map(),
      };
      this.#steps.set(id, step);
      return { step, before };
    }
    if (event.kind === "transfer") before?.transfers.set(event.id, event);
    return before && { step: before, before };
  }

  get all(): readonly Step[] {
    return [...this.#steps.values()];
  }

  #took({ state, started, ended }: StepEvent, before: Step | undefined): number | undefined {
    if (state === "running") return undefined;
    if (started !== undefined && ended !== undefined) return Math.max(0, ended - started);
    return before && this.#now() - before.since;
  }
}

/**
 * Without the room between the lines of an instruction, and without what a RUN mounts: what it runs
 * is what one wants to read.
 */
function shortName(name: string): string {
  return name.replaceAll(/\s+/g, " ").replace(/(?<=\bRUN )(?:--(?:mount|network)=\S+ )+/, "");
}

/** What is told of a step's end. */
export function endText({ state, took }: Step, clock: (ms: number) => string): string {
  if (state === "cached") return "cached";
  return took === undefined ? state : state === "failed" ? `failed ${clock(took)}` : clock(took);
}

/** The steps that made the build fail. What was ended because of another did not. */
export function failedSteps(steps: readonly Step[]): readonly Step[] {
  const failed = steps.filter(({ state }) => state === "failed");
  const culprits = failed.filter(({ error }) => !/\bcanceled\b/.test(error ?? ""));
  return culprits.length > 0 ? culprits : failed;
}
