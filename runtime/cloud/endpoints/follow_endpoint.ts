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
  /** It is not there any more. */
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

/** What it is to become, and how long to wait. */
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

/** So many times what was just begun may not be seen yet. */
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
    return await new Following(name, host, report, options).run(await aws.sagemaker());
  } catch (error) {
    const rest = endpointGoesOn(name, options.choice);
    if (error instanceof Interrupted) report.note(rest);
    if (!(error instanceof AwsError)) throw error;
    throw withMore(error, rest);
  }
}

/** One endpoint, being followed. */
class Following {
  #latest: EndpointDescription | undefined;
  #target: string | undefined;
  #hasChanged = false;
  #isTakenBack = false;
  #began: Date | undefined;
  #unseen = 0;

  constructor(
    private readonly name: string,
    private readonly host: WaiterHost,
    private readonly report: Pick<JobReport, "note" | "progress">,
    private readonly options: FollowOptions,
  ) {
    this.#target = options.target;
  }

  async run(sagemaker: Pick<SageMaker, "describeEndpoint">): Promise<FollowedEndpoint> {
    const { clock } = this.host;
    const start = clock.now();
    const waiter = new Waiter(this.host, {
      what: "endpoint",
      note: (text) => this.report.note(text),
      timeout: this.options.timeout,
    });
    for (;;) {
      const asked = await waiter.ask(
        "endpoint",
        () => orNothing(sagemaker.describeEndpoint(this.name)),
      );
      const outcome = asked && this.#outcome(asked.answer);
      if (outcome) return this.#end(outcome);
      if (waiter.isOver) return this.#end("not yet");
      this.report.progress(this.#latest?.status || "Waiting", clock.now() - start);
      await waiter.pause();
    }
  }

  #end(outcome: Outcome): FollowedEndpoint {
    return { outcome, description: this.#latest, began: this.#began };
  }

  /** How it has settled, where it has. */
  #outcome(current: EndpointDescription | undefined): Outcome | undefined {
    if (!current) return this.#latest || !this.#mayComeYet() ? "gone" : undefined;
    const { status, configuration } = current;
    if (status !== this.#latest?.status) this.report.note(inOneLine(status));
    this.#latest = current;
    if (ENDED_BADLY.has(status)) return "failed";
    if (status !== "InService") {
      this.#hasChanged = true;
      this.#began ??= current.lastModifiedTime;
      this.#isTakenBack ||= status === "RollingBack";
      if (this.options.target === undefined) {
        this.#target = current.pendingConfiguration ?? this.#target ??
          (status === "Creating" ? configuration : undefined);
      }
      return undefined;
    }
    if (this.#target === undefined) return this.#isTakenBack ? "rolled back" : "in service";
    if (configuration === this.#target) return "in service";
    // The platform always tells. Without that, nothing may be taken for rolled back, and deleted.
    if (configuration === "") throw noConfigurationError(this.name);
    return this.#hasChanged || !this.#mayComeYet() ? "rolled back" : undefined;
  }

  /** Whether what the caller has just begun may only not be seen yet. */
  #mayComeYet(): boolean {
    return this.options.target !== undefined && ++this.#unseen < UNSEEN_ROUNDS;
  }
}

function noConfigurationError(name: string): AwsError {
  return new AwsError(
    "other",
    `Endpoint ${name} is InService; with which configuration, the service does not tell`,
    { hint: "Nothing is deleted. It may be something else than the platform: AWS_ENDPOINT_URL." },
  );
}
