/** From where the page has what it shows: from `mlcli local ui`, or from the report that it lies in. */

import type { App, Comparison, CurvesPart, Event, Failure, Files, LogPart } from "./api.ts";
import type { Report, WholeRun } from "./api.ts";
import { ANSWER_HEADERS, API, EVENTS_ACCEPT, TOKEN_HEADER } from "./api.ts";
import { NOTHING_YET, reported, type State, withEvent } from "./state.ts";
import { own } from "../text.ts";

/** All of it fails with `SourceError`. */
export interface Source {
  app(): Promise<App>;
  /** Calls the listener with each new state, as long as the page is open. */
  watch(listener: (state: State) => void): void;
  run(name: string): Promise<WholeRun>;
  curves(name: string, from: number): Promise<CurvesPart>;
  /** Without `from`, the end of it. */
  log(name: string, from?: number): Promise<LogPart>;
  files(name: string): Promise<Files>;
  /** A report may have the two the other way round. */
  comparison(one: string, other: string): Promise<Comparison>;
  ask(port: number, request: ServerRequest): Promise<ServerAnswer>;
}

/** What failed, in words for the reader, and what helps. */
export class SourceError extends Error {
  constructor(message: string, readonly hint: string | null = null, readonly status = 0) {
    super(message);
  }
}

export interface ServerRequest {
  readonly contentType: string;
  /** Empty: the server chooses. */
  readonly accept: string;
  readonly body: string | Blob;
}

export interface ServerAnswer {
  readonly status: string;
  readonly contentType: string;
  readonly milliseconds: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Before the stream of events is asked for again, in ms. */
const PAUSE = 1_000;

/** What `mlcli local ui` serves. */
export function liveSource(token: string): Source {
  const request = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = { ...options.headers, [TOKEN_HEADER]: token };
    let answer: Response;
    try {
      answer = await fetch(API + path, { ...options, headers });
    } catch {
      throw new SourceError("mlcli local ui has stopped or cannot be reached");
    }
    if (answer.ok) return answer;
    const failure: Partial<Failure> = await answer.json().catch(() => ({}));
    const { error = `HTTP ${answer.status}`, hint = null } = failure;
    throw new SourceError(String(error), hint && String(hint), answer.status);
  };
  const get = async <T>(path: string): Promise<T> => await (await request(path)).json();
  const ofRun = (name: string, what = ""): string => `runs/${encodeURIComponent(name)}${what}`;
  return {
    app: () => get("app"),
    watch: (listener) =>
      void watched(
        (signal) => request("events", { headers: { Accept: EVENTS_ACCEPT }, signal }),
        listener,
      ),
    run: (name) => get(ofRun(name)),
    curves: (name, from) => get(ofRun(name, `/curves?from=${from}`)),
    log: (name, from) => get(ofRun(name, from === undefined ? "/log" : `/log?from=${from}`)),
    files: (name) => get(ofRun(name, "/files")),
    comparison: (a, b) => get(`comparison?${new URLSearchParams({ a, b })}`),
    async ask(port, { contentType, accept, body }) {
      const headers = { "Content-Type": contentType, ...(accept && { "Accept": accept }) };
      const options = { method: "POST", headers, body };
      const answer = await request(`servers/${port}/invocations`, options);
      const header = (name: string): string => answer.headers.get(name) ?? "";
      return {
        status: header(ANSWER_HEADERS.status),
        contentType: header(ANSWER_HEADERS.contentType),
        milliseconds: Number(header(ANSWER_HEADERS.milliseconds)),
        body: new Uint8Array(await answer.arrayBuffer()),
      };
    },
  };
}

/**
 * Reads events until the token is refused; where the stream breaks, it is asked for again. A tab that is
 * not shown reads none: a browser has six connections to a server, and a stream takes one.
 */
async function watched(
  open: (signal: AbortSignal) => Promise<Response>,
  listener: (state: State) => void,
): Promise<void> {
  let state = NOTHING_YET;
  const tell = (change: Partial<State>): void => listener(state = { ...state, ...change });
  let stream = new AbortController();
  let show = (): void => {};
  document.addEventListener("visibilitychange", () => document.hidden ? stream.abort() : show());
  while (state.connection !== "refused") {
    if (document.hidden) await new Promise<void>((resolve) => show = resolve);
    stream = new AbortController();
    const seen = new Set<string>();
    try {
      for await (const line of linesOf((await open(stream.signal)).body!)) {
        const event: Event = JSON.parse(line);
        tell({ ...withEvent(state, event, !seen.has(event.kind)), connection: "open" });
        seen.add(event.kind);
      }
      tell({ connection: "lost" });
    } catch (error) {
      if (stream.signal.aborted) continue;
      const isRefused = error instanceof SourceError && error.status === 403;
      tell({ connection: isRefused ? "refused" : "lost" });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** Not by `for await` over the stream itself: Safari does not have that. */
async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop()!;
    yield* lines.filter((line) => line !== "");
  }
}

/** What a report holds. */
export function reportSource(report: Report): Source {
  const { app, version, runs, curves, files, logs, comparisons } = report;
  // deno-lint-ignore require-await -- so that it fails as a promise does
  const orFail = async <T>(value: T | undefined, what: string): Promise<T> => {
    if (value === undefined) throw new SourceError(`The report does not contain ${what}`);
    return value;
  };
  return {
    app: () => Promise.resolve({ app, version, sample: null }),
    watch: (listener) => listener(reported(report)),
    run: (name) => orFail(runs.find((run) => run.name === name), `run ${name}`),
    curves: (name) => Promise.resolve({ next: Infinity, curves: own(curves, name) ?? {} }),
    log: async (name) => {
      const what = `the log of run ${name}. To include logs: mlcli local report --with-logs`;
      const text = await orFail(own(logs, name), what);
      return { from: 0, next: text.length, text };
    },
    files: (name) => orFail(own(files, name), `the file list of run ${name}`),
    comparison: (...names) =>
      orFail(
        comparisons.find(({ runs }) =>
          names.every((name) => runs.some((run) => run.name === name))
        ),
        `this comparison. To create it: mlcli local report ${names.join(" ")}`,
      ),
    ask: () => orFail<ServerAnswer>(undefined, "servers. To use them: mlcli local ui"),
  };
}
