/**
 * Sweeps: rows that are all combinations of something, of which each takes a start of the program.
 */

/** What share of a sweep is tested by day, where it does not say otherwise: one row of so many. */
const SHARE = 10;

/** Names another day's rows, to try them again: a whole number. */
const SEED = Number(Deno.env.get("MLCLI_TEST_SEED") ?? Math.floor(Date.now() / 86_400_000));

/**
 * The rows to test: a tenth, others each day; all of them with `MLCLI_TEST_ALL=1`, as
 * `deno task test:all` sets it.
 *
 * @param row number of the row in the sweep.
 * @param share one row of so many.
 */
export function isInSample(row: number, share = SHARE): boolean {
  return Deno.env.get("MLCLI_TEST_ALL") === "1" || (row + SEED) % share === 0;
}
