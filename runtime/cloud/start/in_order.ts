/**
 * Several questions at once, and what comes of them in their order.
 *
 * @module
 */

/** Writes a line about what could not be checked. */
export type Note = (text: string) => void;

/**
 * Does all of it at once, and tells what comes of it in order, so that the same mistakes always lead
 * to the same words. When all has ended, the first failure is thrown: nothing goes on behind it.
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
