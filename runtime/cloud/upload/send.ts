import { shellWord } from "../../app/typed_path.ts";
import type { LeftParts, ObjectPlace, OpenUpload, S3, Upload, UploadedPart } from "../../aws/s3.ts";
import { s3Uri } from "../../contract/addresses.ts";
import { Changed, infoOf, isUnchanged, open, read, stateOf } from "./file_state.ts";
import { type FileState, PART_SIZE, partSizeOf, type Step } from "./plan.ts";

export interface Sending {
  readonly s3: S3;
  /** Where the files go; `key` is the prefix of their keys. */
  readonly target: ObjectPlace;
  readonly budget: Budget;
  /** Ends the clean-up (`forcedEnd`). */
  readonly force: AbortSignal;
  readonly left: LeftParts;
  /** Of an object that comes in parts. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Sent {
  readonly isUnchanged: boolean;
  readonly bytes: number;
}

/**
 * Sends a file unless it is there: whole or not at all. One that changes meanwhile is not sent.
 *
 * @param onPart called with the bytes of each part of a large file that has arrived.
 * @throws MlcliError, where it cannot be read or changes; AwsError.
 */
export async function send(
  { file, there }: Step & { readonly kind: "file" },
  sending: Sending,
  onPart: (bytes: number) => void,
): Promise<Sent> {
  const { target: { bucket, key } } = sending;
  const before = stateOf(file);
  if (await isUnchanged(file, before, there)) {
    return { isUnchanged: true, bytes: before.size };
  }
  const place = { bucket, key: key + file.name };
  using source = open(file);
  const state = infoOf(source.statSync());
  // Checks the path, too: another file may have taken its place.
  const check = (): void => {
    const isSame = [infoOf(source.statSync()), stateOf(file)].every((now) =>
      now.size === state.size && now.modified === state.modified && now.id === state.id
    );
    if (!isSame) throw new Changed();
  };
  if (state.size <= PART_SIZE) await sendWhole(source, state, place, check, sending);
  else {
    const pieces = piecesOf(source, state.size, sending.budget);
    await sendParts(pieces, place, check, sending, onPart);
  }
  check();
  return { isUnchanged: false, bytes: state.size };
}

async function sendWhole(
  source: Deno.FsFile,
  { size }: FileState,
  place: ObjectPlace,
  check: () => void,
  { s3, budget }: Sending,
): Promise<void> {
  using taken = await budget.take(size);
  await read(source, taken.bytes);
  check();
  await s3.putObject(place, taken.bytes);
}

/** The parts of a file, one after the other: an open file has one position. */
async function* piecesOf(
  source: Deno.FsFile,
  size: number,
  budget: Budget,
): AsyncGenerator<Lent, void, void> {
  const partSize = partSizeOf(size);
  for (let start = 0; start < size; start += partSize) {
    const taken = await budget.take(Math.min(partSize, size - start));
    await read(source, taken.bytes).catch((error) => {
      taken[Symbol.dispose]();
      throw error;
    });
    yield taken;
  }
}

/** The parts of a stream, whose length nobody knows. */
export async function* piecesOfStream(
  source: AsyncIterable<Uint8Array>,
  partSize: number,
  budget: Budget,
): AsyncGenerator<Lent, void, void> {
  let taken: Lent | undefined;
  let filled = 0;
  try {
    for await (let bytes of source) {
      while (bytes.length > 0) {
        taken ??= await budget.take(partSize);
        const fitting = bytes.subarray(0, partSize - filled);
        taken.bytes.set(fitting, filled);
        filled += fitting.length;
        bytes = bytes.subarray(fitting.length);
        if (filled < partSize) continue;
        const full = taken;
        [taken, filled] = [undefined, 0];
        yield full;
      }
    }
    if (taken) {
      const last = taken;
      taken = undefined;
      yield { ...last, bytes: last.bytes.subarray(0, filled) };
    }
  } finally {
    taken?.[Symbol.dispose]();
  }
}

/**
 * Makes an object of parts: all of it, or none.
 *
 * @param check called before the object is there.
 * @throws AwsError; what `pieces` and `check` throw.
 */
export async function sendParts(
  pieces: AsyncIterable<Lent>,
  place: ObjectPlace,
  check: () => void,
  { s3, force, left, metadata }: Pick<Sending, "s3" | "force" | "left" | "metadata">,
  onPart: (bytes: number) => void,
): Promise<void> {
  const upload = await s3.createUpload(place, force, left, metadata);
  const parts: Promise<UploadedPart>[] = [];
  const failure = new AbortController();
  let size = 0;
  try {
    for await (const taken of pieces) {
      if (failure.signal.aborted) {
        taken[Symbol.dispose]();
        break;
      }
      const { length } = taken.bytes;
      size += length;
      const part = s3.uploadPart(upload, parts.length + 1, taken.bytes)
        .then((uploaded) => (onPart(length), uploaded))
        .finally(() => taken[Symbol.dispose]());
      parts.push(part);
      part.catch((error) => failure.abort(error));
    }
    const uploaded = await Promise.all(parts);
    check();
    await s3.completeUpload(upload, uploaded, size);
  } catch (error) {
    // Parts in flight would arrive after the upload is aborted.
    await Promise.allSettled(parts);
    await s3.abortUpload(upload, force).catch(() => left.notAborted(upload));
    throw error;
  }
}

export type Warn = (message: string, hint: string) => void;

/** Warnings about parts that belong to no object. */
export function leftPartsWarnings(warn: Warn): LeftParts {
  return {
    notAborted: (upload) =>
      warn(
        `Cannot remove the parts of the unfinished upload of ${s3Uri(upload)}`,
        `S3 bills these parts. Remove them: ${removal(upload)}`,
      ),
    earlier: (upload) =>
      warn(
        `S3 still has parts of an unfinished upload of ${s3Uri(upload)}, started ${timeOf(upload)}`,
        `S3 bills these parts. If the upload is no longer running, remove them: ${removal(upload)}`,
      ),
    unknown: (place) =>
      warn(
        `Cannot determine whether S3 started an upload of ${s3Uri(place)}`,
        `List unfinished uploads: aws s3api list-multipart-uploads ${placeOf(place, "--prefix")}`,
      ),
  };
}

function removal(upload: Upload): string {
  return `aws s3api abort-multipart-upload ${placeOf(upload, "--key")} ` +
    `--upload-id ${shellWord(upload.id)}`;
}

function placeOf({ bucket, key }: ObjectPlace, option: string): string {
  return `--bucket ${bucket} ${option} ${shellWord(key)}`;
}

/** To the second, as the service counts: `2026-03-01T09:30:00Z`. */
function timeOf({ begun }: OpenUpload): string {
  return begun.toISOString().replace(/\.\d+/, "");
}

/** A buffer that is lent until it is disposed of. */
export type Lent = Disposable & { readonly bytes: Uint8Array };

/** Buffers of this size (bytes) or more are reused. */
const REUSED = 1024 ** 2;

/** The most bytes in memory while they are sent. */
export const IN_FLIGHT = 32 * 1024 ** 2;

/**
 * Limits how many bytes are in memory at the same time. Large buffers are reused: until they are garbage
 * collected, several times as much would be in use.
 */
export class Budget {
  #left: number;
  readonly #free: ArrayBuffer[] = [];
  readonly #waiting: { readonly size: number; readonly go: () => void }[] = [];

  /** @param most bytes that are in use at the same time. */
  constructor(private readonly most: number) {
    this.#left = most;
  }

  /**
   * Waits for its turn, and lends a buffer until it is disposed of. A request for more than the limit
   * waits until nothing else is in use.
   */
  async take(size: number): Promise<Lent> {
    const taken = Math.min(size, this.most);
    if (this.#waiting.length > 0 || this.#left < taken) {
      await new Promise<void>((go) => this.#waiting.push({ size: taken, go }));
    } else this.#left -= taken;
    const buffer = this.#buffer(size);
    let isTaken = true;
    return {
      bytes: new Uint8Array(buffer, 0, size),
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        if (size >= REUSED) this.#free.push(buffer);
        this.#give(taken);
      },
    };
  }

  /** A free buffer that is large enough, or a new one. */
  #buffer(size: number): ArrayBuffer {
    if (size < REUSED) return new ArrayBuffer(size);
    const index = this.#free.findIndex(({ byteLength }) => byteLength >= size);
    if (index >= 0) return this.#free.splice(index, 1)[0]!;
    // One of another size is dropped, so that all together stay below twice the limit.
    this.#free.shift();
    return new ArrayBuffer(size);
  }

  #give(size: number): void {
    this.#left += size;
    for (let next = this.#waiting[0]; next && next.size <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.size;
      next.go();
    }
  }
}
