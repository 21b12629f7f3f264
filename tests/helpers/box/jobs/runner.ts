/**
 * Runs jobs on the Docker Engine of the tests, and leaves nothing there.
 *
 * @module
 */

import { EngineApi } from "../engine_api.ts";
import { Flow, type FlowHost, type JobSettings } from "./flow.ts";
import type { Job } from "./job.ts";
import { removeLeftovers } from "../engine/leftovers.ts";
import { removePulled } from "../engine/pull.ts";
import type { JobPlatform } from "./platform.ts";

/** SageMaker's time between SIGTERM and SIGKILL, in ms. */
const GRACE = 120_000;

/** What makes jobs go on by themselves. */
export class EngineRunner implements AsyncDisposable {
  readonly settings: JobSettings = { grace: GRACE, memory: undefined };
  readonly #engine = new EngineApi();
  readonly #pulled = new Set<string>();
  readonly #flows = new Map<Job, Flow>();
  readonly #running = new Set<Promise<void>>();
  /** Before its first job. */
  #swept?: Promise<void>;

  constructor(private readonly services: JobPlatform) {}

  /** Returns at once; what goes wrong is the job's failure. */
  start(job: Job): void {
    const host: FlowHost = {
      services: this.services,
      engine: this.#engine,
      pulled: this.#pulled,
      settings: this.settings,
    };
    const flow = new Flow(job, host);
    this.#flows.set(job, flow);
    this.#swept ??= removeLeftovers(this.#engine);
    const running = this.#swept.then(() => flow.run()).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Begins to stop it. */
  stop(job: Job): void {
    this.#flows.get(job)!.stop();
  }

  /** Takes the machines of a spot training away, as EC2 does; it starts again on others. */
  interrupt(job: Job): void {
    this.#flows.get(job)!.interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const flow of this.#flows.values()) flow.close();
    await Promise.all(this.#running);
    await removePulled(this.#engine, this.#pulled);
    this.#engine[Symbol.dispose]();
  }
}
