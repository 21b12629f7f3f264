/** The steps of a build, from its events; the output of each, and its lines in a pipe. */

import type { BuildEvent, StepEvent, TransferEvent } from "../../../runtime/image/build_events.ts";
import { afterReturns, terminalText } from "../../../runtime/text.ts";
import { clockText } from "../../../runtime/quantities.ts";

export interface Step {
  readonly id: string;
  /** 1 for the first that was announced. */
  readonly number: number;
  readonly name: string;
  readonly state: StepEvent["state"];
  /** How long it took, in ms; `undefined` while it is running, or where that is not known. */
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
  readonly #steps = new Map<string, Step & { readonly transfers: Map<string, TransferEvent> }>();

  /** @param now milliseconds on a clock that only goes forward: the engine's may be another. */
  constructor(private readonly now: () => number) {}

  /** Takes an event in, and returns its step as it is now and as it was before. */
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
        since: before?.since ?? this.now(),
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
    return before && this.now() - before.since;
  }
}

/** An instruction in one line; of a RUN, the command is of interest, not its mounts. */
function shortName(name: string): string {
  return name.replaceAll(/\s+/g, " ").replace(/(?<=\bRUN )(?:--(?:mount|network)=\S+ )+/, "");
}

/** How a step ended: `cached`, `1.2s`, `failed 0.4s`. */
export function endText({ state, took }: Step): string {
  if (state === "cached" || took === undefined) return state;
  return state === "failed" ? `failed ${clockText(took)}` : clockText(took);
}

/** The steps that made the build fail, without those that were cancelled because of them. */
export function failedSteps(steps: readonly Step[]): readonly Step[] {
  const failed = steps.filter(({ state }) => state === "failed");
  const culprits = failed.filter(({ error }) => !/\bcanceled\b/.test(error ?? ""));
  return culprits.length > 0 ? culprits : failed;
}

/** How much of a step's output is kept, in characters. BuildKit itself stops at two million. */
const KEPT = 8_000_000;

/** In characters: a longer line is cut into several. */
const LONGEST = 64_000;

/** How many lines `tail` looks at, ten times a second. */
const RECENT = 100;

/** The output of one step. Of a line that a tool overwrites, the latest state counts. */
export class StepLog {
  #lines: string[] = [];
  #length = 0;
  #dropped = 0;
  /** The line that has not ended yet. */
  #open = "";

  /** Takes a piece in, and returns the lines that it ends. */
  add(text: string): readonly string[] {
    const lines = (this.#open + text).split("\n");
    const open = lines.pop()!;
    this.#open = afterReturns(open) + (open.endsWith("\r") ? "\r" : "");
    if (this.#open.length > LONGEST) {
      lines.push(this.#open);
      this.#open = "";
    }
    const ended = lines.map(terminalText);
    for (const line of ended) this.#length += line.length + 1;
    this.#lines.push(...ended);
    if (this.#length > 2 * KEPT) this.#forget();
    return ended;
  }

  /** Ends the open line, if there is one, and returns it. */
  end(): readonly string[] {
    return this.#open === "" ? [] : this.add("\n");
  }

  /** The last lines that are not empty, the open one included. */
  tail(count: number): readonly string[] {
    const found: string[] = [];
    const open = terminalText(this.#open);
    if (open.trim() !== "") found.push(open);
    const recent = this.#lines.slice(-RECENT);
    while (recent.length > 0 && found.length < count) {
      const line = recent.pop()!;
      if (line.trim() !== "") found.push(line);
    }
    return found.slice(0, count).reverse();
  }

  /** All of it, as far as it is kept. */
  whole(): readonly string[] {
    const dropped = this.#dropped === 0 ? [] : [`(${this.#dropped} earlier lines omitted)`];
    const open = terminalText(this.#open);
    return [...dropped, ...this.#lines, ...open === "" ? [] : [open]];
  }

  #forget(): void {
    let start = 0;
    for (; this.#length > KEPT && start < this.#lines.length; start++) {
      this.#length -= this.#lines[start]!.length + 1;
    }
    this.#dropped += start;
    this.#lines = this.#lines.slice(start);
  }
}

/**
 * The lines that an event makes: `#3 [4/7] RUN make`, `#3 | cc -c a.c`, `#3 done 1.2s`.
 *
 * @param steps takes the event in.
 */
export function plainLines(event: BuildEvent, steps: Steps): readonly string[] {
  const of = steps.add(event);
  if (of === undefined) return [];
  const { step, before } = of;
  if (event.kind === "log") return logged(step, step.log.add(event.text));
  // BuildKit reports some steps as done, and then as cached.
  const isKnown = before !== undefined && (before.state !== "running" || step.state === "running");
  if (event.kind === "transfer" || isKnown) return [];
  const announced = before === undefined ? [`#${step.number} ${step.name}`] : [];
  if (step.state === "running") return announced;
  if (step.state === "cached") {
    return [before === undefined ? `${announced[0]} (cached)` : `#${step.number} cached`];
  }
  const took = step.took === undefined ? "" : ` ${clockText(step.took)}`;
  return [
    ...announced,
    ...logged(step, step.log.end()),
    `#${step.number} ${step.state}${took}`,
  ];
}

function logged({ number }: Step, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `#${number} | ${line}`.trimEnd());
}
