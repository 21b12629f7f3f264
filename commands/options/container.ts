/**
 * The options of every command that starts a container.
 *
 * @module
 */

import { appName, dockerTag } from "./app.ts";
import { options } from "./option.ts";
import { parseSeconds } from "./parsers.ts";
import {
  parseCpus,
  parseGpus,
  parseMemory,
  parseNetwork,
  parseSharedMemory,
} from "./resource_parsers.ts";
import { variableOptions } from "./variables.ts";

/** What the container may take of this machine; the object `local` of the configuration file has it too. */
const resourceOptions = options({
  "--memory": {
    value: "size",
    description: "Memory limit, such as 512m or 2g.",
    key: true,
    parse: parseMemory,
  },
  "--cpus": {
    value: "number",
    description: "CPU limit, such as 2 or 1.5.",
    key: true,
    parse: parseCpus,
  },
  "--shm-size": {
    value: "size",
    description: "Size of /dev/shm, which data loaders use. Default: 2g.",
    key: true,
    parse: parseSharedMemory,
  },
  "--gpus": {
    value: "number",
    description: "GPUs to use: all, a number, or device=0,1. Default: none.",
    key: true,
    parse: parseGpus,
  },
  "--network": {
    value: "network",
    description:
      "Docker network to join, such as that of a database's container; or host, or none.",
    key: true,
    completion: "network",
    parse: parseNetwork,
  },
});

/** Which image the container is made of, what it may do, and what its code is told. */
export const containerOptions = options({
  ...dockerTag,
  ...appName,
  ...variableOptions,
  ...resourceOptions,
  "--allow-privileges": {
    description: "Let programs in the container gain privileges, as sudo does.",
  },
  "--strict": {
    description: "Give it only what SageMaker gives, and fail if something would differ there.",
  },
});

/** The same, of a job that runs to its end. */
export const jobOptions = options({
  ...containerOptions,
  "--interactive": {
    short: "-i",
    description:
      "Let the code read what is typed, as breakpoint() does. Ctrl-C then goes to the code.",
  },
  "--grace": {
    value: "seconds",
    description: "Time between SIGTERM and SIGKILL when stopped. Default: 10, with --strict 120.",
    parse: parseSeconds,
  },
  "--network-isolation": {
    description: "Run without a network, as SageMaker does if asked to.",
  },
});
