/**
 * Runs the containers of a job, a host each: the first of them starts, then the others together, and the
 * first that fails ends the others, as on SageMaker.
 */

import type { CreateBody, Engine } from "../../docker/engine.ts";
import { joinSignals, pause } from "../../time.ts";
import { runContainer, type RunHost, type RunOptions, type RunOutcome } from "../container/run.ts";

/** One of the hosts that a job runs on. */
export interface HostContainer {
  /** Its name for itself: `algo-1` */
  readonly host: string;
  /** The container's name. */
  readonly name: string;
  readonly body: CreateBody;
  /** Where its output goes. */
  readonly streams: Pick<RunHost, "out" | "err">;
}

/** How a host ended. */
export interface HostEnd extends RunOutcome {
  readonly host: string;
  /** How long its program ran, in seconds. */
  readonly seconds: number;
  /** The most memory that it was seen to use, in bytes; `undefined` where it is alone. */
  readonly peakMemory: number | undefined;
  /** The host that had failed when this one ended: that ended it, unless it was lost before. */
  readonly endedBy: string | undefined;
  /** Whether it was made to suffer what it does not come back from. */
  readonly isLost: boolean;
}

/** Why they are to end: somebody asked for it, nobody reads what they write, or this host failed. */
export type StopReason = "asked" | "time over" | "unread" | { readonly failed: HostEnd };

export interface HostsOptions extends Pick<RunOptions, "grace" | "onLeft"> {
  /** What has to be done before a program starts, and is under way. */
  readonly before: Promise<unknown>;
  /** Seconds after their start at which they are stopped though nobody asks for it. */
  readonly after: number | undefined;
  /** Seconds that the first host starts after the others; by default it starts before them. */
  readonly late?: number | undefined;
  /** Whether a host suffered what it does not come back from: its end ends no other. */
  readonly isLost?: (host: string) => boolean;
  /** Called once all programs have started. */
  readonly onStart: () => void;
  /** Called with the first that are told to end. */
  readonly onStop: (why: StopReason) => void;
  /** Called with each that has ended. */
  readonly onEnd?: (end: HostEnd) => void;
  /** What is to be done once all have ended; the engine removes the containers meanwhile. */
  readonly whileRemoved: (ends: readonly HostEnd[]) => Promise<void>;
}

/** The longest that a timer waits, in ms: one of more would fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * When this returns, all containers are gone, whatever happened.
 *
 * @returns how they ended, in the order in which they did.
 * @throws as `runContainer`.
 */
export async function runHosts(
  engine: Engine,
  containers: readonly HostContainer[],
  host: RunHost,
  options: HostsOptions,
): Promise<readonly HostEnd[]> {
  using held = new DisposableStack();
  const broken = new AbortController();
  const { signal } = held.use(joinSignals(host.interruption.signal, broken.signal));
  const over = new AbortController();
  const created = new Set<string>();
  const allCreated = Promise.withResolvers<void>();
  allCreated.promise.catch(() => {});
  // All at once, an engine takes as long for the first as for the last.
  const firstStarted = Promise.withResolvers<void>();
  const ends: HostEnd[] = [];
  let started = 0;
  let isStopping = false;
  function stop(reason: StopReason): void {
    if (ends.length < containers.length) over.abort(reason);
  }
  function onStart(): void {
    if (++started < containers.length) return;
    options.onStart();
    if (options.after === undefined) return;
    const timer = setTimeout(() => stop("time over"), Math.min(options.after * 1000, LONGEST));
    held.defer(() => clearTimeout(timer));
  }
  const { late, isLost } = options;
  async function run({ host: name, name: container, body, streams }: HostContainer, index: number) {
    const watch = new AbortController();
    let startedAt = performance.now();
    let peakMemory: number | undefined;
    async function watchMemory(): Promise<void> {
      for await (const bytes of engine.memoryOf(container, watch.signal)) {
        peakMemory = Math.max(peakMemory ?? 0, bytes);
      }
    }
    const interruption = { ...host.interruption, signal };
    await runContainer(engine, container, body, { ...host, ...streams, interruption }, {
      grace: options.grace,
      before: async () => {
        if (created.add(name).size === containers.length) allCreated.resolve();
        await Promise.all([allCreated.promise, options.before]);
        if (late === undefined && index > 0) await firstStarted.promise;
        if (late !== undefined && index === 0) await pause(late * 1000, signal);
      },
      stop: over.signal,
      onStart: () => {
        startedAt = performance.now();
        firstStarted.resolve();
        if (containers.length > 1) watchMemory().catch(() => {});
        onStart();
      },
      onStop: () => {
        if (!isStopping) options.onStop(over.signal.aborted ? over.signal.reason : "asked");
        isStopping = true;
      },
      onLeft: options.onLeft!,
      whileRemoved: async (outcome) => {
        watch.abort();
        const reason: StopReason | undefined = over.signal.reason;
        const end: HostEnd = {
          ...outcome,
          host: name,
          seconds: (performance.now() - startedAt) / 1000,
          peakMemory,
          endedBy: typeof reason === "object" ? reason.failed.host : undefined,
          isLost: isLost?.(name) ?? false,
        };
        ends.push(end);
        options.onEnd?.(end);
        // Who was asked to end is not asked again: the code might take that for a second Ctrl-C.
        const isAlone = signal.aborted || end.isLost;
        if (!isAlone && end.cause !== undefined) stop("unread");
        else if (!isAlone && end.status !== 0) stop({ failed: end });
        if (ends.length === containers.length) await options.whileRemoved(ends);
      },
    });
  }
  const runs = containers.map(async (container, index) => {
    try {
      await run(container, index);
    } catch (error) {
      allCreated.reject(error);
      // The others cannot do without it.
      broken.abort(error);
      throw error;
    } finally {
      firstStarted.resolve();
    }
  });
  await Promise.allSettled(runs);
  broken.signal.throwIfAborted();
  return ends;
}
