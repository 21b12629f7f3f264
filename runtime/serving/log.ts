/** The log of a server's container, which `local logs` and reports of crashed servers read. */

import type { CreateBody, Engine } from "../docker/engine.ts";

/**
 * Log drivers that keep logs where the engine can read them. Other drivers send logs elsewhere, and
 * their `cache-disabled` option makes them unreadable; `none` keeps no log.
 *
 * Source: https://docs.docker.com/engine/logging/dual-logging/
 */
const READABLE: readonly string[] = ["json-file", "local", "journald"];

/** At most 100 MB, as much as the `local` driver keeps. `local` itself is unknown to Podman. */
const BOUNDED = { Type: "json-file", Config: { "max-size": "20m", "max-file": "5" } } as const;

/** Podman's default might be journald, which a machine without a journal cannot read. */
const PODMANS = { Type: "json-file" } as const;

/**
 * Returns the container of a server with a log that the engine can read. Asks only for `GET /info`,
 * which the engine's client remembers.
 */
export async function withReadableLog<Body extends Pick<CreateBody, "HostConfig">>(
  body: Body,
  engine: Pick<Engine, "info" | "inStudio" | "isPodman">,
): Promise<Body> {
  const log = await readableLog(engine);
  return log === undefined ? body : { ...body, HostConfig: { ...body.HostConfig, LogConfig: log } };
}

async function readableLog(
  engine: Pick<Engine, "info" | "inStudio" | "isPodman">,
): Promise<CreateBody["HostConfig"]["LogConfig"]> {
  // Podman's `GET /info` names no driver.
  if (engine.isPodman) return PODMANS;
  // AWS configures the engine of Studio, and its filter might refuse the question.
  if (engine.inStudio) return undefined;
  const { LoggingDriver } = await engine.info();
  return LoggingDriver === undefined || READABLE.includes(LoggingDriver) ? undefined : BOUNDED;
}
