import { EngineContainer, type Mount } from "../../engine/container.ts";
import { type EngineApi, EngineError } from "../../engine_api.ts";
import { noStart } from "../words.ts";
import { HostingFailure, Limit, pause, type ServingSettings } from "./settings.ts";

/** The port that a server listens on. */
export const PORT = 8080;

/** What an instance is made of. */
export interface InstanceSpec {
  readonly engine: EngineApi;
  /** For requests to containers. */
  readonly client: Deno.HttpClient;
  readonly settings: ServingSettings;
  /** Ends all waiting: the box is being closed. */
  readonly closing: AbortSignal;
  /** `AllTraffic` */
  readonly variant: string;
  /** By its digest. */
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** A network that leads nowhere, where the model wants that. */
  readonly network: string | undefined;
  /** In bytes; of a serverless variant. */
  readonly memory: number | undefined;
  /** Hears what the instance prints. */
  readonly onLine: (instance: string, line: string) => void;
  /** Hears that the engine failed, once nobody waits for `ready`. */
  readonly onProblem: (what: string) => void;
}

/** A machine with a container. */
export class Instance {
  /** As EC2 names its machines. */
  readonly id = `i-${crypto.randomUUID().replaceAll("-", "").slice(0, 17)}`;
  /** Requests that it answers now. */
  #open = 0;
  #idle = Promise.withResolvers<void>();
  #isHealthy = false;
  #wasReady = false;
  #address?: string;
  #container?: EngineContainer;
  /** Ends when its container does, or is to. */
  #serving?: AbortController;
  readonly #ready = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #running?: Promise<void>;

  constructor(private readonly spec: InstanceSpec) {
    // Whoever waits for it, hears of it.
    this.#ready.promise.catch(() => {});
  }

  get variant(): string {
    return this.spec.variant;
  }

  /** Where it answers; `undefined` as long as it is not healthy. */
  get address(): string | undefined {
    return this.#isHealthy ? this.#address : undefined;
  }

  /** Resolves once it is healthy. @throws HostingFailure where it does not start. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Starts it. */
  start(): void {
    this.#running = this.#run();
    this.#running.catch((error) => {
      this.#ready.reject(error);
      if (this.#wasReady) this.spec.onProblem(`The instance ${this.id} failed: ${error}`);
    });
  }

  /** Counts a request from its beginning to its end. Returns what to call at the end. */
  begin(): () => void {
    if (this.#open++ === 0) this.#idle = Promise.withResolvers();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#open === 0) this.#idle.resolve();
    };
  }

  /**
   * Ends it: SIGTERM, and SIGKILL when it is not gone in time.
   * @param drains Whether what it answers now has SageMaker's time to come to its end.
   */
  async stop(
    { drains, grace }: { readonly drains: boolean; readonly grace: number },
  ): Promise<void> {
    const { closing, settings: { invocation } } = this.spec;
    if (drains && this.#open > 0) {
      const idle = new AbortController();
      this.#idle.promise.then(() => idle.abort());
      await pause(invocation, idle.signal, closing);
    }
    this.#stop.abort();
    this.#serving?.abort();
    this.#isHealthy = false;
    const over = new AbortController();
    const running = this.#running?.catch(() => {}).finally(() => over.abort());
    if (grace > 0) {
      await this.#container?.kill("SIGTERM");
      await pause(grace, over.signal, closing);
    }
    if (!over.signal.aborted) await this.#container?.kill("SIGKILL");
    await running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#runContainer();
      await pause(this.spec.settings.restart, signal);
    }
  }

  /** Runs a container to its end. */
  async #runContainer(): Promise<void> {
    const { engine, image, variables, mounts, network, memory, onLine } = this.spec;
    const container = await EngineContainer.create(engine, {
      ...{ image, variables, mounts, network, memory },
      command: ["serve"],
      port: PORT,
      // As SageMaker's containers know themselves.
      host: "container-0.local",
    });
    const serving = this.#serving = new AbortController();
    try {
      await this.#startContainer(container);
      if (this.#stop.signal.aborted) await container.kill("SIGKILL");
      const hear = (line: string): void => onLine(this.id, line);
      const following = container.follow(hear);
      const pinging = this.#ping(container, serving.signal);
      await container.wait();
      serving.abort();
      this.#isHealthy = false;
      await Promise.all([following, pinging]);
      await container.followRest(hear);
    } finally {
      serving.abort();
      this.#container = undefined;
      await container.remove();
    }
  }

  async #startContainer(container: EngineContainer): Promise<void> {
    try {
      await container.start();
      this.#container = container;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new HostingFailure(noStart(this.variant));
    }
  }

  /** Asks whether it is healthy, for as long as its container runs. */
  async #ping(container: EngineContainer, signal: AbortSignal): Promise<void> {
    const { pingInterval, healthyPings } = this.spec.settings;
    this.#address = await container.address(PORT);
    for (let [good, bad] = [0, 0]; !signal.aborted;) {
      const isGood = await this.#isPingGood(signal);
      [good, bad] = isGood ? [good + 1, 0] : [0, bad + 1];
      if (signal.aborted) break;
      if (good === healthyPings) {
        this.#isHealthy = this.#wasReady = true;
        this.#ready.resolve();
      }
      if (bad === healthyPings) this.#isHealthy = false;
      await pause(pingInterval, signal);
    }
  }

  async #isPingGood(signal: AbortSignal): Promise<boolean> {
    const { client, settings: { pingTimeout } } = this.spec;
    using limit = new Limit(pingTimeout, signal);
    try {
      const answer = await fetch(`http://${this.#address}/ping`, {
        headers: { "user-agent": "AHC/2.0" },
        redirect: "manual",
        signal: limit.signal,
        client,
      });
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      return false;
    }
  }
}
