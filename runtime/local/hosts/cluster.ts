/** The hosts of a run on their network, with what they are made to suffer. */

import type { Engine } from "../../docker/engine.ts";
import { clockText } from "../../quantities.ts";
import { overlaid } from "../../streams.ts";
import type { RunHost } from "../container/run.ts";
import type { BatchJob } from "../jobs.ts";
import {
  injectFaults,
  isLost,
  missedText,
  type Suffered,
  TIME_LIMITS,
  verdictOf,
} from "./faults.ts";
import { makeNetwork, onNetwork, removeNetwork } from "./network.ts";
import { type HostContainer, type HostEnd, type HostsOptions, runHosts } from "./run.ts";

/** What runs, and of which run. */
export interface ClusterRun {
  readonly job: BatchJob;
  readonly run: string;
  readonly containers: readonly HostContainer[];
  /** Says what happens to them, a sentence without a full stop. */
  readonly note: (text: string) => void;
}

/** Under `--strict`, the first host starts so many seconds after the others, which must ask again. */
const LATE = { host: "algo-1", seconds: 3 };

/** How long the others may be silent after one has ended, in seconds, until that is said. */
const SILENT = 30;

/**
 * Runs them to their end. Several are on a network of their own, which is gone afterwards.
 *
 * @returns how they took what they were made to suffer, a line for each.
 * @throws as `runHosts`; MlcliError where the engine has no network for them.
 */
export async function runCluster(
  engine: Engine,
  { job, run, containers, note }: ClusterRun,
  host: RunHost,
  options: Omit<HostsOptions, "late" | "lost" | "onEnd">,
): Promise<readonly string[]> {
  if (containers.length === 1) {
    await runHosts(engine, containers, host, {
      ...options,
      late: undefined,
      lost: new Set(),
      onEnd: () => {},
    });
    return [];
  }
  const { strict, network: asked, hosts: { faults, cpus } } = job;
  const names = containers.map(({ host }) => host);
  const network = await makeNetwork(engine, job.app, run, names, asked === "none");
  using held = new DisposableStack();
  const suffered: Suffered[] = [];
  const lost = new Set<string>();
  const silence = new Silence(note);
  held.use(silence);
  let ends: readonly HostEnd[] = [];
  const running = new Set(names);
  const placed = containers.map((one) => ({
    ...one,
    body: onNetwork(one.body, one.host, network, cpus[one.host]),
    streams: silence.hear(one.streams),
  }));
  try {
    await runHosts(engine, placed, host, {
      ...options,
      late: strict ? LATE : undefined,
      lost,
      onStart: () => {
        options.onStart();
        held.use(injectFaults(engine, network, placed, faults, (text, happened) => {
          note(text);
          if (happened === undefined) return;
          suffered.push(happened);
          if (isLost(happened.fault)) lost.add(happened.fault.host);
          silence.watch(happened.fault.host);
        }));
      },
      onEnd: (end) => {
        silence.watch(end.host);
        running.delete(end.host);
        // Nobody is left to notice that they are frozen.
        const frozen = placed.filter(({ host }) => running.has(host) && lost.has(host));
        if (frozen.length < running.size) return;
        for (const { name } of frozen) engine.killContainer(name).catch(() => {});
      },
      whileRemoved: async (all) => {
        ends = all;
        held.dispose();
        await options.whileRemoved(all);
      },
    });
  } finally {
    await removeNetwork(engine, network);
  }
  return [
    ...suffered.map((one) => verdictOf(one, ends)),
    ...faults.filter((fault) => suffered.every((one) => one.fault !== fault)).map(missedText),
  ];
}

/** Says it where nobody writes anything any more once a host is gone. */
class Silence implements Disposable {
  #gone: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly note: (text: string) => void) {}

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
      this.note(
        `Nobody has written anything for ${clockText(SILENT * 1000)}: the others may wait for ` +
          `${this.#gone}. ${TIME_LIMITS}`,
      );
    }, SILENT * 1000);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#gone = undefined;
  }
}
