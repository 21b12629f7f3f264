/**
 * Names that somebody else chose, in text for a terminal.
 *
 * @module
 */

/**
 * Text with `?` in place of what a terminal would obey, and of what hides or reorders letters. Lines
 * and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
