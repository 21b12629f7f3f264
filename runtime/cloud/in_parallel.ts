/** How many requests to describe endpoints are sent at once. */
export const REQUESTS_AT_ONCE = 8;

/**
 * Does the work for every item, at most `limit` at once. Items are taken one by one, so that a long
 * source needs no memory. After a failure no more work is begun, and the first failure is thrown once
 * all work has ended.
 */
export async function inParallel<T>(
  source: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const items = Symbol.asyncIterator in source
    ? source[Symbol.asyncIterator]()
    : source[Symbol.iterator]();
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

/** Writes a line about what could not be checked. */
export type Note = (text: string) => void;

/**
 * Does all work at once, but gives notes and results in order, so that the same mistakes always give the
 * same output. The first failure is thrown once all work has ended.
 */
export async function inOrder<Results extends readonly unknown[]>(
  note: Note,
  ...work: { readonly [K in keyof Results]: (note: Note) => Promise<Results[K]> }
): Promise<Results> {
  const begun = work.map((one) => {
    const notes: string[] = [];
    return { notes, end: Promise.allSettled([one((text) => notes.push(text))]) };
  });
  await Promise.all(begun.map(({ end }) => end));
  const results: unknown[] = [];
  for (const { notes, end } of begun) {
    const [result] = await end;
    for (const text of notes) note(text);
    if (result.status === "rejected") throw result.reason;
    results.push(result.value);
  }
  return results as unknown as Results;
}
