/** Passing bytes through a transformation of Node's, such as a compression. */

import { messageOf } from "../errors.ts";

export interface Transformation extends AsyncIterable<Uint8Array> {
  readonly destroyed: boolean;
  write(bytes: Uint8Array, taken: () => void): unknown;
  end(): unknown;
  destroy(error?: Error): unknown;
  on(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/**
 * The transformed bytes, as fast as they are read. An error of the source is passed on. (Not by Node's
 * `pipeline`: a Gunzip ends early where padding follows the data, which `pipeline` takes for a failure.)
 */
export async function* passedThrough(
  transformation: Transformation,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const filling = fill(transformation, source)
    .catch((error) => void transformation.destroy(asError(error)));
  try {
    for await (const bytes of transformation) yield bytes;
  } finally {
    transformation.destroy();
    await filling;
  }
}

/**
 * One piece at a time, and the end separately: Node's zlib compresses the same bytes differently
 * where it learns of the end together with the last piece, which would depend on timing.
 */
async function fill(
  transformation: Transformation,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const bytes of source) {
    if (transformation.destroyed) return;
    await take(transformation, bytes);
  }
  transformation.end();
}

/** Returns once the bytes are taken, or the stream is closed. */
async function take(transformation: Transformation, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      transformation.off("close", go);
      resolve();
    };
    transformation.on("close", go);
    transformation.write(bytes, go);
  });
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}

interface Sink {
  on(event: "drain" | "close", listener: () => void): unknown;
  off(event: "drain" | "close", listener: () => void): unknown;
}

/** Waits until a stream takes more, or is closed. (A stream that is closed already sends no event.) */
export async function takesMore(sink: Sink): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      sink.off("drain", go);
      sink.off("close", go);
      resolve();
    };
    sink.on("drain", go);
    sink.on("close", go);
  });
}
