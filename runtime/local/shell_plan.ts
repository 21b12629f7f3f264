/**
 * The container of `local shell`: that of a job or a server, with another program.
 *
 * @module
 */

import { PATHS } from "../contract/jobs.ts";
import type { CreateBody } from "../docker/engine.ts";
import { NO_LOG } from "./container/body.ts";

/** The better one of two shells, the second of which every image has that has one at all. */
const ANY_SHELL = [
  "/bin/sh",
  "-c",
  "if command -v bash > /dev/null 2>&1; then exec bash; else exec sh; fi",
] as const;

/**
 * The same container with a program of its own, at whose end it is gone.
 *
 * @param command the program and its arguments; empty: a shell.
 */
export function shellPlan(body: CreateBody, command: readonly string[]): CreateBody {
  const { HostConfig } = body;
  const [program, ...words] = command.length === 0 ? ANY_SHELL : command;
  const hasCode = HostConfig.Mounts.some(({ Target }) => Target === PATHS.code);
  return {
    ...body,
    Entrypoint: [program!],
    Cmd: words,
    // Where the harness runs the code, too.
    ...(hasCode ? { WorkingDir: PATHS.code } : {}),
    HostConfig: { ...HostConfig, AutoRemove: true, LogConfig: NO_LOG },
  };
}
