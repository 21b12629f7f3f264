/** What a host of a transform does with its objects: several requests at once, answers in order. */

import { gunzip } from "../../../tar.ts";
import type { S3Store } from "../../s3_store.ts";
import { DEFAULT_PAYLOAD } from "./checks.ts";
import type { InputObject } from "./objects.ts";
import { type Processing, processingOf } from "./processing.ts";
import { type Batch, batchesOf, linesOf, RecordError } from "./records.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** How requests are made, in the words of `/execution-parameters`. */
export interface Parameters {
  readonly MaxConcurrentTransforms: number;
  /** 0 is any size. */
  readonly MaxPayloadInMB: number;
  readonly BatchStrategy: string;
}

/** `SINGLE_RECORD`, as containers hear it and say it. */
export function strategyName(strategy: string): string {
  return strategy === "SingleRecord" ? "SINGLE_RECORD" : "MULTI_RECORD";
}

/** The request's word counts, then the container's, then SageMaker's. */
export function parametersOf(request: Request, answered: Partial<Parameters>): Parameters {
  const atOnce = request.MaxConcurrentTransforms || answered.MaxConcurrentTransforms;
  return {
    MaxConcurrentTransforms: atOnce >= 1 ? atOnce : 1,
    MaxPayloadInMB: request.MaxPayloadInMB ?? answered.MaxPayloadInMB ?? DEFAULT_PAYLOAD,
    BatchStrategy: request.BatchStrategy === undefined
      ? answered.BatchStrategy ?? "MULTI_RECORD"
      : strategyName(request.BatchStrategy),
  };
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
  readonly parameters: Parameters;
  readonly s3: S3Store;
  readonly invoke: (body: Uint8Array) => Promise<Uint8Array>;
  /** Hears lines of the data log. */
  readonly say: (lines: readonly string[]) => void;
}

/** Sends all objects; one that fails does not keep the others. */
export async function transformObjects(
  objects: readonly InputObject[],
  { request, parameters, s3, invoke, say }: Tools,
): Promise<readonly Progress[]> {
  const all = objects.map((object): Progress => ({ object, answers: [] }));
  const processing = processingOf(request);
  const attempt = async (progress: Progress, work: () => Promise<void>): Promise<void> => {
    try {
      if (!progress.failure) await work();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      const { bucket, key } = progress.object;
      if (!progress.failure) say(error.lines.map((line) => `${bucket}/${key}: ${line}`));
      progress.failure ??= error;
    }
  };
  const queue: (() => Promise<void>)[] = [];
  for (const progress of all) {
    await attempt(progress, async () => {
      const content = await contentOf(progress.object, request, s3);
      for (const [index, batch] of split(content, request, parameters, processing).entries()) {
        queue.push(() =>
          attempt(progress, async () => {
            const answer = await invoke(batch.body);
            progress.answers[index] = processing ? processed(batch, answer, processing) : answer;
          })
        );
      }
    });
  }
  await Promise.all(Array.from({ length: parameters.MaxConcurrentTransforms }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await next();
  }));
  return all;
}

async function contentOf(
  { bucket, key }: InputObject,
  { TransformInput }: Request,
  s3: S3Store,
): Promise<Uint8Array> {
  const stored = await s3.bytes(bucket, key);
  if (TransformInput.CompressionType !== "Gzip") return stored;
  return await gunzip(stored).catch(() => {
    throw new RecordError(["The object is not in the format of gzip"]);
  });
}

function split(
  content: Uint8Array,
  { TransformInput }: Request,
  { MaxPayloadInMB, BatchStrategy }: Parameters,
  processing: Processing | undefined,
): readonly Batch[] {
  return batchesOf(TransformInput.SplitType === "Line" ? linesOf(content) : [content], {
    isMulti: BatchStrategy !== "SINGLE_RECORD",
    limit: MaxPayloadInMB === 0 ? Infinity : MaxPayloadInMB * 1024 * 1024,
    sent: (record) =>
      processing ? new TextEncoder().encode(`${processing.input(lineOf(record))}\n`) : record,
  });
}

/** A line for each record. */
function processed({ records }: Batch, answer: Uint8Array, processing: Processing): Uint8Array {
  const text = lineOf(answer);
  const answers = records.length === 1 ? [text] : text.split(/\r?\n/);
  if (answers.length !== records.length) {
    throw new RecordError([`There are ${answers.length} answers to ${records.length} records`]);
  }
  const lines = records.map((record, index) => processing.output(lineOf(record), answers[index]!));
  return new TextEncoder().encode(lines.join("\n"));
}

/** Without the newline at its end. */
function lineOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, "");
}
