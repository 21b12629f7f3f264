/** `local transform --dry-run`: the planned requests, from options and SageMaker's defaults. */

import { junkNotes } from "../../app/junk.ts";
import { typedPath } from "../../app/typed_path.ts";
import { isProcessed, limitsOf, transformOf } from "../../contract/transform.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import { type Batch, batchesOf, type OddLines } from "../../contract/transform_records.ts";
import { lineDifferences, type OddFile } from "../../contract/transform_warnings.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { listed } from "../../text.ts";
import { Findings } from "../differences/findings.ts";
import type { Host, TransformJob } from "../jobs.ts";
import { dataOf, inputDifferences, inputsIn, typeOfInputs } from "./inputs.ts";
import { narrowed } from "./failures.ts";
import { Processing } from "./requests.ts";
import { isPassedOn } from "./work.ts";

/**
 * Returns the planned requests. Starts nothing, and does not call the engine.
 *
 * @throws MlcliError for problems that prevent the run.
 */
export async function plannedTransform(
  job: TransformJob,
  { messages, interruption: { signal } }: Pick<Host, "messages" | "interruption">,
): Promise<{
  readonly planned: Readonly<Record<string, unknown>>;
  /** @throws MlcliError if files would have no result, or for warnings with `--strict`. */
  readonly requireNone: () => void;
}> {
  const layout = job.app.paths;
  const inputs = await inputsIn(layout, job.input);
  const transform = transformOf(job, typeOfInputs(inputs.files, job));
  const { split, contentType } = transform;
  const limits = limitsOf(transform);
  const processing = isProcessed(transform) ? new Processing(transform) : undefined;
  const odd: OddFile[] = [];
  const files: (Awaited<ReturnType<typeof plannedFile>> & { readonly name: string })[] = [];
  for (const file of inputs.files) {
    const found: OddLines = {};
    const batches = batchesOf(dataOf(file, transform), transform, limits, found);
    const isOne = isPassedOn(transform, limits);
    files.push({ name: file.name, ...await plannedFile(batches, { processing, isOne, signal }) });
    odd.push({ name: file.shown, odd: found });
  }
  junkNotes(inputs.junk).forEach((text) => messages.note(text));
  const findings = new Findings(job.strict, messages);
  findings.add([...inputDifferences(inputs, transform), ...lineDifferences(odd)]);
  const planned = {
    input: typedPath(layout, job.input),
    content_type: contentType,
    accept: transform.accept ?? null,
    split,
    assemble: transform.assemble,
    strategy: split === "none" ? null : limits.strategy,
    max_payload: limits.maxPayload,
    max_concurrency: limits.maxConcurrency,
    requests: files.reduce((sum, { requests }) => sum + requests, 0),
    files,
  };
  return {
    planned,
    requireNone() {
      const failing = files.filter(({ failure }) => failure !== null).map(({ name }) => name);
      if (failing.length > 0) {
        throw new MlcliError(`The batch transform would fail for ${listed(failing)}`);
      }
      findings.requireNone();
    },
  };
}

/** Sizes are in bytes; the failure is why a file would have no result. */
async function plannedFile(
  batches: AsyncIterable<Batch>,
  { processing, isOne, signal }: {
    readonly processing: Processing | undefined;
    /** Whether all of it is one request. */
    readonly isOne: boolean;
    readonly signal: AbortSignal;
  },
) {
  const sizes = { all: 0, smallest: Infinity, largest: 0 };
  let [records, requests] = [0, 0];
  let failure: string | null = null;
  try {
    for await (const batch of batches) {
      signal.throwIfAborted();
      const { length } = processing ? await filtered(batch, processing) : batch.bytes;
      records += batch.records;
      requests++;
      sizes.all += length;
      sizes.smallest = Math.min(sizes.smallest, length);
      sizes.largest = Math.max(sizes.largest, length);
    }
  } catch (error) {
    signal.throwIfAborted();
    failure = fileErrorReason(error);
  }
  const { all, smallest, largest } = sizes;
  if (requests === 0) return { records, requests, smallest: 0, largest, failure };
  if (isOne) return { records, requests: 1, smallest: all, largest: all, failure };
  return { records, requests, smallest, largest, failure };
}

/** @throws UnfitRecord that names the record. */
async function filtered(batch: Batch, processing: Processing): Promise<Uint8Array> {
  const request = (bytes: Uint8Array<ArrayBuffer>) =>
    Promise.resolve().then(() => processing.request(bytes));
  return await request(batch.bytes).catch(async (error) => {
    const [{ first, records }, last] = await narrowed(batch, error, request);
    const place = records === 1 ? `record ${first}` : `records ${first} to ${first + records - 1}`;
    throw new UnfitRecord(`${place}: ${fileErrorReason(last)}`);
  });
}
