/**
 * What an upload would do, without doing it.
 *
 * @module
 */

import { MOST_AT_ONCE } from "./deletion.ts";
import { isUnchanged, stateOf } from "./file_state.ts";
import { partsOf, type Step } from "./plan.ts";

/** How often each operation of S3 would be asked for. */
export type Calls = Readonly<Record<string, number>>;

/** A file that would be sent. */
export interface PlannedFile {
  /** As the user would type it. */
  readonly path: string;
  readonly key: string;
  readonly bytes: number;
  readonly calls: Calls;
}

/** The operations that send a file of this size. */
export function callsOf(size: number): Calls {
  const parts = partsOf(size);
  return parts === 0
    ? { PutObject: 1 }
    : { CreateMultipartUpload: 1, UploadPart: parts, CompleteMultipartUpload: 1 };
}

/** The operations that delete so many objects. */
export function deletingCalls(count: number): Calls {
  return count === 0 ? {} : { DeleteObjects: Math.ceil(count / MOST_AT_ONCE) };
}

/** What a plan comes to. */
export class PlannedTotal {
  files = 0;
  bytes = 0;
  unchanged = 0;
  /** Keys of objects without a file. */
  readonly extras: string[] = [];
  readonly calls: Record<string, number> = {};

  add(calls: Calls): void {
    for (const [name, count] of Object.entries(calls)) {
      this.calls[name] = (this.calls[name] ?? 0) + count;
    }
  }
}

/** The files that would be sent, as they are found; the total grows with them. */
export async function* plannedFiles(
  steps: AsyncIterable<Step>,
  prefix: string,
  total: PlannedTotal,
): AsyncGenerator<PlannedFile, void, void> {
  for await (const step of steps) {
    if (step.kind === "extra") {
      total.extras.push(step.object.key);
      continue;
    }
    const { file, there } = step;
    const state = stateOf(file);
    if (await isUnchanged(file, state, there)) {
      total.unchanged++;
      continue;
    }
    const calls = callsOf(state.size);
    total.files++;
    total.bytes += state.size;
    total.add(calls);
    yield { path: file.shown, key: prefix + file.name, bytes: state.size, calls };
  }
}
