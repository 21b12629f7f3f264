/**
 * What this program was made from. `deno task compile` puts another module in place of this one.
 */

/** The commit that the program was compiled from; `undefined` when it runs from source. */
export const COMMIT: string | undefined = undefined;
