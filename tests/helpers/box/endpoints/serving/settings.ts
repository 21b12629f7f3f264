/** What a test may set of the machines that endpoints run on, and how things end there. */

/** Times are in ms. */
export interface ServingSettings {
  /** Between two requests to `/ping`. */
  pingInterval: number;
  /** How long an answer to `/ping` may take. */
  pingTimeout: number;
  /** Answers of 200 in a row that make an instance healthy. */
  healthyPings: number;
  /** Instead of a variant's `ContainerStartupHealthCheckTimeoutInSeconds`. */
  startup: number | undefined;
  /** How long an answer to `/invocations` may take. */
  invocation: number;
  /** Between SIGTERM and SIGKILL. */
  grace: number;
  /** Before a container is started again that ended by itself. */
  restart: number;
}

/** SageMaker's own. */
export function defaultSettings(): ServingSettings {
  return {
    pingInterval: 5_000,
    pingTimeout: 2_000,
    healthyPings: 3,
    startup: undefined,
    invocation: 60_000,
    grace: 30_000,
    restart: 1_000,
  };
}

/** Why an endpoint does not get to what was asked for; the message is its `FailureReason`. */
export class HostingFailure extends Error {
  override name = "HostingFailure";
}

/** The box is being closed: nobody will ask how it ended. */
export class Closed extends Error {
  override name = "Closed";
}

/** Waits so many ms; less where one of the signals comes. */
export async function pause(
  milliseconds: number,
  ...signals: readonly AbortSignal[]
): Promise<void> {
  using limit = new Limit(milliseconds, ...signals);
  if (limit.signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  limit.signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}

/** A signal that comes after so many ms, or with one of the signals; dispose of it. */
export class Limit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #signals: readonly AbortSignal[];
  readonly #abort = (): void => this.#controller.abort();
  #isLate = false;

  constructor(milliseconds: number, ...signals: readonly AbortSignal[]) {
    this.#signals = signals;
    // A timer of more than 24 days would fire at once.
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#abort();
    }, Math.min(milliseconds, 2 ** 31 - 1));
    for (const signal of signals) {
      if (signal.aborted) this.#abort();
      else signal.addEventListener("abort", this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the time that came first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#abort);
  }
}
