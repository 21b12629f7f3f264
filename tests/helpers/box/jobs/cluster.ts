import { EngineContainer, type Exit } from "../engine/container.ts";
import { createNetwork, removeNetwork } from "../engine/resources.ts";
import type { EngineApi } from "../engine_api.ts";
import type { JobPlan } from "./platform.ts";

/** How the hosts ended. */
export interface ClusterEnd {
  /** By themselves, by a stop, by the time limit, or because the machines were taken away. */
  readonly cause: "exited" | "stopped" | "time" | "interrupted";
  /** The first host that ended badly, else the first. */
  readonly host: EngineContainer;
  readonly exit: Exit;
}

/** What is needed to run. */
export interface ClusterOptions {
  readonly engine: EngineApi;
  readonly image: string;
  readonly plan: JobPlan;
  readonly hosts: readonly string[];
  /** Memory of a host in bytes, where there is a limit. */
  readonly memory: number | undefined;
}

/** The containers of a job, and their network. */
export class Cluster implements AsyncDisposable {
  readonly #ending = Promise.withResolvers<Exclude<ClusterEnd["cause"], "exited">>();
  readonly #timers: number[] = [];

  private constructor(
    private readonly engine: EngineApi,
    readonly containers: EngineContainer[],
    private readonly network: string | undefined,
  ) {}

  /** Makes the containers; the caller disposes of the cluster. */
  static async create(options: ClusterOptions): Promise<Cluster> {
    const { engine, hosts, plan, image, memory } = options;
    const network = await networkFor(engine, hosts, plan);
    const isOwn = network !== undefined && network !== "none";
    const cluster = new Cluster(engine, [], isOwn ? network : undefined);
    try {
      for (const host of hosts) {
        cluster.containers.push(
          await EngineContainer.create(engine, { ...plan, image, host, network, memory }),
        );
      }
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Asks all hosts to end, the way SageMaker does. */
  stop(cause: "stopped" | "interrupted"): void {
    this.#ending.resolve(cause);
  }

  /**
   * Starts all hosts, and waits until they have ended.
   *
   * @param grace between SIGTERM and SIGKILL, in ms.
   * @throws EngineError where one does not start.
   */
  async run(
    { onLine, maxRuntime, grace, endsWithFirstFailure }: {
      readonly onLine: (host: string, line: string) => void;
      /** Whether the others are ended where one fails; else they go on. */
      readonly endsWithFirstFailure: boolean;
      readonly maxRuntime: number;
      readonly grace: number;
    },
  ): Promise<ClusterEnd> {
    for (const container of this.containers) await container.start();
    const exits = this.containers.map((container) => container.wait());
    const following = this.containers.map((container) =>
      container.follow((line) => onLine(container.host, line))
    );
    this.#after(maxRuntime * 1_000, () => this.#ending.resolve("time" as const));
    const failed = firstFailure(exits);
    const cause = await Promise.race([
      this.#ending.promise,
      ...endsWithFirstFailure ? [failed.then((): "exited" => "exited")] : [],
      Promise.all(exits).then((): "exited" => "exited"),
    ]);
    if (cause !== "exited") await this.#end(cause === "interrupted" ? 0 : grace, exits);
    else await this.#kill("SIGKILL");
    const all = await Promise.all(exits);
    await Promise.all(following);
    for (const container of this.containers) {
      await container.followRest((line) => onLine(container.host, line));
    }
    const bad = cause === "exited" ? await Promise.race([failed, firstOf(all)]) : 0;
    return { cause, host: this.containers[bad]!, exit: all[bad]! };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const container of this.containers) await container.remove();
    if (this.network === undefined) return;
    await removeNetwork(this.engine, this.network);
  }

  async #end(grace: number, exits: readonly Promise<Exit>[]): Promise<void> {
    if (grace > 0) {
      await this.#kill("SIGTERM");
      const { promise: over, resolve } = Promise.withResolvers<void>();
      this.#after(grace, resolve);
      await Promise.race([over, Promise.all(exits)]);
    }
    await this.#kill("SIGKILL");
  }

  async #kill(name: "SIGTERM" | "SIGKILL"): Promise<void> {
    await Promise.all(this.containers.map((container) => container.kill(name)));
  }

  #after(milliseconds: number, work: () => void): void {
    // A timer of more than 24 days would fire at once.
    this.#timers.push(setTimeout(work, Math.min(milliseconds, 2 ** 31 - 1)) as unknown as number);
  }
}

/** Index of the first host that ends with another status than 0; pending where none does. */
function firstFailure(exits: readonly Promise<Exit>[]): Promise<number> {
  return new Promise((resolve, reject) => {
    for (const [index, exit] of exits.entries()) {
      exit.then(({ status }) => status !== 0 && resolve(index), reject);
    }
  });
}

/** The same, when all have ended; the first host where none failed. */
function firstOf(exits: readonly Exit[]): Promise<number> {
  const failed = exits.findIndex(({ status }) => status !== 0);
  return Promise.resolve(Math.max(failed, 0));
}

async function networkFor(
  engine: EngineApi,
  hosts: readonly string[],
  { isIsolated }: JobPlan,
): Promise<string | undefined> {
  if (hosts.length === 1) return isIsolated ? "none" : undefined;
  return await createNetwork(engine, isIsolated);
}
