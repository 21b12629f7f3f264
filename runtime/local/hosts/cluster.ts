/** Runs the hosts of a run on their network, with fault injection. */

import { SIGKILL_STATUS } from "../../contract/outcome.ts";
import type { Engine } from "../../docker/engine.ts";
import type { Messages } from "../../messages.ts";
import { clockText } from "../../quantities.ts";
import { overlaid } from "../../streams.ts";
import type { RunHost } from "../container/run.ts";
import type { BatchJob } from "../jobs.ts";
import { type Came, injectFaults, isLost, TIME_LIMITS, verdictsOf } from "./faults.ts";
import { makeNetwork, onNetwork, removeNetwork, shortageNotes } from "./network.ts";
import { type HostContainer, type HostEnd, type HostsOptions, runHosts } from "./run.ts";

/** The hosts, and their run. */
export interface ClusterRun {
  readonly job: BatchJob;
  readonly run: string;
  readonly containers: readonly HostContainer[];
}

/** Under `--strict`, the first host starts so many seconds after the others, which must ask again. */
const LATE = 3;

/** Seconds of silence of the other hosts after one has ended until a note is printed. */
const SILENT = 30;

/**
 * Runs the hosts until they end. Several hosts have their own network, which is removed afterwards.
 *
 * @returns lines about the reaction to injected faults.
 * @throws as `runHosts`; MlcliError if the engine has no network for the hosts.
 */
export async function runCluster(
  engine: Engine,
  { job, run, containers }: ClusterRun,
  host: RunHost,
  options: Omit<HostsOptions, "late" | "isLost" | "onEnd">,
): Promise<readonly string[]> {
  if (containers.length === 1) {
    await runHosts(engine, containers, host, options);
    return [];
  }
  const { messages } = host;
  const { strict, network: asked, hosts: { faults } } = job;
  const names = containers.map(({ host }) => host);
  for (const text of await shortageNotes(engine, job)) messages.note(text);
  const network = await makeNetwork(engine, job.app, run, names, asked === "none");
  const silence = new Silence(messages);
  const placed = containers.map((one) => ({
    ...one,
    body: onNetwork(one.body, one.host, network),
    streams: silence.hear(one.streams),
  }));
  const came: Came = new Map();
  const ends: HostEnd[] = [];
  /** A host has ended, or suffers a fault. */
  function onGone(gone: string): void {
    const left = placed.filter(({ host }) => ends.every((end) => end.host !== host));
    if (left.length === 0) return held.dispose();
    silence.watch(gone);
    // Nobody is left to notice that they are frozen.
    if (!left.every(({ host }) => isLost(host, came))) return;
    for (const { name } of left) engine.killContainer(name).catch(() => {});
  }
  using held = new DisposableStack();
  held.use(silence);
  try {
    await runHosts(engine, placed, host, {
      ...options,
      late: strict ? LATE : undefined,
      isLost: (host) => isLost(host, came),
      onStart: () => {
        options.onStart();
        held.use(injectFaults(engine, placed, faults, came, messages, onGone));
      },
      onEnd: (end) => {
        ends.push(end);
        const { endedBy, stoppedWithin = 0, status } = end;
        if (endedBy && !end.isLost && status === SIGKILL_STATUS && stoppedWithin >= options.grace) {
          messages.note(`${end.host} did not stop within ${options.grace} s and was killed`);
        }
        onGone(end.host);
      },
    });
  } finally {
    await removeNetwork(engine, network);
  }
  return verdictsOf(faults, came, ends);
}

/** Prints a note if no host writes output after a host is gone. */
export class Silence implements Disposable {
  #gone: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly messages: Pick<Messages, "note">,
    private readonly seconds = SILENT,
  ) {}

  hear({ out, err }: HostContainer["streams"]): HostContainer["streams"] {
    const heard = (output: typeof out) =>
      overlaid(output, {
        write: (bytes) => {
          this.#begin();
          return output.write(bytes);
        },
      });
    return { out: heard(out), err: heard(err) };
  }

  /** From now on a host is gone. */
  watch(host: string): void {
    this.#gone ??= host;
    this.#begin();
  }

  #begin(): void {
    if (this.#gone === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const time = clockText(this.seconds * 1000);
      const words = `No host has printed anything for ${time}`;
      const others = `the others might be waiting for ${this.#gone}`;
      this.messages.note(`${words}: ${others}. ${TIME_LIMITS}.`);
    }, this.seconds * 1000);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#gone = undefined;
  }
}
