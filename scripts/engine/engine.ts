/**
 * Finds a Docker Engine that answers or, on Debian and its relatives as root, installs and starts
 * one: `ensureEngine`.
 */

import { connectToEngine } from "../../runtime/docker/connect.ts";
import type { Engine } from "../../runtime/docker/engine.ts";
import { candidates, type SearchEnvironment } from "../../runtime/docker/locate.ts";
import { MlcliError } from "../../runtime/errors.ts";
import { administratorsPath, lastLines } from "../process.ts";
import { step } from "../script.ts";
import { cacheDirectory, withLock } from "./cache.ts";
import { canInstallPackages, currentSystem, installPackages } from "./debian.ts";
import { untilItAnswers } from "./until_it_answers.ts";

/**
 * dockerd and its containerd write their process ids there, and start no second one while a process
 * of that id lives: any process, so files that a switched-off machine left behind prevent a start.
 */
const PID_FILE = { path: "/var/run/docker.pid", program: "dockerd" };
const CONTAINERD_PID_FILE = {
  path: "/var/run/docker/containerd/containerd.pid",
  program: "containerd",
};
/** There is one engine a machine, and only root starts it. */
const LOCK = "/run/mlcli-engine.lock";
/** Another process may be installing: apt has 300 s for each of two commands, then the start. In ms. */
const LOCK_TIMEOUT = 720_000;
/** A start takes 2 s here; a loaded machine with many containers to restore takes longer. In ms. */
const START_TIMEOUT = 60_000;
/** dockerd gives its containers 15 s to end. In ms. */
const KILL_AFTER = 20_000;

/** Where a program writes its process id. */
export interface PidFile {
  readonly path: string;
  /** The process's name: an id is given again to others. */
  readonly program: string;
}

/** How to start a daemon, and where it will answer. */
export interface Daemon {
  readonly command: readonly string[];
  /** The environment in which `connectToEngine` finds it. */
  readonly env: SearchEnvironment["env"];
  readonly pidFile: PidFile;
  /** Those of the processes that it starts. */
  readonly otherPidFiles: readonly PidFile[];
  /** Where its output goes. */
  readonly log: string;
  /** Longest time until it answers, in milliseconds. */
  readonly timeout: number;
}

/**
 * A Docker Engine that answers. The caller closes it.
 * @throws MlcliError when there is none and none can be started.
 */
export async function ensureEngine(signal: AbortSignal): Promise<Engine> {
  const env = (name: string): string | undefined => Deno.env.get(name);
  try {
    return await connectToEngine({ env });
  } catch (error) {
    if (await isNamedByUser(env)) throw error;
    if (!canInstallPackages(await currentSystem(), Deno.uid())) throw withRemedy(error);
  }
  const log = `${await cacheDirectory()}/dockerd.log`;
  return await withLock(LOCK, { timeout: LOCK_TIMEOUT, signal }, async () => {
    const startedMeanwhile = await connectToEngine({ env }).catch(() => undefined);
    if (startedMeanwhile) return startedMeanwhile;
    await installEngine(signal);
    const daemon = {
      command: ["dockerd", "--log-level=warn"],
      env,
      pidFile: PID_FILE,
      otherPidFiles: [CONTAINERD_PID_FILE],
      log,
      timeout: START_TIMEOUT,
    };
    return await step("Starting the Docker Engine", () => startDaemon(daemon, signal));
  });
}

/** Whether the user asked for a certain engine, so that starting another one would be no help. */
async function isNamedByUser(env: SearchEnvironment["env"]): Promise<boolean> {
  return !(await candidates({ env })).some(({ rule }) => rule === "default");
}

function withRemedy(error: unknown): unknown {
  if (!(error instanceof MlcliError)) return error;
  return new MlcliError(error.message, {
    quote: error.quote,
    hint: "Start Docker, or install it (docs.docker.com/engine/install); as root on Debian or " +
      "Ubuntu, this script does both. `docker version` must work for your user.",
    cause: error,
  });
}

async function installEngine(signal: AbortSignal): Promise<void> {
  if (await isThere("/usr/sbin/dockerd") || await isThere("/usr/bin/dockerd")) return;
  // Without the certificates, which docker.io only recommends, it cannot pull.
  const packages = ["docker.io", "ca-certificates"];
  await step(
    "Installing Docker (apt-get install docker.io)",
    () => installPackages(packages, signal),
  );
}

/**
 * Starts a daemon that outlives this process, unless one is already starting, and waits until it
 * answers. One that does not is ended again.
 * @throws MlcliError quoting its log when it ends or does not answer in time.
 */
export async function startDaemon(daemon: Daemon, signal: AbortSignal): Promise<Engine> {
  let child: Deno.ChildProcess | undefined;
  if (!await isAlive(daemon.pidFile)) {
    await removeStale([daemon.pidFile, ...daemon.otherPidFiles]);
    child = launch(daemon);
  }
  let ended: Deno.CommandStatus | undefined;
  child?.status.then((status) => ended = status);
  try {
    return await untilItAnswers({
      env: daemon.env,
      timeout: daemon.timeout,
      // The package may have started a daemon of its own meanwhile: then ours ends, and that is fine.
      ending: async () =>
        ended && !await isAlive(daemon.pidFile) ? `ended with ${ended.code}` : undefined,
      failure: (what) => startFailure(daemon, what),
    }, signal);
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Launches it in a session of its own, so that neither Ctrl-C nor a closed terminal ends it. */
function launch({ command, log }: Daemon): Deno.ChildProcess {
  const child = new Deno.Command("sh", {
    args: ["-c", 'log=$1; shift; cd /; exec setsid "$@" >"$log" 2>&1', "sh", log, ...command],
    env: { PATH: administratorsPath() },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  child.unref();
  return child;
}

async function end(child: Deno.ChildProcess | undefined): Promise<void> {
  if (!child) return;
  const kill = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER);
  try {
    child.kill("SIGTERM");
  } catch {
    // it has ended by itself
  }
  await child.status;
  clearTimeout(kill);
}

async function startFailure({ command, log }: Daemon, what: string): Promise<MlcliError> {
  return new MlcliError(`${command[0]} ${what}`, {
    quote: lastLines(await Deno.readTextFile(log).catch(() => "")),
    hint: `Its log is ${log}. Where this machine does not let it run (a container without ` +
      "--privileged, say), set DOCKER_HOST to an engine that does.",
  });
}

/** Whether the process whose id is in the file is there, and is the program and not a later process. */
async function isAlive({ path, program }: PidFile): Promise<boolean> {
  const pid = (await Deno.readTextFile(path).catch(() => "")).trim();
  if (pid === "") return false;
  return (await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "")).trim() === program;
}

/** Removes the files whose process is gone. */
async function removeStale(files: readonly PidFile[]): Promise<void> {
  for (const file of files) {
    if (!await isAlive(file)) await Deno.remove(file.path).catch(() => {});
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
