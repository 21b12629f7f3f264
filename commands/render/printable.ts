/**
 * Names that somebody else chose, in text for a terminal.
 *
 * @module
 */

/** Text without what a terminal would act upon, or what hides its order; lines stay lines. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
