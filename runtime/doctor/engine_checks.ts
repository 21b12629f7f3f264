/**
 * Checks of the Docker Engine: of its disk, of the port that `local deploy` takes, and of SageMaker Studio,
 * where mlcli runs there.
 */

import { join } from "@std/path/join";
import { statfs } from "node:fs/promises";
import type { Context } from "../context.ts";
import { containerName, type Engine } from "../docker/engine.ts";
import {
  type EngineInfo,
  type EngineVersion,
  isRootless,
  remapsUsers,
  unlimitedBy,
  usesSelinux,
} from "../docker/engine_info.ts";
import { studioOf } from "../docker/locate.ts";
import { enablingHint, type Studio } from "../docker/studio.ts";
import { messageOf, MlcliError } from "../errors.ts";
import { managed } from "../local/container/managed.ts";
import { warning } from "../messages.ts";
import { type Check, ok } from "./check.ts";

/** The oldest engine that mlcli is tested with: Docker 20.10, API 1.41. */
const OLDEST_API = 41;

/** Free bytes below which a build will hardly work: a slim Python image and packages take more. */
const LEAST_ROOM = 500e6;

/** Free bytes below which the larger frameworks will not fit: images of PyTorch take 5 GB. */
const LITTLE_ROOM = 5e9;

const GIGABYTE = 1e9;

/** Checks the engine, and the free space on its disk. */
export async function engineChecks(
  engine: Engine,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const [info, version] = await Promise.all([engine.info(signal), engine.version(signal)]);
  return [
    { name: "engine", ...versionCheck(engine, version) },
    { name: "rootless", ...await usersCheck(engine, info) },
    ...(usesSelinux(info) ? [{ name: "selinux", ...SELINUX }] : []),
    ...limitsCheck(info),
    ...logCheck(info),
    { name: "disk", ...await diskCheck(engine, info) },
  ];
}

function versionCheck(
  { address, rule }: Engine,
  { Version, ApiVersion }: EngineVersion,
): Check {
  const message = `Engine ${Version} (API ${ApiVersion}) at ${address} (${rule})`;
  const [major = 0, minor = 0] = ApiVersion.split(".").map(Number);
  if (major > 1 || minor >= OLDEST_API) return ok(message);
  return {
    level: "error",
    message: `${message} is too old`,
    hint: "Update the engine: mlcli requires Docker 20.10 (API 1.41) or later",
  };
}

/** Engines of all kinds work; the kind explains who owns files, and why a low port is refused. */
async function usersCheck(engine: Engine, info: EngineInfo): Promise<Check> {
  if (remapsUsers(info)) {
    return ok(
      "The engine remaps user IDs (userns-remap); mlcli uses --userns=host for containers " +
        "that mount your files",
    );
  }
  if (!isRootless(info)) {
    return ok("The engine runs as root; mlcli makes you the owner of files from containers");
  }
  const uid = await ownerOf(engine);
  if (uid === undefined || uid === Deno.uid()) {
    return ok("The engine is rootless: root in containers is your user");
  }
  return warning(
    `The engine is rootless and belongs to user ${uid}, so containers cannot access ` +
      "files that are private to you",
    "Use your own engine (set DOCKER_HOST), or run mlcli as that user",
  );
}

/** Who runs an engine on this machine: the owner of its socket. */
async function ownerOf({ address }: Engine): Promise<number | undefined> {
  if (Deno.build.os !== "linux" || !address.startsWith("unix://")) return undefined;
  const socket = await Deno.stat(address.slice("unix://".length)).catch(() => undefined);
  return socket?.uid ?? undefined;
}

const SELINUX = ok(
  "The engine uses SELinux; mlcli uses label=disable for containers that mount your files",
);

function limitsCheck(info: EngineInfo): readonly Check[] {
  const missing = unlimitedBy(info).map((limit) => limit === "cpus" ? "CPUs" : limit);
  if (missing.length === 0) return [];
  return [{
    name: "limits",
    ...warning(
      `The engine cannot limit ${missing.join(", ")}, so a run can overload the machine`,
      "Use cgroup v2, and delegate its controllers memory, cpu and pids to the engine's user",
    ),
  }];
}

/** mlcli gives its servers a log; other containers get the engine's default. */
function logCheck({ LoggingDriver }: EngineInfo): readonly Check[] {
  if (LoggingDriver !== "none") return [];
  return [{
    name: "log driver",
    ...warning(
      "The engine's default log driver is none, so docker logs fails for containers that mlcli " +
        "did not create",
      'To keep their logs, set "log-driver": "local" in the engine\'s daemon.json and restart ' +
        "the engine",
    ),
  }];
}

async function diskCheck(
  engine: Engine,
  { Name, DockerRootDir }: EngineInfo,
): Promise<Check> {
  // On another machine, or in a VM, the path would be on another disk.
  const isHere = engine.address.startsWith("unix:") && Name === Deno.hostname();
  if (!isHere || DockerRootDir === undefined) {
    return {
      level: "unknown",
      message:
        "Free disk space cannot be determined: the engine runs on another machine or in a VM",
      hint: "See how much disk space images use: docker system df",
    };
  }
  try {
    const { bavail, bsize } = await statfs(DockerRootDir);
    return roomCheck(DockerRootDir, bavail * bsize);
  } catch (error) {
    return {
      level: "unknown",
      message: `Free disk space in ${DockerRootDir} cannot be determined: ${messageOf(error)}`,
      hint: `Check it: df -h ${DockerRootDir}`,
    };
  }
}

export function roomCheck(path: string, free: number): Check {
  const room = `${(free / GIGABYTE).toFixed(1)} GB of disk space`;
  if (free >= LITTLE_ROOM) return ok(`${room} free in ${path}`);
  const message = `Only ${room} is free in ${path}, so large images might not fit`;
  const hint = "Remove unused containers, networks and images: docker system prune";
  return { level: free < LEAST_ROOM ? "error" : "warning", message, hint };
}

/** Checks whether a server can use the port, and finds the program that uses it. */
export async function portCheck(
  engine: Engine,
  port: number,
  signal: AbortSignal,
): Promise<Check> {
  const [container] = await engine.containersOnPort(port, signal);
  const server = container === undefined ? undefined : managed(container);
  if (server?.role === "serve") {
    return ok(
      `Port ${port} is in use by the server of app ${server.appName}`,
      `Stop it: mlcli local stop --port ${port}`,
    );
  }
  const other = "or use a free port: mlcli local deploy --port 0";
  if (container !== undefined) {
    const owner = containerName(container);
    return warning(
      `Port ${port} is in use by container ${owner}`,
      `Run docker stop ${owner}, ${other}`,
    );
  }
  // If the engine runs on another machine or in a VM, its ports are not ports of this machine.
  if (!engine.address.startsWith("unix:") || isFree(port)) {
    return ok(`Port ${port} is free`);
  }
  const show = Deno.build.os === "linux" ? `ss -ltnp` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return warning(
    `Port ${port} is in use by another program`,
    `Find the program with ${show}, ${other}`,
  );
}

function isFree(port: number): boolean {
  try {
    using _listener = Deno.listen({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false;
  }
}

/** Checks in SageMaker Studio whether the domain allows Docker, and whether local commands can work. */
export async function studioChecks(
  engine: Promise<Engine>,
  host: Pick<Context, "cwd" | "env" | "system">,
): Promise<readonly Check[]> {
  const studio = studioOf(host);
  if (studio === undefined) return [];
  const place = `Running in SageMaker Studio (${studio.appType})`;
  let found: Engine;
  try {
    found = await engine;
  } catch (error) {
    return [warning(`${place}; ${studioProblem(studio, error)}`)];
  }
  return [
    ok(`${place}; its domain allows Docker`),
    ...isRootless(await found.info()) ? [ROOTLESS] : [],
    ...isAtHome(host) ? [] : [NOT_AT_HOME],
  ];
}

/** Without a hint, which the check of the engine gives. */
function studioProblem(studio: Studio, error: unknown): string {
  const isOff = error instanceof MlcliError && error.hint === enablingHint(studio);
  return isOff ? "its domain does not allow Docker" : `local commands fail: ${messageOf(error)}`;
}

/** AWS's guide, "Getting started with local mode", "Rootless Docker configuration". */
const ROOTLESS = warning(
  "Studio's Docker is rootless, so mlcli cannot reach servers on 172.17.0.1",
  "For local deploy and local invoke, set the domain's RootlessDocker to DISABLED. Other " +
    "commands work.",
);

const NOT_AT_HOME = warning(
  "Studio's engine cannot read this directory, because it is outside the home directory",
  "Move the app into the home directory",
);

function isAtHome({ cwd, env }: Pick<Context, "cwd" | "env">): boolean {
  const home = env("HOME");
  return home === undefined || `${cwd}/`.startsWith(join(home, "/"));
}
