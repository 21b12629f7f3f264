/**
 * Checks of the Docker Engine.
 *
 * @module
 */

import { statfs } from "node:fs/promises";
import type { Engine, EngineVersion } from "../docker/engine.ts";
import {
  type EngineInfo,
  isRootless,
  remapsUsers,
  unlimitedBy,
  usesSelinux,
} from "../docker/engine_info.ts";
import { messageOf } from "../errors.ts";
import type { Check } from "./check.ts";

/** The oldest engine that mlcli is tested with: Docker 20.10, API 1.41. */
const OLDEST_API = 41;

/** Free bytes below which a build will hardly work: a slim Python image and packages take more. */
const LEAST_ROOM = 500e6;

/** Free bytes below which the larger frameworks will not fit: images of PyTorch take 5 GB. */
const LITTLE_ROOM = 5e9;

const GIGABYTE = 1e9;

/** What the engine is, and whether its disk has room. */
export async function engineChecks(
  engine: Engine,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const [info, version] = await Promise.all([engine.info(signal), engine.version(signal)]);
  return [
    versionCheck(engine, version),
    await usersCheck(engine, info),
    ...(usesSelinux(info) ? [SELINUX] : []),
    ...limitsCheck(info),
    await diskCheck(engine, info),
  ];
}

function versionCheck({ address, rule }: Engine, { Version, ApiVersion }: EngineVersion): Check {
  const message = `Engine ${Version} (API ${ApiVersion}) at ${address} (${rule})`;
  const [major = 0, minor = 0] = ApiVersion.split(".").map(Number);
  if (major > 1 || minor >= OLDEST_API) return { name: "engine", status: "ok", message };
  return {
    name: "engine",
    status: "problem",
    message: `${message} is too old`,
    hint: "mlcli needs Docker 20.10 (API 1.41) or later: update the engine.",
  };
}

/** All of them work; which one it is explains who owns files, and why a low port is refused. */
async function usersCheck(engine: Engine, info: EngineInfo): Promise<Check> {
  const name = "rootless";
  if (remapsUsers(info)) {
    return {
      name,
      status: "ok",
      message: "The engine has a user namespace (userns-remap); containers that mount what is " +
        "yours run outside of it, as docker run --userns=host does",
    };
  }
  if (!isRootless(info)) {
    const message = "The engine runs as root; what containers write is handed to you afterwards";
    return { name, status: "ok", message };
  }
  const uid = await ownerOf(engine);
  if (uid === undefined || uid === Deno.uid()) {
    return { name, status: "ok", message: "The engine is rootless: root in a container is you" };
  }
  return {
    name,
    status: "warning",
    message: `The engine is rootless, and another user's: root in a container is user ${uid}, ` +
      "who may read and write only what you let others",
    hint: "Use an engine of your own (DOCKER_HOST names one), or run mlcli as that user.",
  };
}

/** Who runs an engine on this machine: the owner of its socket. */
async function ownerOf({ address }: Engine): Promise<number | undefined> {
  if (Deno.build.os !== "linux" || !address.startsWith("unix://")) return undefined;
  const socket = await Deno.stat(address.slice("unix://".length)).catch(() => undefined);
  return socket?.uid ?? undefined;
}

const SELINUX: Check = {
  name: "selinux",
  status: "ok",
  message: "The engine uses SELinux; containers that mount what is yours run without its label " +
    "(label=disable)",
};

/** Nothing is said where it can do all. */
function limitsCheck(info: EngineInfo): readonly Check[] {
  const missing = unlimitedBy(info).map((limit) => limit === "cpus" ? "CPUs" : limit);
  if (missing.length === 0) return [];
  return [{
    name: "limits",
    status: "warning",
    message: `The engine cannot limit ${missing.join(", ")}: a run may take what the machine has`,
    hint:
      "A rootless engine needs cgroup v2, and its controllers memory, cpu and pids delegated to " +
      "you.",
  }];
}

async function diskCheck(engine: Engine, { Name, DockerRootDir }: EngineInfo): Promise<Check> {
  // The same path on another machine, a virtual one included, is another disk.
  const isHere = engine.address.startsWith("unix:") && Name === Deno.hostname();
  if (!isHere || DockerRootDir === undefined) {
    return {
      name: "disk",
      status: "unknown",
      message: "The engine's disk is not this machine's",
      hint: "docker system df shows what images take there.",
    };
  }
  try {
    const { bavail, bsize } = await statfs(DockerRootDir);
    return roomCheck(DockerRootDir, bavail * bsize);
  } catch (error) {
    return {
      name: "disk",
      status: "unknown",
      message: `The free space in ${DockerRootDir} is not known: ${messageOf(error)}`,
      hint: `df -h ${DockerRootDir} shows it.`,
    };
  }
}

/** What this number of free bytes means for builds. */
export function roomCheck(directory: string, free: number): Check {
  const message = `${(free / GIGABYTE).toFixed(1)} GB free in ${directory}`;
  const hint = "docker system prune removes what is not used.";
  if (free < LEAST_ROOM) return { name: "disk", status: "problem", message, hint };
  if (free < LITTLE_ROOM) return { name: "disk", status: "warning", message, hint };
  return { name: "disk", status: "ok", message };
}
