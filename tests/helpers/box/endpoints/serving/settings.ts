/**
 * What a test may set of the machines that endpoints run on, and SageMaker's words for what goes
 * wrong there, from issues of its users.
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
  /** Instead of the seconds of a deployment policy: between its steps, and before the end. */
  step: number | undefined;
  /** How long an answer to `/invocations` may take. */
  invocation: number;
  /** Between SIGTERM and SIGKILL. */
  grace: number;
  /** Before a container is started again that ended by itself. */
  restart: number;
  /** Whether an update that went back has no `FailureReason`, as it happens. */
  isSilent: boolean;
}

/** SageMaker's own. */
export function defaultSettings(): ServingSettings {
  return {
    pingInterval: 5_000,
    pingTimeout: 2_000,
    healthyPings: 3,
    startup: undefined,
    step: undefined,
    invocation: 60_000,
    grace: 30_000,
    restart: 1_000,
    isSilent: false,
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

/** No machine is left. */
export function noCapacity(): HostingFailure {
  return new HostingFailure(
    "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity " +
      "error. Please retry using a different ML instance type or after some time.",
  );
}

/** The image is not there any more. */
export function noImage(variant: string): HostingFailure {
  return new HostingFailure(
    `Please make sure all images included in the model for the production variant ${variant} ` +
      "exist, and that the execution role used to create the model has permissions to access them.",
  );
}

/** IAM does not let the role have it. */
export function noPull(role: string, image: string): HostingFailure {
  return new HostingFailure(
    `The role '${role}' does not have BatchGetImage permission for the image: '${image}'.`,
  );
}

/** The artifact is not there any more. */
export function noModelData(url: string): HostingFailure {
  return new HostingFailure(
    `Failed to download model data for container "container_1" from URL: "${url}". Please ensure ` +
      "that there is an object located at the URL and that the role passed to CreateModel has " +
      "permissions to download the object.",
  );
}

/** The artifact is no archive. */
export function noArchive(url: string): HostingFailure {
  return new HostingFailure(
    `Failed to extract model data archive for container "container_1" from URL "${url}". Please ` +
      "ensure that the object located at the URL is a valid tar.gz archive.",
  );
}

/** There is no such program in the image, or none for this machine. */
export function noStart(variant: string): HostingFailure {
  return new HostingFailure(
    `CannotStartContainerError. Please ensure the model container for variant ${variant} starts ` +
      "correctly when invoked with 'docker run <image> serve'.",
  );
}

/** Not one healthy answer in time. */
export function noPing(variant: string): HostingFailure {
  return new HostingFailure(
    `The primary container for production variant ${variant} did not pass the ping health check. ` +
      "Please check CloudWatch logs for this endpoint.",
  );
}

/** An alarm rang while traffic went over. */
export function alarmed(alarms: readonly string[]): HostingFailure {
  return new HostingFailure(
    `One or more configured alarm(s) have gone into alarm state: [${alarms.join(", ")}].`,
  );
}
