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
    const next = new Map<AsyncIterator<Event>, ReturnType<typeof newsOf>>();
    const encoder = new TextEncoder();
    const end = (): void => {
      gone.abort();
      either[Symbol.dispose]();
    };
    return new ReadableStream({
      pull: async (controller) => {
        for (const source of sources) {
          if (next.has(source)) continue;
          const news = newsOf(source);
          // Nobody may be there any more who hears of a failure.
          news.catch(() => {});
          next.set(source, news);
        }
        try {
          const { source, event } = await Promise.race(next.values());
          next.delete(source);
          controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
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

async function newsOf(source: AsyncIterator<Event>) {
  return { source, event: (await source.next()).value as Event };
}
