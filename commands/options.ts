/**
 * Option values that Cliffy cannot check: its `integer` takes any, and 0x1F90 too.
 *
 * @module
 */

import { ValidationError } from "@cliffy/command";

/** A port, 0 to 65535. */
export function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ValidationError(`Option "--port" must be a number from 0 to 65535, but got "${port}".`);
}

/** A time in whole seconds, 1 or more. */
export function checkSeconds(option: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new ValidationError(
    `Option "${option}" must be a number of seconds, but got "${seconds}".`,
  );
}

/** How much of a log: a number of lines, or `all`. */
export function parseTail(text: string): number | "all" {
  if (text === "all") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ValidationError(
    `Option "--tail" must be a number of lines or all, but got "${text}".`,
  );
}

/** An image tag, by the rule of Docker's reference grammar. */
export function checkTag(tag: string): string {
  if (/^\w[\w.-]{0,127}$/.test(tag)) return tag;
  throw new ValidationError(
    `Option "--docker-tag" must be an image tag (letters, digits, "_", ".", "-"), but got "${tag}".`,
  );
}

const MEMORY_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
};

/** Docker refuses less: it needs this much to start a container at all. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** A memory size as `docker run --memory` takes it (`512m`, `2g`), in bytes. */
export function parseMemory(text: string): number {
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)([bkmg])?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (MEMORY_UNITS[unit.toLowerCase()] ?? NaN));
  if (bytes >= LEAST_MEMORY) return bytes;
  throw new ValidationError(
    `Option "--memory" must be a size of 6m or more like 512m or 2g, but got "${text}".`,
  );
}
