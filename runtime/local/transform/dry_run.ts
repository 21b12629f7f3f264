/** `local transform --dry-run`: the requests that there would be, by options and SageMaker's defaults. */

import { layoutOf } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { limitsOf, transformOf } from "../../contract/transform.ts";
import { type Batch, batchesOf, type OddLines } from "../../contract/transform_records.ts";
import { lineDifferences, type OddFile } from "../../contract/transform_warnings.ts";
import { fileErrorReason } from "../../errors.ts";
import { tell, warningText } from "../../messages.ts";
import type { Host, TransformJob } from "../jobs.ts";
import { dataOf, inputDifferences, inputsIn, typeOfInputs } from "./inputs.ts";

/**
 * What would be sent. Nothing is started, and no engine is asked.
 *
 * @throws MlcliError for what stands in the way.
 */
export async function plannedTransform(
  job: TransformJob,
  { err, interruption: { signal } }: Pick<Host, "err" | "interruption">,
): Promise<Readonly<Record<string, unknown>>> {
  const layout = layoutOf(job.app);
  const inputs = await inputsIn(layout.directory, job.input);
  const transform = transformOf(job.asked, typeOfInputs(inputs.files, job.asked));
  const { split, contentType } = transform;
  const limits = limitsOf(transform);
  const odd: OddFile[] = [];
  const files = [];
  for (const file of inputs.files) {
    const found: OddLines = {};
    const batches = batchesOf(dataOf(file, transform), transform, limits, found);
    files.push({ name: file.name, ...await planned(batches, signal) });
    odd.push({ name: file.shown, odd: found });
  }
  const all = [...inputDifferences(inputs, transform), ...lineDifferences(odd)];
  for (const { message, hint } of all) tell(err, warningText(message, hint));
  return {
    input: typedPath(layout.directory, job.input),
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
}

/** Sizes are in bytes; the failure is why a file would have no result. */
async function planned(batches: AsyncIterable<Batch>, signal: AbortSignal) {
  let [records, requests, smallest, largest] = [0, 0, Infinity, 0];
  let failure: string | null = null;
  try {
    for await (const batch of batches) {
      signal.throwIfAborted();
      records += batch.records;
      requests++;
      smallest = Math.min(smallest, batch.bytes.length);
      largest = Math.max(largest, batch.bytes.length);
    }
  } catch (error) {
    signal.throwIfAborted();
    failure = fileErrorReason(error);
  }
  return { records, requests, smallest: requests ? smallest : 0, largest, failure };
}
