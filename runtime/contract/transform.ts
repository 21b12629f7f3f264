/**
 * What a batch transform asks of a server: how data becomes requests, and answers become a result. Sources:
 * CreateTransformJob in SageMaker's API reference, and the developer guide, "Use Batch Transform" and "Use
 * Your Own Inference Code with Batch Transform".
 */

import { MlcliError, UsageError } from "../errors.ts";
import { alternatives, inOneLine, jsonObject } from "../text.ts";
import { TRANSFORM } from "./limits.ts";
import type { Variables } from "./variables.ts";

export const SPLITS = ["none", "line", "recordio", "tfrecord"] as const;
export const STRATEGIES = ["multi", "single"] as const;
export const ASSEMBLIES = ["none", "line"] as const;
export const COMPRESSIONS = ["none", "gzip"] as const;
export const JOINS = ["none", "input"] as const;

export type Split = typeof SPLITS[number];
export type Strategy = typeof STRATEGIES[number];

/** What is given, by an option or the app's file. */
export interface AskedTransform {
  readonly contentType?: string;
  readonly accept?: string;
  readonly split?: Split;
  readonly strategy?: Strategy;
  readonly assemble?: typeof ASSEMBLIES[number];
  /** In MB; 0: of any size. */
  readonly maxPayload?: number;
  /** Requests at once, to each server. */
  readonly maxConcurrency?: number;
  readonly compression?: typeof COMPRESSIONS[number];
  readonly inputFilter?: string;
  readonly outputFilter?: string;
  readonly join?: typeof JOINS[number];
  /** Seconds that an answer may take. */
  readonly invocationTimeout?: number;
  readonly invocationRetries?: number;
}

const ASKED: { readonly [Name in keyof Required<AskedTransform>]: true } = {
  contentType: true,
  accept: true,
  split: true,
  strategy: true,
  assemble: true,
  maxPayload: true,
  maxConcurrency: true,
  compression: true,
  inputFilter: true,
  outputFilter: true,
  join: true,
  invocationTimeout: true,
  invocationRetries: true,
};

/** Returns only what shapes requests of all the settings of a command. */
export function askedOf(settings: AskedTransform): AskedTransform {
  const names = Object.keys(ASKED) as (keyof AskedTransform)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

/** What has a default here; of all else, the server's own answer decides, or SageMaker. */
type Filled =
  | "split"
  | "assemble"
  | "compression"
  | "join"
  | "invocationTimeout"
  | "invocationRetries";

export type Transform = AskedTransform & Required<Pick<AskedTransform, "contentType" | Filled>>;

/** Types whose records are lines. */
const BY_LINE: readonly string[] = ["text/csv", "application/jsonlines"];

/** Types that filters and joins work on. */
const FILTERED: readonly string[] = [...BY_LINE, "application/json"];

/** `text/csv; charset=utf-8` is `text/csv`. */
export function plainType(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether records pass a filter, or are joined with the answers. */
export function isProcessed({ inputFilter, outputFilter, join }: Transform): boolean {
  return inputFilter !== undefined || outputFilter !== undefined || join === "input";
}

/**
 * Fills in what was not given: by line in and out for CSV and JSON Lines, and answers of the same type;
 * single records for JSON, which is one document a request.
 *
 * @param type of the data, where none is given.
 * @throws UsageError for what CreateTransformJob refuses.
 */
export function transformOf(asked: AskedTransform, type: string): Transform {
  const contentType = asked.contentType ?? type;
  const plain = plainType(contentType);
  const split = asked.split ?? (BY_LINE.includes(plain) ? "line" : "none");
  const assemble = asked.assemble ?? (split === "line" ? "line" : "none");
  const isJson = plain === "application/json";
  const made: Transform = {
    ...askedOf(asked),
    contentType,
    split,
    assemble,
    strategy: asked.strategy ?? (isJson && split === "line" ? "single" : undefined),
    compression: asked.compression ?? "none",
    join: asked.join ?? "none",
    invocationTimeout: asked.invocationTimeout ?? 600,
    invocationRetries: asked.invocationRetries ?? TRANSFORM.retries,
  };
  const answersAlike = BY_LINE.includes(plain) && assemble === "line" || isProcessed(made);
  const transform = { ...made, accept: asked.accept ?? (answersAlike ? contentType : undefined) };
  check(transform);
  return transform;
}

function check(transform: Transform): void {
  const { contentType, accept, split, strategy, assemble } = transform;
  if (strategy !== undefined && split === "none") {
    throw new UsageError(`Option "--strategy" requires data that is split into records`, {
      hint: "Add --split line, or omit --strategy to send each file as one request",
    });
  }
  requirePayload(transform);
  if (!isProcessed(transform)) return;
  const plain = plainType(contentType);
  const isAlike = FILTERED.includes(plain) && plainType(accept ?? "") === plain;
  const isByLine = split === "line" && assemble === "line";
  const isWhole = split === "none" && assemble === "none" && plain === "application/json";
  if (isAlike && (isByLine || isWhole)) return;
  throw new UsageError(
    `Filters and joins require requests and responses of the same type ` +
      `(${alternatives(FILTERED)}), with one record per line`,
    {
      hint: "Use --split line --assemble line, and the same type for --content-type (now " +
        `${contentType}) and --accept (now ${accept}). JSON also works with --split none ` +
        "--assemble none.",
    },
  );
}

/** @throws UsageError for more than SageMaker takes. */
function requirePayload({ maxPayload = 0, maxConcurrency = 0 }: Partial<RequestLimits>): void {
  if (maxPayload * maxConcurrency <= TRANSFORM.payload) return;
  throw new UsageError(
    `${maxConcurrency} concurrent requests of ${maxPayload} MB exceed SageMaker's limit of ` +
      `${TRANSFORM.payload} MB in total`,
    { hint: `Use --max-payload ${Math.floor(TRANSFORM.payload / maxConcurrency) || 1} or less` },
  );
}

/** How requests are made, once the server has been asked. */
export interface RequestLimits {
  readonly maxConcurrency: number;
  readonly strategy: Strategy;
  /** In MB; 0: of any size. */
  readonly maxPayload: number;
}

/** What a server says of itself; nothing of it is required. */
type ExecutionParameters = Partial<RequestLimits>;

/**
 * What counts: the request, then what the server answers to `GET /execution-parameters`, then SageMaker's
 * own: one request at once, several records in it, 6 MB.
 *
 * @throws UsageError where all of it together is more than SageMaker takes.
 */
export function limitsOf(
  asked: Partial<RequestLimits>,
  answered: ExecutionParameters = {},
): RequestLimits {
  const limits = {
    // 0 counts as not given.
    maxConcurrency: asked.maxConcurrency || answered.maxConcurrency || 1,
    strategy: asked.strategy ?? answered.strategy ?? "multi",
    maxPayload: asked.maxPayload ?? answered.maxPayload ?? 6,
  };
  requirePayload(limits);
  // A request of any size counts as one of 1 MB.
  return { ...limits, maxConcurrency: Math.min(limits.maxConcurrency, TRANSFORM.payload) };
}

const STRATEGY_WORDS = { multi: "MULTI_RECORD", single: "SINGLE_RECORD" } as const;

/**
 * Reads the answer to `GET /execution-parameters`.
 *
 * @throws MlcliError where it is not what SageMaker expects.
 */
export function executionParametersIn(text: string): ExecutionParameters {
  const answer = jsonObject(text);
  const number = (name: string): number | undefined => {
    const value = answer?.[name] ?? undefined;
    if (value === undefined || Number.isInteger(value) && Number(value) >= 0) {
      return value as number;
    }
    throw notValid(text);
  };
  const word = answer?.["BatchStrategy"] ?? undefined;
  const strategy = STRATEGIES.find((one) => STRATEGY_WORDS[one] === word);
  if (answer === undefined || word !== undefined && strategy === undefined) throw notValid(text);
  return {
    maxConcurrency: number("MaxConcurrentTransforms"),
    maxPayload: number("MaxPayloadInMB"),
    strategy,
  };
}

function notValid(text: string): MlcliError {
  return new MlcliError(
    `Invalid response from /execution-parameters: ${inOneLine(text.slice(0, 200))}`,
    {
      hint: 'Return JSON such as {"MaxConcurrentTransforms": 2, "BatchStrategy": "MULTI_RECORD", ' +
        '"MaxPayloadInMB": 6}, or status 404 if the server does not set limits',
    },
  );
}

/** Returns the limits in words, as the first line of a transform's progress. */
export function limitsText({ maxConcurrency, maxPayload, strategy }: RequestLimits): string {
  const records = strategy === "single" ? "one record each" : "as many records as fit";
  const size = maxPayload === 0 ? "of any size" : `up to ${maxPayload} MB`;
  const requests = maxConcurrency === 1
    ? "one request at a time"
    : `up to ${maxConcurrency} requests at once`;
  return `Sending ${requests} (${size}, ${records})`;
}

/** The variables of a server of a transform job: those of limits only where the request has them. */
export function transformVariables(
  { maxConcurrency, maxPayload, strategy }: AskedTransform,
): Variables {
  return {
    SAGEMAKER_BATCH: "true",
    ...maxPayload === undefined ? {} : { SAGEMAKER_MAX_PAYLOAD_IN_MB: String(maxPayload) },
    ...strategy === undefined ? {} : { SAGEMAKER_BATCH_STRATEGY: STRATEGY_WORDS[strategy] },
    ...maxConcurrency ? { SAGEMAKER_MAX_CONCURRENT_TRANSFORMS: String(maxConcurrency) } : {},
  };
}
