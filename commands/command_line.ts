/**
 * What is read from a command line before Cliffy reads it.
 *
 * @module
 */

/**
 * The option that refuses colour. The streams have to know before there is a tree of commands, and
 * Cliffy would let it stand neither beside `--help` nor before `completions`.
 */
export const NO_COLOUR = "--no-color";
