/**
 * `local deploy --watch`: a server that always has the current code and model.
 *
 * mlcli listens on the port, and relays each request to a container. After an edit, mlcli starts a new
 * container. When it responds, it gets all further requests; the old container stops after its current
 * responses. A container that does not respond changes nothing.
 */

import type { Context } from "../../context.ts";
import type { Engine } from "../../docker/engine.ts";
import { isSystemError, MlcliError } from "../../errors.ts";
import { abortOf, type Clock, clockTime, joinSignals, type TemporarySignal } from "../../time.ts";
import { spareName } from "../container/managed.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { warnOfExpiry } from "../credentials.ts";
import { type Relay, relay } from "./relay.ts";
import { type Change, type Look, Watch, watchedCode } from "../watch/changes.ts";
import { Backend, retire, stop, untilRemoved } from "./backends.ts";
import { FollowedLogs } from "./logs.ts";
import { cannotListen, onFreePort } from "../../serving/ports.ts";
import { clearPort } from "./stop.ts";
import { serverEnded } from "./serve.ts";
import type { Server } from "./servers.ts";
import { requireServable } from "./servable.ts";
import { type Start, startOf, startServer } from "./starting.ts";
import { KeptTraffic } from "./traffic.ts";

type WatchHost = Host & Pick<Context, "cwd">;

/** Maximum time (ms) of a start after a newer edit, in addition to twice the longest successful start. */
const OVERTAKEN_TIMEOUT = 10_000;

/**
 * Serves until the user interrupts, or stops the server by `local stop`, and then returns. Leaves no
 * container, and the port is free.
 *
 * @param announce prints the address once the first server responds.
 * @throws Interrupted if the user stopped it here; MlcliError if the first server does not respond, or the
 * port is in use; OutputClosed if the reader of the logs has exited.
 */
export async function serveWatched(
  job: ServingJob,
  host: WatchHost,
  announce: (server: { readonly port: number }) => Promise<void>,
): Promise<void> {
  const engine = await host.engine();
  if (job.port !== 0) await clearPort(engine, job.port, job.app, host.interruption.signal);
  const listener = listen(job.port);
  await using server = new WatchedServer(job, host, engine, listener);
  await server.start(announce);
  while (true) {
    const change = await server.nextChange();
    if (change === undefined) return;
    await server.changeTo(change);
  }
}

/** A listener on the port, and its containers. Disposing removes all containers. */
class WatchedServer implements AsyncDisposable {
  readonly #port: number;
  readonly #host: WatchHost;
  readonly #logFailure = new AbortController();
  readonly #ending = new AbortController();
  readonly #either: TemporarySignal;
  readonly #logs: FollowedLogs;
  readonly #relay: Relay;
  readonly #traffic: KeptTraffic;
  readonly #watch: Watch;
  readonly #retiring = new Set<Promise<void>>();
  /** Cancels the warning that the current server's credentials expire. */
  #expiry = new AbortController();
  #start: Start | undefined;
  #current: Backend | undefined;
  /** State of the files at the start of the last server. */
  #look: Look = [];
  /** How long the slowest start took, in ms, of those that answered. */
  #longest = 0;

  constructor(
    private readonly job: ServingJob,
    host: WatchHost,
    private readonly engine: Engine,
    listener: Deno.TcpListener,
  ) {
    this.#port = listener.addr.port;
    this.#either = joinSignals(host.interruption.signal, this.#logFailure.signal);
    const { force } = host.interruption;
    this.#host = { ...host, interruption: { signal: this.#either.signal, force } };
    this.#logs = new FollowedLogs(host, (error) => this.#logFailure.abort(error));
    this.#watch = watchOf(job, host.clock);
    this.#traffic = new KeptTraffic(job.app.paths, this.#port);
    this.#relay = relay(
      listener,
      () => this.#current?.hasEnded === false ? this.#current.lease() : undefined,
      (status, ms) => this.#traffic.add(status, ms),
    );
  }

  get #signal(): AbortSignal {
    return this.#either.signal;
  }

  /** Prints what happens, with the time. */
  #say(text: string): void {
    const { clock, messages } = this.#host;
    messages.state(`${clockTime(clock.date())} ${text}`);
  }

  async start(announce: (server: { readonly port: number }) => Promise<void>): Promise<void> {
    this.#look = await this.#watch.look();
    const follow = (_: Engine, server: Server) => this.#logs.follow(this.engine, server);
    this.#start = { ...await startOf(this.job, this.#host, follow), copiesCode: true };
    this.#switchTo(await this.#startBackend(this.#start));
    await this.#traffic.forget();
    await Promise.race([announce({ port: this.#port }), abortOf(this.#signal)]);
    this.#say("watching for changes (press Ctrl-C to stop)");
  }

  /** Returns the next change; `undefined` if another command has stopped the server. */
  async nextChange(): Promise<Change | undefined> {
    const done = new AbortController();
    using either = joinSignals(this.#signal, done.signal);
    const backend = this.#current!;
    const removed = untilRemoved(backend, this.#host, either.signal, async (status) => {
      const hint = "See its log above. The next edit restarts the server.";
      this.#expiry.abort();
      const error = await serverEnded(this.engine, backend.server, status, hint);
      this.#host.messages.error(error, this.#host.cwd);
      this.#say("no server is running; waiting for the next change");
    });
    try {
      const change = this.#watch.change(this.#look, either.signal);
      return await Promise.race([change, removed.then(() => undefined), abortOf(this.#signal)]);
    } finally {
      done.abort();
      await removed.catch(() => {});
    }
  }

  /** Serves the current files. A newer edit waits until this start has ended, unless the start hangs. */
  async changeTo(change: Change): Promise<void> {
    this.#look = change.look;
    this.#say(`${change.words}: starting a new server`);
    const attempt = new AbortController();
    using either = joinSignals(this.#signal, attempt.signal);
    this.#watch.change(change.look, either.signal)
      .then(() => this.#host.clock.pause(OVERTAKEN_TIMEOUT + 2 * this.#longest, either.signal))
      .then(() => attempt.abort(overtaken()), () => {});
    try {
      await this.#serve(change, either.signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof MlcliError || isSystemError(error))) throw error;
      this.#host.messages.error(error, this.#host.cwd);
      this.#say(`${change.words}: new server failed; the previous one keeps running`);
    } finally {
      attempt.abort();
    }
  }

  async #serve(change: Change, signal: AbortSignal): Promise<void> {
    await requireServable(this.job, this.#host);
    const next = await this.#startBackend({ ...this.#start!, signal });
    const before = this.#current;
    this.#switchTo(next);
    const seconds = (this.#host.clock.now() - change.at) / 1000;
    this.#say(`${change.words}: new server ready in ${seconds.toFixed(1)} s`);
    if (before === undefined) return;
    const retired = retire(before, this.#host, this.#ending.signal);
    this.#retiring.add(retired);
    retired.finally(() => this.#retiring.delete(retired));
  }

  #switchTo(backend: Backend): void {
    this.#current = backend;
    this.#expiry.abort();
    this.#expiry = new AbortController();
    const renewal = "To renew them, save a file of your code: mlcli then restarts the server";
    warnOfExpiry(backend.server.madeOf?.credentials, this.#host, this.#expiry.signal, renewal);
  }

  async #startBackend(start: Start): Promise<Backend> {
    const { clock } = this.#host;
    const began = clock.now();
    const backend = await onFreePort(async (published) => {
      const name = spareName(this.job.app.name, this.#port);
      const place = { name, port: this.#port, published };
      return new Backend(await startServer(start, place), published);
    });
    this.#longest = Math.max(this.#longest, clock.now() - began);
    return backend;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#relay.close();
    this.#ending.abort();
    this.#expiry.abort();
    const last = this.#current && stop(this.#current, this.#host);
    await Promise.all([...this.#retiring, last]);
    await this.#logs.lastLines(this.#host.interruption.force);
    this.#logs.close();
    this.#relay.end();
    await this.#traffic[Symbol.asyncDispose]();
    this.#either[Symbol.dispose]();
  }
}

function listen(port: number): Deno.TcpListener {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (error) {
    throw cannotListen(port, error);
  }
}

function watchOf({ app, code }: ServingJob, clock: Clock): Watch {
  const { prediction, common, model, base, testDirectory, boundary } = app.paths;
  const ofCode = code
    ? [watchedCode(code.source)]
    : [{ path: prediction, shown: "prediction", boundary }, {
      path: common,
      shown: "common",
      boundary,
    }];
  return new Watch(
    [
      ...ofCode,
      { path: model, shown: "model", boundary, words: "model trained", needsFile: true },
    ],
    [base, testDirectory],
    clock,
  );
}

function overtaken(): MlcliError {
  return new MlcliError("Stopped the new server: its start was slow, and its files changed again");
}
