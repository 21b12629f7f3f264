/** What changes, as lines of JSON: each client gets what is new to it, when it can take more. */

import type { Layout } from "../../app/layout.ts";
import type { Event } from "../../page/api.ts";
import { joinSignals } from "../../time.ts";
import { Look } from "./look.ts";
import { lookAtRuns, runsEvent, type SeenRuns } from "./runs.ts";
import type { SeenServers, Servers } from "./servers.ts";

/** How often (ms) the disk and the engine are looked at. */
const RUNS_EVERY = 1_000;
const SERVERS_EVERY = 2_000;

export class Events {
  readonly #runs: Look<SeenRuns>;
  readonly #servers: Look<SeenServers>;

  constructor(layout: Layout, servers: Servers, private readonly signal: AbortSignal) {
    this.#runs = new Look((before) => lookAtRuns(layout, before), RUNS_EVERY, signal);
    this.#servers = new Look((before) => servers.look(before), SERVERS_EVERY, signal);
  }

  /** Those for one client. Nothing is kept for a client that does not read: it gets what is new then. */
  stream(): ReadableStream<Uint8Array> {
    const gone = new AbortController();
    const either = joinSignals(gone.signal, this.signal);
    const sources = [this.#runNews(either.signal), this.#serverNews(either.signal)];
    const next = new Map<AsyncIterator<Event>, Promise<Uint8Array>>();
    const encoder = new TextEncoder();
    const lineOf = async (source: AsyncIterator<Event>): Promise<Uint8Array> => {
      const { value } = await source.next();
      next.delete(source);
      return encoder.encode(`${JSON.stringify(value)}\n`);
    };
    const end = (): void => {
      gone.abort();
      either[Symbol.dispose]();
    };
    return new ReadableStream({
      pull: async (controller) => {
        for (const source of sources) {
          if (next.has(source)) continue;
          const line = lineOf(source);
          // Nobody may be there any more who hears of it.
          line.catch(() => {});
          next.set(source, line);
        }
        try {
          controller.enqueue(await Promise.race(next.values()));
        } catch (error) {
          end();
          if (!this.signal.aborted) throw error;
          controller.close();
        }
      },
      cancel: end,
    }, { highWaterMark: 0 });
  }

  async *#runNews(signal: AbortSignal): AsyncGenerator<Event, never> {
    let before: SeenRuns = new Map();
    for (let known = 0;;) {
      const { number, value } = await this.#runs.next(known, signal);
      const event = runsEvent(before, value);
      const isNews = known === 0 ||
        event.kind === "runs" && event.runs.length + event.gone.length > 0;
      [known, before] = [number, value];
      if (isNews) yield event;
    }
  }

  async *#serverNews(signal: AbortSignal): AsyncGenerator<Event, never> {
    for (let known = 0;;) {
      const { number, value } = await this.#servers.next(known, signal);
      known = number;
      yield { kind: "servers", ...value };
    }
  }
}
