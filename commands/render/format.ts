/** Colours of text. */

export const green = (text: string): string => `\x1b[32m${text}\x1b[39m`;
export const yellow = (text: string): string => `\x1b[33m${text}\x1b[39m`;
export const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;
export const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;
export const dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;
