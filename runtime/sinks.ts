/**
 * Streams of Node's kind that are written to piece by piece: Node's own, and those of `tar-stream`.
 *
 * @module
 */

/** What of a stream is needed to wait for it. */
interface Sink {
  on(event: "drain" | "close", listener: () => void): unknown;
  off(event: "drain" | "close", listener: () => void): unknown;
}

/** Waits until a stream takes more, or is closed. One that is closed already says so no more. */
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
