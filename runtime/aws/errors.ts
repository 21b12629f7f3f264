import { type ErrorDetails, MlcliError } from "../errors.ts";
import { sentences } from "../text.ts";

/** Why a request did not succeed, for code that has to decide. */
export type Refusal =
  | "denied"
  | "not found"
  | "in use"
  /** What was to be put is there already. */
  | "there already"
  | "quota"
  | "in progress"
  /** It is not what it was when it was looked at. */
  | "changed"
  | "throttled"
  /** Objects were listed in another order than that of their keys. */
  | "unordered"
  | "unreachable"
  /** Of a model: it took too long. */
  | "no answer"
  /** Of a model: the connection ended before its answer did. */
  | "broken off"
  | "credentials"
  | "failed"
  | "other";

/** A request that AWS did not answer as asked. */
export class AwsError extends MlcliError {
  override readonly name = "AwsError";

  constructor(readonly refusal: Refusal, message: string, details: ErrorDetails = {}) {
    super(message, details);
  }
}

/** No credentials, or no region, are configured. */
export class NotConfigured extends AwsError {
  constructor(message: string, details: ErrorDetails) {
    super("credentials", message, details);
  }
}

export function isRefusal(error: unknown, refusal: Refusal): error is AwsError {
  return error instanceof AwsError && error.refusal === refusal;
}

/** After these it is not known whether the request was carried out. */
const UNKNOWN: ReadonlySet<Refusal> = new Set(["failed", "unreachable"]);

/** Whether the request may have been carried out all the same. */
export function mayBeDone(error: unknown): error is AwsError {
  return error instanceof AwsError && UNKNOWN.has(error.refusal);
}

/** These refusals are temporary, and say nothing about what was asked for. */
const PASSING: ReadonlySet<Refusal> = new Set(["failed", "throttled", "unreachable"]);

/** Whether the same request may succeed in a while. */
export function isPassing(error: unknown): error is AwsError {
  return error instanceof AwsError && PASSING.has(error.refusal);
}

/** The answer; `undefined` for "not found". */
export async function orNothing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isRefusal(error, "not found")) return undefined;
    throw error;
  }
}

/** The answer; `undefined` for "not found" and for "denied". */
export async function ifAllowed<Answer>(
  asked: Promise<Answer>,
  onDenial: (denial: AwsError) => void,
): Promise<Answer | undefined> {
  try {
    return await orNothing(asked);
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    onDenial(error);
    return undefined;
  }
}

/** The answer; `undefined` where AWS gives none. */
export async function orUnknown<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AwsError) return undefined;
    throw error;
  }
}

export function withHint(error: AwsError, hint: string): AwsError {
  const { refusal, message, quote, cause } = error;
  return new AwsError(refusal, message, { hint, quote, cause });
}

/** Returns the error with more sentences in its hint. */
export function withMore(error: AwsError, more: string): AwsError {
  return withHint(error, sentences(error.hint, more));
}
