/**
 * One endpoint on the engine: what serves it now, and how an update takes its place.
 *
 * @module
 */

import type { Endpoint } from "../endpoint.ts";
import { alarmed } from "../failures.ts";
import { Fleet, type FleetHost } from "./fleet.ts";
import type { Instance } from "./instance.ts";
import { pause } from "./pause.ts";
import { Closed, HostingFailure } from "./settings.ts";
import { handoverOf } from "./traffic.ts";

/** How often alarms are looked at, in ms. */
const ALARM_INTERVAL = 20;

/** SageMaker's words for its own faults. */
const INTERNAL = "Request to service failed. If failure persists after retry, contact customer " +
  "support.";

/** An endpoint that runs. */
export class Serving {
  /** What serves; while an update goes on two. */
  readonly #fleets: Fleet[] = [];
  /** The newest fleet's share of the traffic. */
  #share = 1;
  /** What is done with the endpoint, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly endpoint: Endpoint,
    private readonly host: FleetHost,
    private readonly alarms: ReadonlySet<string>,
  ) {}

  /** Begins to serve the first deployment. */
  create(): void {
    const { endpoint } = this;
    this.#do(async () => {
      const fleet = new Fleet(endpoint, endpoint.current, this.host);
      const reason = await this.#start(fleet);
      if (reason === undefined) endpoint.settle();
      else endpoint.fail(reason);
    });
  }

  /** Begins to put another deployment into the place of the one that serves. */
  update(): void {
    const { endpoint, host: { settings } } = this;
    this.#do(async () => {
      const old = this.#fleets[0];
      const fleet = new Fleet(endpoint, endpoint.pending!, this.host);
      this.#share = 0;
      const reason = await this.#start(fleet) ?? await this.#handOver(fleet);
      if (reason !== undefined) {
        if (endpoint.status !== "RollingBack") endpoint.enter("RollingBack");
        return endpoint.rollBack(settings.isSilent ? undefined : reason);
      }
      // It serves no more, but answers what it was asked.
      if (old) this.#fleets.splice(this.#fleets.indexOf(old), 1);
      await old?.stop({ drains: true, grace: settings.grace });
      endpoint.settle();
    });
  }

  /** Begins to end it. */
  delete(): void {
    this.#do(async () => {
      await this.#stopAll(this.host.settings.grace);
      this.endpoint.settle();
    });
  }

  /** An instance that can answer. */
  choose(variant: string | undefined): Instance | undefined {
    const isNew = Math.random() < this.#share;
    const [first, second] = isNew ? [...this.#fleets].reverse() : this.#fleets;
    return first?.choose(variant) ?? second?.choose(variant);
  }

  /** Ends all at once: the box is being closed. */
  async close(): Promise<void> {
    await this.#work;
    await this.#stopAll(0);
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => {
      if (error instanceof Closed) return;
      this.host.services.platform.problem(`The endpoint ${this.endpoint.name} failed: ${error}`);
      this.endpoint.fail(INTERNAL);
    });
  }

  /** Starts a fleet, which serves then. Returns why it does not, and has ended it. */
  async #start(fleet: Fleet): Promise<string | undefined> {
    try {
      await fleet.start();
      this.#fleets.push(fleet);
      return undefined;
    } catch (error) {
      await fleet.stop({ drains: false, grace: 0 });
      if (error instanceof HostingFailure) return error.message;
      throw error;
    }
  }

  /** Hands the traffic over to the newest fleet. Returns why it went back. */
  async #handOver(fleet: Fleet): Promise<string | undefined> {
    const { endpoint, host: { settings, closing } } = this;
    const { policy, variants } = endpoint.pending!;
    const count = variants.reduce((sum, { desiredCount }) => sum + desiredCount, 0);
    const { shares, wait, terminationWait, alarms } = handoverOf(policy, Math.max(count, 1));
    try {
      for (const share of shares) {
        this.#share = share;
        await this.#watch(wait, alarms);
      }
      await this.#watch(terminationWait, alarms);
      return undefined;
    } catch (error) {
      this.#share = 0;
      if (error instanceof HostingFailure) endpoint.enter("RollingBack");
      this.#fleets.pop();
      const isClosed = closing.aborted;
      await fleet.stop({ drains: !isClosed, grace: isClosed ? 0 : settings.grace });
      if (error instanceof HostingFailure) return error.message;
      throw error;
    } finally {
      // With one fleet, all is the newest's.
      if (this.#fleets.length === 1) this.#share = 1;
    }
  }

  /** Waits so many seconds, and watches alarms. @throws HostingFailure for one that rings. */
  async #watch(seconds: number, alarms: readonly string[]): Promise<void> {
    const { closing, settings } = this.host;
    const begin = Date.now();
    // A test may make the time shorter while it runs.
    const left = (): number => begin + (settings.step ?? seconds * 1_000) - Date.now();
    do {
      const ringing = alarms.filter((name) => this.alarms.has(name));
      if (ringing.length > 0) throw new HostingFailure(alarmed(ringing));
      await pause(Math.min(ALARM_INTERVAL, Math.max(0, left())), closing);
      if (closing.aborted) throw new Closed();
    } while (left() > 0);
  }

  async #stopAll(grace: number): Promise<void> {
    const fleets = this.#fleets.splice(0);
    await Promise.all(fleets.map((fleet) => fleet.stop({ drains: false, grace })));
  }
}
