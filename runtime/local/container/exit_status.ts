/**
 * The exit status of a container's program in words.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";

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

/** 128 and the signal's number. */
const SIGKILL_STATUS = 137;

/** How a container's program ended. */
export interface End {
  /** `exit status 137 (ended by SIGKILL; it ran out of memory)` */
  readonly words: string;
  /** What to do about it, where the end alone says that. */
  readonly hint: string | undefined;
}

/** How a container's program ended, and whether for want of memory, as far as the engine knows. */
export async function endInWords(engine: Engine, id: string, status: number): Promise<End> {
  // Not known is not worth hiding the exit status for.
  const outOfMemory = status !== 0 && await engine.ranOutOfMemory(id).catch(() => false);
  return { words: statusInWords(status, outOfMemory), hint: memoryHint(status, outOfMemory) };
}

/** Not every engine says why it was SIGKILL: Podman 4.3.1 does not. */
function memoryHint(status: number, outOfMemory: boolean): string | undefined {
  const remedy = "Use less memory (smaller batches, fewer workers), or allow more with --memory.";
  if (outOfMemory) return remedy;
  return status === SIGKILL_STATUS
    ? `If nobody killed it, it ran out of memory. ${remedy}`
    : undefined;
}

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
