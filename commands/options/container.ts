/** The options of the commands that start containers, and their parsers. */

import { parseChannel } from "../../runtime/contract/channels.ts";
import type { Gpus } from "../../runtime/contract/jobs.ts";
import { parseData, type PlacedData, type Side } from "../../runtime/contract/processing_data.ts";
import { givenVariable } from "../../runtime/contract/variables.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { PublishedPort } from "../../runtime/serving/plan.ts";
import { options, type Parser } from "./option.ts";
import { parseTimeLimit } from "./parsers.ts";
import { appName, dockerTag, progressOptions } from "./shared.ts";

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Returns the bytes of `512m`, `2g` or `2GB`; `undefined` for another text. */
function sizeOf(text: string): number | undefined {
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)(?:([kmg])i?b?|b)?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * UNITS[unit.toLowerCase()]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The least that Docker takes: below it no container starts. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** A memory size as `docker run --memory` takes it (`512m`, `2g`), in bytes. */
export function parseMemory(text: string, source: string): number {
  const bytes = sizeOf(text);
  if (bytes !== undefined && bytes >= LEAST_MEMORY) return bytes;
  throw new UsageError(`${source} must be a size of 6m or more, such as 2g, but got "${text}"`);
}

/** A size of shared memory as `docker run --shm-size` takes it (`64m`, `8g`), in bytes. */
export function parseSharedMemory(text: string, source: string): number {
  const bytes = sizeOf(text);
  // To the engine, 0 is its own default.
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new UsageError(`${source} must be a size such as 512m or 8g, but got "${text}"`);
}

/** The engine takes no less. */
const LEAST_CPUS = 0.01;

/** More than any machine has; the engine knows how many there are. */
const MOST_CPUS = 100_000;

export function parseCpus(text: string, source: string): number {
  const cpus = Number(text);
  if (/^\d+(\.\d{1,9})?$/.test(text) && cpus >= LEAST_CPUS && cpus <= MOST_CPUS) return cpus;
  throw new UsageError(`${source} must be a number of CPUs, such as 2 or 1.5, but got "${text}"`);
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
    `${source} must be all, a number of GPUs, or devices such as device=0,1, but got "${text}"`,
  );
}

/** `bridge`, `host`, `none`, or the name of a network, by Docker's rule for names. */
export function parseNetwork(text: string, source: string): string {
  if (/^[A-Za-z\d][\w.-]*$/.test(text)) return text;
  throw new UsageError(
    `${source} must be bridge, host, none or the name of a Docker network, but got "${text}"`,
  );
}

/** What the container may take of this machine; keys of the object `local` in the configuration file. */
const resourceOptions = options({
  "--memory": {
    group: "Resources",
    value: "size",
    description: "Memory limit, such as 512m or 2g (default: no limit)",
    variable: "MLCLI_MEMORY",
    key: true,
    parse: parseMemory,
  },
  "--cpus": {
    group: "Resources",
    rare: true,
    value: "number",
    description: "CPU limit, such as 2 or 1.5 (default: no limit)",
    variable: "MLCLI_CPUS",
    key: true,
    parse: parseCpus,
  },
  "--shm-size": {
    group: "Resources",
    rare: true,
    value: "size",
    description: "Size of /dev/shm, which data loaders use (default: 2g)",
    variable: "MLCLI_SHM_SIZE",
    key: true,
    parse: parseSharedMemory,
  },
  "--gpus": {
    group: "Resources",
    value: "gpus",
    description: "GPUs to use: all, a number of GPUs, or IDs such as device=0,1 (default: none)",
    variable: "MLCLI_GPUS",
    key: true,
    parse: parseGpus,
  },
  "--network": {
    group: "Container",
    rare: true,
    value: "network",
    description: "Docker network of the container: host, none or the name of a network (default: " +
      "bridge)",
    key: true,
    completion: "network",
    parse: parseNetwork,
  },
});

/** `named_files.ts` reads the files. */
export const variableOptions = options({
  "--env": {
    value: "name[=value]",
    description:
      "Environment variable for your code; without =VALUE, mlcli copies the value from " +
      "your shell (repeatable)",
    repeatable: true,
    parse: givenVariable,
  },
  "--env-file": {
    rare: true,
    value: "file",
    description: "File of environment variables, one NAME=VALUE per line (repeatable)",
    repeatable: true,
    path: "typed",
  },
});

/** Only typed, so that a repository can't choose whose credentials its code gets. */
const awsCredentialsOption = options({
  "--aws-credentials": {
    group: "Container",
    rare: true,
    value: "profile",
    description: "AWS profile whose credentials and region your code can use (default: none)",
    completion: "profile",
  },
});

/** A channel that the user names, with its directory as typed. */
export interface TypedChannel {
  readonly name: string;
  readonly directory: string;
}

export function parseInput(text: string, source: string): TypedChannel {
  const channel = parseChannel(text);
  requireNoAddress(channel?.directory ?? text, source);
  if (channel !== undefined) return channel;
  throw new UsageError(
    `${source} must be CHANNEL=DIR, such as training=/data/churn (CHANNEL: up to 64 letters, ` +
      `digits, ".", "_" and "-"), but got "${text}"`,
  );
}

/** @throws UsageError for what lies in S3. */
function requireNoAddress(place: string, source: string): void {
  if (!/^s3:\/\//i.test(place)) return;
  throw new UsageError(`${source} must be a local directory, but got "${place}"`, {
    hint: "Run on SageMaker (mlcli train, mlcli process), or copy the data to this machine: " +
      "aws s3 cp --recursive S3_URI DIR",
  });
}

/** `DIR`, or `NAME=DIR` at `/opt/ml/processing/input/NAME`, or `NAME:PATH=DIR`. */
export function parseDirectory(side: Side): Parser<PlacedData<string | undefined>> {
  return (text, source) => {
    const data = parseData(text, side, source);
    requireNoAddress(data.place ?? "", source);
    if (data.place !== "") return data;
    throw new UsageError(`${source} must end with a directory, as in NAME=DIR, but got "${text}"`);
  };
}

/** Reads `5678`, or `5679:5678` for port 5679 of this machine, as `docker run --publish` does. */
function parsePublished(text: string, source: string): PublishedPort {
  const [container, host = container, ...more] = text.split(":").reverse();
  const isPort = (text: string | undefined): boolean =>
    /^\d{1,5}$/.test(text ?? "") && Number(text) > 0 && Number(text) <= 65_535;
  if (isPort(container) && isPort(host) && more.length === 0) {
    return { container: Number(container), host: Number(host) };
  }
  throw new UsageError(
    `${source} must be [HOST_PORT:]PORT, such as 5678 or 5679:5678, but got "${text}"`,
    { hint: more.length > 0 ? "Remove the address: it is always 127.0.0.1" : undefined },
  );
}

/** The option of commands whose containers a debugger can reach. */
export const publishOption = options({
  "--publish": {
    group: "Container",
    rare: true,
    value: "[host_port:]port",
    description: "Publish a container port on 127.0.0.1, for example for a debugger (repeatable)",
    repeatable: true,
    parse: parsePublished,
  },
});

/** Of every command that starts a container. */
export const containerOptions = options({
  ...dockerTag,
  ...appName,
  ...variableOptions,
  ...awsCredentialsOption,
  ...resourceOptions,
  ...progressOptions,
  "--allow-privileges": {
    group: "Container",
    rare: true,
    description: "Allow programs in the container to gain privileges, for example with sudo",
  },
  "--strict": {
    description: "Use only files and settings that SageMaker would provide, and fail if anything " +
      "would differ on SageMaker",
  },
});

/** Of `local train` and `local process`. */
export const jobOptions = options({
  ...containerOptions,
  "--interactive": {
    group: "Container",
    rare: true,
    description: "Connect your keyboard to the code, for example for breakpoint(); the code " +
      "receives Ctrl-C",
  },
  "--grace": {
    group: "Failure rehearsal",
    rare: true,
    value: "duration",
    description: "Time between SIGTERM and SIGKILL when mlcli stops the run (default: 10s, or 2m " +
      "with --strict)",
    variable: "MLCLI_GRACE",
    parse: parseTimeLimit,
  },
  ...publishOption,
  "--network-isolation": {
    group: "Container",
    rare: true,
    description: "Disable the network, except between the hosts of a run",
  },
});
