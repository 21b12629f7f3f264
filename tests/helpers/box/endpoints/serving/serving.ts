import type { Endpoint } from "../endpoint.ts";
import { Fleet, type FleetHost } from "./fleet.ts";
import type { Instance } from "./instance.ts";
import { Closed, HostingFailure } from "./settings.ts";

/** SageMaker's words for its own faults. */
const INTERNAL = "Request to service failed. If failure persists after retry, contact customer " +
  "support.";

/** An endpoint that runs. */
export class Serving {
  /** What serves; while an update goes on two. */
  readonly #fleets: Fleet[] = [];
  /** What is done with the endpoint, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly endpoint: Endpoint,
    private readonly host: FleetHost,
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
      const reason = await this.#start(fleet);
      if (reason !== undefined) {
        endpoint.enter("RollingBack");
        return endpoint.rollBack(reason);
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
    const [last, before] = this.#fleets.toReversed();
    return last?.choose(variant) ?? before?.choose(variant);
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

  async #stopAll(grace: number): Promise<void> {
    const fleets = this.#fleets.splice(0);
    await Promise.all(fleets.map((fleet) => fleet.stop({ drains: false, grace })));
  }
}
