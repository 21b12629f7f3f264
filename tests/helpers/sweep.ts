/** Sweeps: tests of all combinations of something, of which each starts a program. */

/** Whether all rows of a sweep run: `deno task test --all`. */
export const WHOLE = Deno.env.get("MLCLI_TEST_SWEEPS") === "whole";

/** Without `--all`, one row in so many runs. */
const SHARE = 40;

/** Selects the rows of another day, to retry them: a whole number. */
const SEED = Number(Deno.env.get("MLCLI_TEST_SEED") ?? Math.floor(Date.now() / 86_400_000));

/**
 * Tells whether a row runs: with `--all` each row does, otherwise one in 40, which changes daily.
 *
 * @param row number of the row in the sweep.
 * @param share one row of so many.
 */
export function isInSample(row: number, share = SHARE): boolean {
  return WHOLE || (row + SEED) % share === 0;
}
