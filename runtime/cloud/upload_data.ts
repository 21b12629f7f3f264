import { AwsError } from "../aws/errors.ts";
import type { NotDeleted, S3 } from "../aws/s3.ts";
import { type S3Address, s3Uri, within } from "../contract/addresses.ts";
import type { Messages } from "../messages.ts";
import { counted } from "../quantities.ts";
import { inOneLine, listed } from "../text.ts";
import { forcedEnd } from "../time.ts";
import type { WaitingHost } from "./connection.ts";
import { checkUpload, type DataUpload, type Kept, type Size } from "./upload/check.ts";
import { isUnchanged, stateOf } from "./upload/file_state.ts";
import { type Calls, callsOf, deletingCalls, MOST_AT_ONCE, type Step } from "./upload/plan.ts";
import { Budget, IN_FLIGHT, leftPartsWarnings } from "./upload/send.ts";
import { type Done, transfer } from "./upload/transfer.ts";

export interface UploadResult {
  /** The target's address; of one file: the object's. */
  readonly address: string;
  readonly done: Done;
  readonly deleted: number;
}

/**
 * Uploads the files that S3 does not have yet. Checks all files before it sends the first one.
 *
 * @param progress called often, with the size that has been sent.
 * @throws UsageError for a wrong target or wrong options; MlcliError if a file is private or cannot be sent;
 * AwsError.
 */
export async function uploadData(
  upload: DataUpload,
  host: WaitingHost,
  progress: (done: Done, all: Size) => void,
): Promise<UploadResult> {
  const { messages } = host;
  const { s3, inputs, target, kept, size, steps } = await checkUpload(upload, host);
  using last = forcedEnd(host.interruption);
  const sending = {
    s3,
    target,
    budget: new Budget(IN_FLIGHT),
    force: last.signal,
    left: leftPartsWarnings((message, hint) => messages.warning(message, hint)),
  };
  const done = await transfer(steps(), sending, upload.delete, (now) => progress(now, size));
  const keys = extrasToDelete(done.extras, kept, target, messages);
  await deleteExtras(s3, target.bucket, keys);
  const [only, ...others] = inputs;
  const isOneFile = only?.name !== undefined && others.length === 0;
  const address = s3Uri(isOneFile ? within(target, only!.name!) : target);
  return { address, done, deleted: keys.length };
}

export interface PlannedFile {
  /** As the user would type it. */
  readonly path: string;
  readonly key: string;
  readonly bytes: number;
  readonly calls: Calls;
}

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
async function* plannedFiles(
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

export interface PlannedUpload {
  readonly target: string;
  readonly files: AsyncGenerator<PlannedFile, void, void>;
  /** To be called when all files have been gone through. */
  total(): PlannedTotal & { readonly deleted: readonly string[] };
}

export async function planUpload(
  upload: DataUpload,
  host: WaitingHost,
): Promise<PlannedUpload> {
  const { target, kept, steps } = await checkUpload(upload, host);
  const total = new PlannedTotal();
  return {
    target: s3Uri(target),
    files: plannedFiles(steps(), target.key, total),
    total() {
      const deleted = upload.delete
        ? extrasToDelete(total.extras, kept, target, host.messages)
        : [];
      total.add(deletingCalls(deleted.length));
      return Object.assign(total, { deleted });
    },
  };
}

/** The objects without a file that are deleted; notes which are kept. */
function extrasToDelete(
  extras: readonly string[],
  kept: Kept,
  target: S3Address,
  messages: Messages,
): readonly string[] {
  const leftOut: string[] = [];
  const deleted = keysToDelete(extras, kept, (key) => {
    const address = s3Uri({ ...target, key });
    if (kept.get(key) === "left out") leftOut.push(address);
    else messages.note(`Kept ${address}/, because the app's jobs and endpoints use it`);
  });
  if (leftOut.length > 0) {
    messages.note(`Kept objects whose local files were skipped: ${listed(leftOut)}`);
  }
  return deleted;
}

const NAMED = 20;

/** The kept path that keeps a key: the key itself, or a directory above it. */
function keeperOf(key: string, kept: Kept): string | undefined {
  for (let end = key.indexOf("/"); end >= 0; end = key.indexOf("/", end + 1)) {
    if (kept.has(key.slice(0, end))) return key.slice(0, end);
  }
  return kept.has(key) ? key : undefined;
}

/**
 * Of the keys without a file, those that are deleted.
 *
 * @param onKept called once for each kept path.
 */
export function keysToDelete(
  extras: readonly string[],
  kept: Kept,
  onKept: (path: string) => void,
): readonly string[] {
  const keepers = new Set<string>();
  const deleted = extras.filter((key) => {
    const keeper = keeperOf(key, kept);
    if (keeper !== undefined) keepers.add(keeper);
    // `data/` is what AWS's console makes of an empty directory.
    return keeper === undefined && !key.endsWith("/");
  });
  keepers.forEach(onKept);
  return deleted;
}

/** @throws AwsError that names what could not be deleted. */
async function deleteExtras(s3: S3, bucket: string, keys: readonly string[]): Promise<void> {
  const left: NotDeleted[] = [];
  for (let start = 0; start < keys.length; start += MOST_AT_ONCE) {
    left.push(...await s3.deleteObjects(bucket, keys.slice(start, start + MOST_AT_ONCE)));
  }
  const [first] = left;
  if (!first) return;
  const names = left.slice(0, NAMED).map(({ key, reason }) => `${inOneLine(key)}: ${reason}`);
  if (left.length > NAMED) names.push(`and ${left.length - NAMED} more`);
  throw new AwsError(
    "other",
    `Cannot delete ${counted(left.length, "object")} in s3://${bucket}/`,
    {
      quote: names.join("\n"),
      hint: "All files were uploaded. Rerun the command to delete these objects.",
    },
  );
}
