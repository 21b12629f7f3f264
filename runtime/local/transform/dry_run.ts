/** `local transform --dry-run`: the requests that there would be, by options and SageMaker's defaults. */

import { layoutOf } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { limitsOf, transformOf } from "../../contract/transform.ts";
import { type Batch, batchesOf, type OddLines } from "../../contract/transform_records.ts";
import {
  filterDifferences,
  lineDifferences,
  type OddFile,
} from "../../contract/transform_warnings.ts";
import { fileErrorReason } from "../../errors.ts";
import { tell, warningText } from "../../messages.ts";
import type { Host, TransformJob } from "../jobs.ts";
import { dataOf, inputDifferences, inputsIn, typeOfInputs } from "./inputs.ts";

/** Sizes in bytes. */
interface PlannedFile {
  readonly name: string;
  readonly records: number;
  readonly requests: number;
  readonly smallest: number;
  readonly largest: number;
  /** Why it would have no result. */
  readonly failure: string | null;
}

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
  const files: PlannedFile[] = [];
  for (const file of inputs.files) {
    const found: OddLines = {};
    const batches = batchesOf(dataOf(file, transform), transform, limits, found);
    files.push(await planned(file.name, batches, signal));
    odd.push({ name: file.shown, odd: found });
  }
  const all = [
    ...inputDifferences(inputs, transform),
    ...lineDifferences(odd),
    ...filterDifferences(transform),
  ];
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

async function planned(
  name: string,
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): Promise<PlannedFile> {
  let [all, requests, smallest, largest] = [0, 0, Infinity, 0];
  let failure: string | null = null;
  try {
    for await (const { bytes, records } of batches) {
      signal.throwIfAborted();
      all += records;
      requests++;
      smallest = Math.min(smallest, bytes.length);
      largest = Math.max(largest, bytes.length);
    }
  } catch (error) {
    signal.throwIfAborted();
    failure = fileErrorReason(error);
  }
  return { name, records: all, requests, smallest: requests ? smallest : 0, largest, failure };
}
