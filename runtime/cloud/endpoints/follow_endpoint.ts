import type { Aws } from "../../aws/aws.ts";
import { AwsError, orNothing, withMore } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { Interrupted } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import type { WaitingHost } from "../connection.ts";
import { Waiter } from "../waiter.ts";
import { endpointGoesOn } from "./parts.ts";

/**
 * How an endpoint has settled. The status `InService` alone does not mean success: SageMaker rolls a failed
 * update back, often without a message, and the endpoint is in service with its previous configuration
 * (https://github.com/hashicorp/terraform-provider-aws/issues/39099).
 */
export type Outcome =
  /** It serves with the configuration that was asked for. */
  | "in service"
  /** It serves with another one: the update was rolled back. */
  | "rolled back"
  /** In a final status other than `InService`. */
  | "failed"
  | "gone"
  /** It has not settled in the time given. */
  | "not yet";

/** An endpoint that has settled, or is waited for no longer. */
export interface FollowedEndpoint {
  readonly outcome: Outcome;
  /** As it was described last; `undefined` where it never was. */
  readonly description: EndpointDescription | undefined;
  /** When the service began the change that was followed, by its own clock, where that was seen. */
  readonly began: Date | undefined;
}

export interface FollowOptions {
  /**
   * Name of the configuration that it should get. Default: the pending one, or else the one in use.
   */
  readonly target?: string;
  /** Seconds; as long as it takes without them. */
  readonly timeout?: number;
  /** The options of the command, for command lines to paste. */
  readonly choice?: AwsOptions;
}

/** Final statuses of endpoints that failed. */
const ENDED_BADLY: ReadonlySet<string> = new Set([
  "Failed",
  "OutOfService",
  "UpdateRollbackFailed",
]);

/** Number of responses without a change after which no change is expected. */
const UNSEEN_ROUNDS = 6;

/**
 * Follows an endpoint until it has settled, and prints each new status. Retries while SageMaker does not
 * respond.
 *
 * @throws AwsError if mlcli has no permission to describe the endpoint, or the credentials have expired
 * and cannot be renewed.
 * @throws Interrupted after Ctrl-C and a warning: SageMaker continues the change.
 */
export async function followEndpoint(
  name: string,
  aws: Aws,
  host: WaitingHost,
  options: FollowOptions = {},
): Promise<FollowedEndpoint> {
  try {
    return await follow(name, await aws.sagemaker(), host, options);
  } catch (error) {
    const rest = endpointGoesOn(name, options.choice);
    if (error instanceof Interrupted) {
      host.messages.warning(`Interrupted: stopped waiting for endpoint ${name}`, rest);
    }
    if (!(error instanceof AwsError)) throw error;
    throw withMore(error, rest);
  }
}

async function follow(
  name: string,
  sagemaker: Pick<SageMaker, "describeEndpoint">,
  host: WaitingHost,
  options: FollowOptions,
): Promise<FollowedEndpoint> {
  const { clock, messages, waiting } = host;
  let { target } = options;
  let latest: EndpointDescription | undefined;
  let [hasChanged, isTakenBack, unseen] = [false, false, 0];
  let began: Date | undefined;
  /** Whether SageMaker might not show the requested change yet. */
  const mayBeUnseen = (): boolean => options.target !== undefined && ++unseen < UNSEEN_ROUNDS;

  function outcomeOf(current: EndpointDescription | undefined): Outcome | undefined {
    if (!current) return latest || !mayBeUnseen() ? "gone" : undefined;
    const { status, configuration } = current;
    if (status !== latest?.status) messages.state(inOneLine(status));
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
    // SageMaker always names the configuration. Without its name, no part counts as rolled back, and none is
    // deleted.
    if (configuration === "") throw noConfigurationError(name);
    return hasChanged || !mayBeUnseen() ? "rolled back" : undefined;
  }

  const start = clock.now();
  const waiter = new Waiter(host, { what: "endpoint", timeout: options.timeout });
  for (;;) {
    const asked = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(name)),
    );
    const outcome = (asked && outcomeOf(asked.answer)) ?? (waiter.isOver ? "not yet" : undefined);
    if (outcome) return { outcome, description: latest, began };
    waiting.show(latest?.status || "Waiting", clock.now() - start);
    await waiter.pause();
  }
}

function noConfigurationError(name: string): AwsError {
  return new AwsError(
    "other",
    `Endpoint ${name} is InService, but SageMaker returned no configuration name`,
    { hint: "Nothing was deleted. Check AWS_ENDPOINT_URL: the server might not be AWS." },
  );
}
