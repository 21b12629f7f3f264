/**
 * What can go wrong on the platform, on a test's word.
 *
 * `deny` takes IAM's actions (`s3:ListBucket`, `logs:GetLogEvents`); all others take operations
 * (`s3:ListObjectsV2`, `s3:UploadPart`, `sagemaker:CreateTrainingJob`). `*` stands for any text.
 */

import type { AccessKey } from "./account.ts";
import { type BoxRequest, type Permission, Refused, type ServiceName } from "./service.ts";

/** Steps in before a request is handled, or after it was (`undefined`: go on). */
export type Interceptor<More extends readonly unknown[] = []> = (
  request: BoxRequest,
  ...more: More
) => Response | undefined | Promise<Response | undefined>;

interface Rule {
  readonly matches: RegExp;
  left: number;
}

interface Denial {
  readonly action: RegExp;
  readonly resource: RegExp;
}

/** The faults of one box. */
export class Faults {
  before: Interceptor = () => undefined;
  /** Is handed the answer, too. */
  after: Interceptor<[answer: Response]> = () => undefined;
  /** As `after`, where the service has refused it. */
  afterRefusal: Interceptor = () => undefined;
  /** Whether the connection breaks before anything is done, as where the network is away. */
  losesRequest: (request: BoxRequest) => boolean = () => false;
  /** Every answer says `Connection: close`. */
  closesConnections = false;
  /** No machines are left: jobs fail with a CapacityError. */
  hasCapacity = true;
  /** Instance types of which the account may have none. */
  readonly quotas = new Set<string>();
  /** The actions of IAM that were asked about: what somebody needs who does the same. */
  readonly asked = new Set<string>();
  readonly #denials: Denial[] = [];
  readonly #refusals: (Rule & { readonly refusal: (service: ServiceName) => Refused })[] = [];
  readonly #delays: (Rule & { readonly milliseconds: number })[] = [];
  readonly #lost: Rule[] = [];
  #isOver = false;
  readonly #expired = new Set<string>();
  readonly #timers = new Map<ReturnType<typeof setTimeout>, () => void>();

  constructor(private readonly keys: Map<string, AccessKey>) {}

  /** Refuses an action of IAM on all resources, or on those whose ARN is so. */
  deny(action: string, resource = "*"): void {
    this.#denials.push({ action: glob(action), resource: glob(resource) });
  }

  /** Says that there were too many requests, always or so many times. */
  throttle(operation: string, times = Infinity): void {
    this.refuse(operation, throttled, times);
  }

  /** Fails as a service that is broken does. */
  fail(operation: string, times = Infinity, status = 500): void {
    this.refuse(operation, (service) => broken(service, status), times);
  }

  /** Answers with any refusal. */
  refuse(
    operation: string,
    refusal: Refused | ((service: ServiceName) => Refused),
    times = Infinity,
  ): void {
    const made = typeof refusal === "function" ? refusal : () => refusal;
    this.#refusals.push({ matches: glob(operation), left: times, refusal: made });
  }

  /** Waits before it handles a request. */
  delay(operation: string, milliseconds: number, times = Infinity): void {
    this.#delays.push({ matches: glob(operation), left: times, milliseconds });
  }

  /** Does what is asked for, and breaks the connection instead of answering. */
  loseAnswer(operation: string, times = 1): void {
    this.#lost.push({ matches: glob(operation), left: times });
  }

  /** From now on, every answer ends its connection. */
  closeConnections(): void {
    this.closesConnections = true;
  }

  /** The access keys that there are now are over; those that are issued later are not. */
  expireKeys(): void {
    for (const id of this.keys.keys()) this.#expired.add(id);
  }

  /** They are good again. */
  renewKeys(): void {
    this.#expired.clear();
  }

  isExpired(key: AccessKey): boolean {
    return key.isExpired === true || this.#expired.has(key.id);
  }

  /** From now on, jobs find no machine. */
  outOfCapacity(): void {
    this.hasCapacity = false;
  }

  /** The account's quota of the instance type is 0. */
  quota(type: string): void {
    this.quotas.add(type);
  }

  /** What IAM says to an action, if it says no. Services ask it for what they do on the way. */
  denial({ action, resource }: Permission, key: AccessKey): Refused | undefined {
    this.asked.add(action);
    const isDenied = this.#denials.some((one) =>
      one.action.test(action) && one.resource.test(resource)
    );
    if (!isDenied) return undefined;
    const service = action.split(":")[0] as ServiceName;
    const hasShortCode = service === "s3" || service === "sts";
    return new Refused(
      hasShortCode ? "AccessDenied" : "AccessDeniedException",
      `User: ${key.user} is not authorized to perform: ${action} on resource: ` +
        `${service === "s3" ? `"${resource}"` : resource} because no identity-based policy ` +
        `allows the ${action} action`,
      hasShortCode ? 403 : 400,
    );
  }

  /** Waits and refuses, as a test wants it. */
  async onRequest(request: BoxRequest, permission: Permission): Promise<void> {
    const name = nameOf(request);
    const delay = taken(this.#delays, name);
    if (delay) await this.#wait(delay.milliseconds);
    const rule = taken(this.#refusals, name);
    if (rule) throw rule.refusal(request.service);
    const denial = this.denial(permission, request.key);
    if (denial) throw denial;
  }

  /** Whether the answer to this request gets lost. */
  losesAnswer(request: BoxRequest): boolean {
    return taken(this.#lost, nameOf(request)) !== undefined;
  }

  /** Ends all delays: the box is being closed. */
  end(): void {
    this.#isOver = true;
    for (const [timer, resolve] of this.#timers) {
      clearTimeout(timer);
      resolve();
    }
    this.#timers.clear();
  }

  #wait(milliseconds: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const timer: ReturnType<typeof setTimeout> = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, milliseconds);
      this.#timers.set(timer, resolve);
    });
  }
}

function nameOf({ service, operation }: BoxRequest): string {
  return `${service}:${operation}`;
}

/** The first rule for the operation that is not used up; it has been used once more. */
function taken<T extends Rule>(rules: readonly T[], operation: string): T | undefined {
  const rule = rules.find(({ matches, left }) => left > 0 && matches.test(operation));
  if (rule) rule.left--;
  return rule;
}

function glob(pattern: string): RegExp {
  return new RegExp(
    `^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`,
    "s",
  );
}

function throttled(service: ServiceName): Refused {
  if (service === "s3") return new Refused("SlowDown", "Please reduce your request rate.", 503);
  if (service === "sts") return new Refused("Throttling", "Rate exceeded", 400);
  return new Refused("ThrottlingException", "Rate exceeded", 400);
}

function broken(service: ServiceName, status: number): Refused {
  const isAway = status === 503;
  if (service === "s3") {
    return isAway
      ? new Refused("ServiceUnavailable", "Please reduce your request rate.", status)
      : new Refused("InternalError", "We encountered an internal error. Please try again.", status);
  }
  return isAway
    ? new Refused("ServiceUnavailableException", "The service is unavailable.", status)
    : new Refused("InternalFailure", "The request processing has failed.", status);
}
