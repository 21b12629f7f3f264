import type { Aws } from "../../aws/aws.ts";
import { AwsError, orNothing, withMore } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { Interrupted } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import type { JobReport } from "../jobs/follow.ts";
import { Waiter, type WaiterHost } from "../waiter.ts";
import { endpointGoesOn } from "./parts.ts";

/**
 * How an endpoint has settled. `InService` alone is no success: an update that fails is taken back, often
 * without a word, and the endpoint is in service again with the configuration that it had before
 * (https://github.com/hashicorp/terraform-provider-aws/issues/39099).
 */
export type Outcome =
  /** It serves with the configuration that it was to have. */
  | "in service"
  /** It serves, with another one: the update was taken back. */
  | "rolled back"
  /** In a status in which the service does nothing more, and that is not `InService`. */
  | "failed"
  | "gone"
  /** It has not settled in the time given. */
  | "not yet";

/** An endpoint that has settled, or is waited for no longer. */
export interface FollowedEndpoint {
  readonly outcome: Outcome;
  /** As it was described last; `undefined` where it never was. */
  readonly description: EndpointDescription | undefined;
  /** When the service began what it was followed through, by its own clock, where that was seen. */
  readonly began: Date | undefined;
}

export interface FollowOptions {
  /**
   * Name of the configuration that it is to have. Without one it is that which is coming when it is
   * asked; where none is, the one that it has.
   */
  readonly target?: string;
  /** Seconds; as long as it takes without them. */
  readonly timeout?: number;
  /** The options of the command, for command lines to paste. */
  readonly choice?: AwsOptions;
}

/** In these statuses the service does nothing more by itself, and it is not as it was to be. */
const ENDED_BADLY: ReadonlySet<string> = new Set([
  "Failed",
  "OutOfService",
  "UpdateRollbackFailed",
]);

/** How many questions may be answered as if nothing had begun. */
const UNSEEN_ROUNDS = 6;

/**
 * Follows an endpoint until it has settled. A service that does not answer for a while is asked again.
 * Its statuses are notes, as they change.
 *
 * @throws AwsError where it may not be described, or the credentials have expired and cannot be renewed.
 * @throws Interrupted after Ctrl-C: it goes on, and a note says how to follow and to delete it.
 */
export async function followEndpoint(
  name: string,
  aws: Aws,
  host: WaiterHost,
  report: Pick<JobReport, "note" | "progress">,
  options: FollowOptions = {},
): Promise<FollowedEndpoint> {
  try {
    return await follow(name, await aws.sagemaker(), host, report, options);
  } catch (error) {
    const rest = endpointGoesOn(name, options.choice);
    if (error instanceof Interrupted) report.note(rest);
    if (!(error instanceof AwsError)) throw error;
    throw withMore(error, rest);
  }
}

async function follow(
  name: string,
  sagemaker: Pick<SageMaker, "describeEndpoint">,
  host: WaiterHost,
  report: Pick<JobReport, "note" | "progress">,
  options: FollowOptions,
): Promise<FollowedEndpoint> {
  let { target } = options;
  let latest: EndpointDescription | undefined;
  let [hasChanged, isTakenBack, unseen] = [false, false, 0];
  let began: Date | undefined;
  /** Whether the service may not show yet what the caller has just begun. */
  const mayComeYet = (): boolean => options.target !== undefined && ++unseen < UNSEEN_ROUNDS;

  /** How it has settled, where it has. */
  function outcomeOf(current: EndpointDescription | undefined): Outcome | undefined {
    if (!current) return latest || !mayComeYet() ? "gone" : undefined;
    const { status, configuration } = current;
    if (status !== latest?.status) report.note(inOneLine(status));
    latest = current;
    if (ENDED_BADLY.has(status)) return "failed";
    if (status !== "InService") {
      hasChanged = true;
      began ??= current.lastModifiedTime;
      isTakenBack ||= status === "RollingBack";
      if (options.target === undefined) {
        target = current.pendingConfiguration ?? target ??
          (status === "Creating" ? configuration : undefined);
      }
      return undefined;
    }
    if (target === undefined) return isTakenBack ? "rolled back" : "in service";
    if (configuration === target) return "in service";
    // The platform always tells. Without that, nothing may be taken for rolled back, and deleted.
    if (configuration === "") throw noConfigurationError(name);
    return hasChanged || !mayComeYet() ? "rolled back" : undefined;
  }

  const start = host.clock.now();
  const waiter = new Waiter(host, {
    what: "endpoint",
    note: (text) => report.note(text),
    timeout: options.timeout,
  });
  for (;;) {
    const asked = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(name)),
    );
    const outcome = (asked && outcomeOf(asked.answer)) ?? (waiter.isOver ? "not yet" : undefined);
    if (outcome) return { outcome, description: latest, began };
    report.progress(latest?.status || "Waiting", host.clock.now() - start);
    await waiter.pause();
  }
}

function noConfigurationError(name: string): AwsError {
  return new AwsError(
    "other",
    `Endpoint ${name} is InService; with which configuration, the service does not tell`,
    { hint: "Nothing is deleted. It may be something else than the platform: AWS_ENDPOINT_URL." },
  );
}
