/**
 * What the options take that limit a container, and give it parts of this machine: as `docker run`
 * has them.
 *
 * @module
 */

import type { Gpus } from "../../runtime/contract/jobs.ts";
import { UsageError } from "../../runtime/errors.ts";

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A size (`512m`, `2g`) in bytes; `undefined` for what is none. */
function sizeOf(text: string): number | undefined {
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)([bkmg])?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * UNITS[unit.toLowerCase()]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The least that Docker takes: below it no container starts. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** A memory size as `docker run --memory` takes it (`512m`, `2g`), in bytes. */
export function parseMemory(text: string, source: string): number {
  const bytes = sizeOf(text);
  if (bytes !== undefined && bytes >= LEAST_MEMORY) return bytes;
  throw new UsageError(
    `${source} must be a size of 6m or more like 512m or 2g, but got "${text}".`,
  );
}

/** A size of shared memory as `docker run --shm-size` takes it (`64m`, `8g`), in bytes. */
export function parseSharedMemory(text: string, source: string): number {
  const bytes = sizeOf(text);
  // To the engine, 0 is its own default.
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new UsageError(`${source} must be a size like 512m or 8g, but got "${text}".`);
}

/** The engine counts in billionths, and takes no less than a hundredth. */
const LEAST_CPUS = 0.01;

/** More than any machine has; the engine knows how many there are. */
const MOST_CPUS = 100_000;

/** A number of processors, such as `1.5`. */
export function parseCpus(text: string, source: string): number {
  const cpus = Number(text);
  if (/^\d+(\.\d{1,9})?$/.test(text) && cpus >= LEAST_CPUS && cpus <= MOST_CPUS) return cpus;
  throw new UsageError(
    `${source} must be a number of CPUs like 2 or 1.5, but got "${text}".`,
  );
}

/** An id that NVIDIA's tools list (`GPU-...`, `MIG-...`), or a number of theirs. */
const GPU = /^\w[\w:.-]*$/;

/**
 * GPUs as `docker run --gpus` takes them: `all`, a number, `device=0,1`; also with the quotes that
 * docker wants around several devices.
 */
export function parseGpus(text: string, source: string): Gpus {
  if (text === "all") return text;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  const devices = /^("?)device=(.+)\1$/.exec(text)?.[2]?.split(",");
  if (devices?.every((device) => GPU.test(device))) return devices;
  throw new UsageError(
    `${source} must be all, a number of GPUs, or devices like device=0,1, but got "${text}".`,
  );
}

/** `bridge`, `host`, `none`, or the name of a network, by Docker's rule for names. */
export function parseNetwork(text: string, source: string): string {
  if (/^[A-Za-z\d][\w.-]*$/.test(text)) return text;
  throw new UsageError(
    `${source} must be bridge, host, none or the name of a network, but got "${text}".`,
  );
}
