/**
 * Many requests, a few at once.
 *
 * @module
 */

/**
 * Does the work for every item, at most `limit` at once; an item is taken when there is room for
 * it, so that a source of any length needs no memory. After a failure nothing new is begun; when
 * all that runs has ended the first failure is thrown.
 */
export async function inParallel<T>(
  source: AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const items = source[Symbol.asyncIterator]();
  let failed = false;
  async function worker(): Promise<void> {
    try {
      while (!failed) {
        const next = await items.next();
        if (next.done) return;
        await work(next.value);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: limit }, worker));
  const failure = ends.find((end) => end.status === "rejected");
  if (failure) throw failure.reason;
}
