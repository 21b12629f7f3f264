/** The options of the commands that start containers, and their parsers. */

import { parseChannel } from "../../runtime/contract/channels.ts";
import type { Gpus } from "../../runtime/contract/jobs.ts";
import { parseData, type PlacedData, type Side } from "../../runtime/contract/processing_data.ts";
import { givenVariable } from "../../runtime/contract/variables.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import type { PublishedPort } from "../../runtime/serving/plan.ts";
import { each, options, type Parser } from "./option.ts";
import { inRange, matching, parsed, parseTimeLimit } from "./parsers.ts";
import { appName, dockerTag, progressOptions } from "./shared.ts";

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Returns the bytes of `512m`, `2g` or `2GB`; `undefined` for another text. */
function sizeOf(text: string): number | undefined {
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)(?:([kmg])i?b?|b)?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * UNITS[unit.toLowerCase()]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Docker's minimum. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** Like `docker run --memory`: `512m`, `2g`. */
export const parseMemory: Parser<number> = inRange(
  LEAST_MEMORY,
  undefined,
  sizeOf,
  "a size of 6m or more, such as 2g",
);

/** Like `docker run --shm-size`, but without 0, which means Docker's default. */
export const parseSharedMemory: Parser<number> = inRange(
  1,
  undefined,
  sizeOf,
  "a size such as 512m or 8g",
);

/** The engine takes no less. */
const LEAST_CPUS = 0.01;

/** More than any machine has; the engine knows how many there are. */
const MOST_CPUS = 100_000;

export const parseCpus: Parser<number> = inRange(
  LEAST_CPUS,
  MOST_CPUS,
  /^\d+(\.\d{1,9})?$/,
  "a number of CPUs, such as 2 or 1.5",
);

/** An id that NVIDIA's tools list (`GPU-...`, `MIG-...`), or a number of theirs. */
const GPU = /^\w[\w:.-]*$/;

/**
 * GPUs as `docker run --gpus` takes them: `all`, a number, `device=0,1`; also with the quotes that
 * docker wants around several devices.
 */
export const parseGpus: Parser<Gpus> = parsed((text) => {
  if (text === "all") return text;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  const devices = /^("?)device=(.+)\1$/.exec(text)?.[2]?.split(",");
  return devices?.every((device) => GPU.test(device)) ? devices : undefined;
}, "all, a number of GPUs, or devices such as device=0,1");

export const parseNetwork: Parser<string> = matching(
  /^[A-Za-z\d][\w.-]*$/,
  "bridge, host, none or the name of a Docker network",
);

/**
 * Requires a network that the configuration file can choose: the user's own services are reachable on
 * the others.
 */
function requireOwnNetwork(network: string, source: string): void {
  if (network === "bridge" || network === "none") return;
  throw new MlcliError(`${source} must be bridge or none, not "${network}"`, {
    hint: `To allow this network, set it on the command line: --network ${network}`,
  });
}

/** What the container may take of this machine; keys of the object `local` in the configuration file. */
const resourceOptions = options({
  ...each({ group: "Resources", key: "local" }, {
    "--memory SIZE": {
      description: "Memory limit, such as 512m or 2g (default: no limit)",
      variable: "MLCLI_MEMORY",
      parse: parseMemory,
    },
    "--cpus NUMBER": {
      rare: true,
      description: "CPU limit, such as 2 or 1.5 (default: no limit)",
      variable: "MLCLI_CPUS",
      parse: parseCpus,
    },
    "--shm-size SIZE": {
      rare: true,
      description: "Size of /dev/shm, which data loaders use (default: 2g)",
      variable: "MLCLI_SHM_SIZE",
      parse: parseSharedMemory,
    },
    "--gpus GPUS": {
      description: "GPUs to use: all, a number of GPUs, or IDs such as device=0,1 (default: none)",
      variable: "MLCLI_GPUS",
      parse: parseGpus,
    },
  }),
  "--network NETWORK": {
    group: "Container",
    rare: true,
    description: "Docker network of the container: host, none or the name of a network (default: " +
      "bridge)",
    key: "local",
    completion: "network",
    parse: parseNetwork,
    trust: requireOwnNetwork,
  },
});

/** `named_files.ts` reads the files. */
export const variableOptions = options({
  "--env NAME[=VALUE]...": {
    description:
      "Environment variable for your code; without =VALUE, mlcli copies the value from " +
      "your shell (repeatable)",
    traced: true,
    parse: givenVariable,
  },
  "--env-file FILE...": {
    rare: true,
    description: "File of environment variables, one NAME=VALUE per line (repeatable)",
    path: "typed",
  },
});

/** Only typed, so that a repository can't choose whose credentials its code gets. */
const awsCredentialsOption = options({
  "--aws-credentials PROFILE": {
    group: "Container",
    rare: true,
    description: "AWS profile whose credentials and region your code can use (default: none)",
    completion: "profile",
    excludes: ["--strict"],
    hint: "Remove one of them: on SageMaker, code has the credentials of the execution role",
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
  "--publish [HOST_PORT:]PORT...": {
    group: "Container",
    rare: true,
    description: "Publish a container port on 127.0.0.1, for example for a debugger (repeatable)",
    excludes: ["--strict", "--instance-count"],
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
  "--copy-inputs": {
    group: "Container",
    rare: true,
    description: "Give the code a writable copy of the data",
  },
  ...containerOptions,
  "--interactive": {
    group: "Container",
    rare: true,
    description: "Connect your keyboard to the code, for example for breakpoint(); the code " +
      "receives Ctrl-C",
    excludes: ["--instance-count"],
  },
  "--grace DURATION": {
    group: "Failure rehearsal",
    rare: true,
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
    excludes: ["--network"],
    hint: "Remove one of them: --network-isolation means --network none",
  },
});
