/** What a host of a transform does with its objects: requests at once, answers in order. */

import { gunzip } from "../../../tar.ts";
import type { S3Store } from "../../s3_store.ts";
import { DEFAULT_PAYLOAD } from "./checks.ts";
import type { InputObject } from "./objects.ts";
import { type Processing, processingOf } from "./processing.ts";
import { assembled, type Batch, batchesOf, RecordError, recordsOf } from "./records.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** How the requests are made. */
export interface RequestShape {
  readonly concurrency: number;
  /** In MB; 0 is any size. */
  readonly payload: number;
  readonly isMulti: boolean;
}

/** The request's word counts, then the container's, then SageMaker's. */
export function shapeOf(
  request: Request,
  answered: Readonly<Record<string, unknown>>,
): RequestShape {
  const numberIn = (name: string): number | undefined =>
    typeof answered[name] === "number" ? answered[name] as number : undefined;
  const strategy = request.BatchStrategy === undefined
    ? answered.BatchStrategy
    : strategyName(request.BatchStrategy);
  return {
    concurrency: request.MaxConcurrentTransforms || numberIn("MaxConcurrentTransforms") || 1,
    payload: request.MaxPayloadInMB ?? numberIn("MaxPayloadInMB") ?? DEFAULT_PAYLOAD,
    isMulti: strategy !== "SINGLE_RECORD",
  };
}

/** `SINGLE_RECORD`, as containers hear it. */
export function strategyName(strategy: string): string {
  return strategy === "SingleRecord" ? "SINGLE_RECORD" : "MULTI_RECORD";
}

/** An object on its way. */
export interface Progress {
  readonly object: InputObject;
  readonly answers: Uint8Array[];
  failure?: RecordError;
}

/** What there is to work with. */
export interface Tools {
  readonly request: Request;
  readonly shape: RequestShape;
  readonly s3: S3Store;
  readonly invoke: (body: Uint8Array) => Promise<Uint8Array>;
}

/** Sends all objects; one that fails does not keep the others. */
export async function transformObjects(
  objects: readonly InputObject[],
  tools: Tools,
): Promise<readonly Progress[]> {
  const all: Progress[] = [];
  const processing = processingOf(tools.request);
  const left = requestsOf(objects, tools, processing, all);
  await Promise.all(Array.from({ length: tools.shape.concurrency }, async () => {
    for await (const { progress, batch, index } of shared(left)) {
      if (progress.failure) continue;
      await keepFailure(progress, async () => {
        const answer = await tools.invoke(batch.body);
        progress.answers[index] = processing ? processed(batch, answer, processing) : answer;
      });
    }
  }));
  return all;
}

/** What an object becomes. */
export function outputOf({ answers }: Progress, { TransformOutput }: Request): Uint8Array {
  return assembled(answers, TransformOutput.AssembleWith ?? "None");
}

interface OneRequest {
  readonly progress: Progress;
  readonly batch: Batch;
  readonly index: number;
}

async function* requestsOf(
  objects: readonly InputObject[],
  { request, shape, s3 }: Tools,
  processing: Processing | undefined,
  all: Progress[],
): AsyncGenerator<OneRequest> {
  const { CompressionType = "None", SplitType = "None" } = request.TransformInput;
  const limit = shape.payload === 0 ? Infinity : shape.payload * 1024 * 1024;
  for (const object of objects) {
    const progress: Progress = { object, answers: [] };
    all.push(progress);
    let batches: readonly Batch[] = [];
    await keepFailure(progress, async () => {
      const { bucket, key } = object;
      if (!s3.buckets.has(bucket) || !s3.object(bucket, key)) {
        throw new RecordError("The specified key does not exist");
      }
      const stored = await s3.bytes(bucket, key);
      const content = CompressionType === "Gzip" ? await gunzip(stored) : stored;
      const { isMulti } = shape;
      batches = batchesOf(recordsOf(content, SplitType), {
        ...{ isMulti, limit },
        sent: (record) => {
          if (!processing) return isMulti ? record.whole : record.alone;
          return new TextEncoder().encode(`${processing.input(lineOf(record.whole))}\n`);
        },
      });
    });
    for (const [index, batch] of batches.entries()) yield { progress, batch, index };
  }
}

/** The same for each of several who take from it. */
async function* shared<T>(left: AsyncGenerator<T>): AsyncGenerator<T> {
  for (let next = await left.next(); !next.done; next = await left.next()) yield next.value;
}

async function keepFailure(progress: Progress, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    progress.failure ??= error;
  }
}

/** A line for each record. */
function processed({ records }: Batch, answer: Uint8Array, processing: Processing): Uint8Array {
  const text = lineOf(answer);
  const answers = records.length === 1 ? [text] : text.split("\n");
  if (answers.length !== records.length) {
    throw new RecordError(
      `Failed to join: ${answers.length} answers for ${records.length} records`,
    );
  }
  const lines = records.map(({ whole }, index) =>
    processing.output(lineOf(whole), answers[index]!.replace(/\r$/, ""))
  );
  return new TextEncoder().encode(lines.join("\n"));
}

/** Without the newline at its end. */
function lineOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, "");
}
