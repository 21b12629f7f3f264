/**
 * The exit status of a container's program in words.
 *
 * @module
 */

/** Signals that end programs, by number: the same on every Linux that an engine runs on. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL, an illegal instruction",
  6: "SIGABRT, an abort",
  7: "SIGBUS, a bus error",
  8: "SIGFPE, an arithmetic error",
  9: "SIGKILL",
  11: "SIGSEGV, a segmentation fault",
  13: "SIGPIPE",
  15: "SIGTERM",
};

/**
 * `exit status 137 (ended by SIGKILL; it ran out of memory)`
 *
 * @param status 0 to 255; 128 and more mean a signal, as shells count.
 */
export function statusInWords(status: number, outOfMemory: boolean): string {
  const signal = SIGNALS[status - 128];
  const meanings = [
    signal ? `ended by ${signal}` : "",
    status === 126 ? "the command cannot be executed" : "",
    status === 127 ? "the command was not found" : "",
    outOfMemory ? "it ran out of memory" : "",
  ].filter((meaning) => meaning !== "");
  return `exit status ${status}${meanings.length > 0 ? ` (${meanings.join("; ")})` : ""}`;
}
