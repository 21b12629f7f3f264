/**
 * What a test may set of the machines that endpoints run on, and how things end there.
 *
 * @module
 */

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
