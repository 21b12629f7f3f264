/**
 * What a batch transform asks of a server: how data becomes requests, and answers become a result. Sources:
 * CreateTransformJob in SageMaker's API reference, and the developer guide, "Use Batch Transform" and "Use
 * Your Own Inference Code with Batch Transform".
 */

import { MlcliError, UsageError } from "../errors.ts";
import { isObject, parseJson } from "../text.ts";
import { lengthOf, TRANSFORM } from "./limits.ts";
import { parseFilter } from "./transform_filters.ts";
import type { Variables } from "./variables.ts";

export const SPLITS = ["none", "line", "recordio", "tfrecord"] as const;
export const STRATEGIES = ["multi", "single"] as const;
export const ASSEMBLIES = ["none", "line"] as const;
export const COMPRESSIONS = ["none", "gzip"] as const;
export const JOINS = ["none", "input"] as const;

export type Split = typeof SPLITS[number];
export type Strategy = typeof STRATEGIES[number];

/** What is given, by an option or the app's file; `undefined`: nothing. */
export interface AskedTransform {
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly split: Split | undefined;
  readonly strategy: Strategy | undefined;
  readonly assemble: typeof ASSEMBLIES[number] | undefined;
  /** In MB; 0: of any size. */
  readonly maxPayload: number | undefined;
  /** Requests at once, to each server. */
  readonly maxConcurrency: number | undefined;
  readonly compression: typeof COMPRESSIONS[number] | undefined;
  readonly inputFilter: string | undefined;
  readonly outputFilter: string | undefined;
  readonly join: typeof JOINS[number] | undefined;
  /** Seconds that an answer may take. */
  readonly invocationTimeout: number | undefined;
  readonly invocationRetries: number | undefined;
}

/** The same with defaults. What is `undefined` here, the server's own answer decides, or SageMaker. */
export interface Transform extends AskedTransform {
  readonly contentType: string;
  readonly split: Split;
  readonly assemble: typeof ASSEMBLIES[number];
  readonly compression: typeof COMPRESSIONS[number];
  readonly join: typeof JOINS[number];
  readonly invocationTimeout: number;
  readonly invocationRetries: number;
}

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
    ...asked,
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
  const { contentType, accept, split, strategy, assemble, inputFilter, outputFilter } = transform;
  for (const [option, value] of [["--content-type", contentType], ["--accept", accept]]) {
    if (value === undefined || lengthOf(value) <= TRANSFORM.typeLength) continue;
    throw new UsageError(`${option} has at most ${TRANSFORM.typeLength} characters.`);
  }
  if (strategy !== undefined && split === "none") {
    throw new UsageError(`"--strategy ${strategy}" needs records.`, {
      hint: "--split line sends lines; without --strategy, a file is one request.",
    });
  }
  requirePayload(transform);
  if (!isProcessed(transform)) return;
  for (const filter of [inputFilter, outputFilter]) {
    if (filter !== undefined) parseFilter(filter);
  }
  const plain = plainType(contentType);
  const types = FILTERED.join(", ");
  if (!FILTERED.includes(plain) || accept === undefined || plainType(accept) !== plain) {
    throw new UsageError(
      `Filters and joins take answers of the data's own type, one of ${types}.`,
      {
        hint: `--content-type ${contentType} and --accept ${
          accept ?? "(none)"
        } do not go together with them.`,
      },
    );
  }
  const isByLine = split === "line" && assemble === "line";
  const isWhole = split === "none" && assemble === "none" && plain === "application/json";
  if (isByLine || isWhole) return;
  throw new UsageError("Filters and joins take records that are split and assembled alike.", {
    hint: "Give --split line --assemble line; JSON may have none for both.",
  });
}

/** @throws UsageError */
function requirePayload({ maxPayload, maxConcurrency }: AskedTransform): void {
  if (maxPayload === undefined || maxConcurrency === undefined) return;
  if (maxPayload * maxConcurrency <= TRANSFORM.payload) return;
  throw new UsageError(
    `SageMaker takes ${TRANSFORM.payload} MB in requests at once: --max-concurrency ` +
      `${maxConcurrency} times --max-payload ${maxPayload} is more.`,
    { hint: `--max-payload ${Math.max(1, Math.floor(TRANSFORM.payload / maxConcurrency))}` },
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
export type ExecutionParameters = Partial<RequestLimits>;

/**
 * What counts: the request, then what the server answers to `GET /execution-parameters`, then SageMaker's
 * own: one request at once, several records in it, 6 MB.
 *
 * @throws MlcliError where all of it together is more than SageMaker takes.
 */
export function limitsOf(
  asked: Pick<Transform, "maxConcurrency" | "maxPayload" | "strategy">,
  answered: ExecutionParameters = {},
): RequestLimits {
  const limits = {
    // 0 counts as not given.
    maxConcurrency: asked.maxConcurrency || answered.maxConcurrency || 1,
    strategy: asked.strategy ?? answered.strategy ?? "multi",
    maxPayload: asked.maxPayload ?? answered.maxPayload ?? 6,
  };
  const { maxConcurrency, maxPayload } = limits;
  if (maxConcurrency * maxPayload <= TRANSFORM.payload) return limits;
  throw new MlcliError(
    `SageMaker takes ${TRANSFORM.payload} MB in requests at once, and ${maxConcurrency} of ` +
      `${maxPayload} MB are more`,
    { hint: `Give --max-payload ${Math.floor(TRANSFORM.payload / maxConcurrency) || 1}, or less.` },
  );
}

/**
 * Reads the answer to `GET /execution-parameters`.
 *
 * @throws MlcliError where it is not what SageMaker expects.
 */
export function executionParametersIn(text: string): ExecutionParameters {
  const wrong = (what: string): MlcliError =>
    new MlcliError(`The answer to /execution-parameters ${what}`, {
      hint: 'Such as {"MaxConcurrentTransforms": 2, "BatchStrategy": "MULTI_RECORD", ' +
        '"MaxPayloadInMB": 6}. A server without the route answers 404.',
    });
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    throw wrong("is not JSON");
  }
  if (!isObject(answer)) throw wrong("is no JSON object");
  const number = (name: string, most: number): number | undefined => {
    const value = answer[name];
    if (value === undefined || value === null) return undefined;
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most) {
      return value as number;
    }
    throw wrong(`has no valid ${name}: ${JSON.stringify(value)}`);
  };
  const strategy = answer["BatchStrategy"] ?? undefined;
  if (strategy !== undefined && strategy !== "MULTI_RECORD" && strategy !== "SINGLE_RECORD") {
    throw wrong(`has no valid BatchStrategy: ${JSON.stringify(strategy)}`);
  }
  return {
    maxConcurrency: number("MaxConcurrentTransforms", 10_000),
    maxPayload: number("MaxPayloadInMB", TRANSFORM.payload),
    strategy: strategy && (strategy === "MULTI_RECORD" ? "multi" : "single"),
  };
}

const STRATEGY_WORDS = { multi: "MULTI_RECORD", single: "SINGLE_RECORD" } as const;

/** As the first line of SageMaker's data-log has them. */
export function limitsText({ maxConcurrency, maxPayload, strategy }: RequestLimits): string {
  return `MaxConcurrentTransforms=${maxConcurrency}, MaxPayloadInMB=${maxPayload}, ` +
    `BatchStrategy=${STRATEGY_WORDS[strategy]}`;
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
