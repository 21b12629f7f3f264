/**
 * Directories that are mounted, and that the engine does not see. An engine in a virtual machine, on
 * another host or outside of the container that mlcli runs in has other files: the container gets an
 * empty directory, or the engine refuses.
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { CreateBody, Engine } from "../../docker/engine.ts";
import { EngineError } from "../../docker/errors.ts";
import { MlcliError } from "../../errors.ts";
import { isFile } from "../../files.ts";
import { inOneLine, shellWord } from "../../text.ts";

type Asked = Pick<Engine, "address" | "inStudio" | "isPodman" | "info">;

/** Returns the hint for an engine that does not see a path of this machine. */
export async function sharingHint(engine: Asked, path: string): Promise<string> {
  if (engine.inStudio) {
    return "Move the app and its data to the home directory: Studio's engine can access only that";
  }
  // A run's directories lie in the app's, which is what to share.
  const shared = path.replace(/[/\\][^/\\]+[/\\]mlcli_base([/\\].*)?$/, "");
  if (engine.isPodman && !engine.address.startsWith("tcp:")) {
    // containers/podman#14815
    return "Recreate Podman's machine with this directory (the list replaces the defaults, and " +
      'images are lost): podman machine rm && podman machine init -v "$HOME:$HOME" -v ' +
      shellWord(`${shared}:${shared}`);
  }
  const { OperatingSystem = "", Name = "" } = engine.isPodman ? {} : await engine.info();
  if (OperatingSystem === "Docker Desktop") {
    return `Share ${shared} with Docker Desktop: Settings > Resources > File sharing`;
  }
  if (OperatingSystem.startsWith("Rancher Desktop") || Name === "lima-rancher-desktop") {
    // rancher-sandbox/rancher-desktop#3820
    return `Add mounts: [{location: ${JSON.stringify(shared)}, writable: true}] to ` +
      "~/Library/Application Support/rancher-desktop/lima/_config/override.yaml, then restart " +
      "Rancher Desktop";
  }
  if (/^colima(-|$)/.test(Name)) {
    // abiosoft/colima#579
    const profile = shellWord(Name.slice("colima-".length) || "default");
    return "Restart Colima with this directory (the list replaces the default): colima " +
      `stop ${profile} && colima start ${profile} --mount "$HOME:w" --mount ` +
      shellWord(`${shared}:w`);
  }
  return `Run mlcli where the engine runs${Name && ` (${inOneLine(Name)})`}, or use an engine ` +
    "on this machine. In a dev container or with Docker-in-Docker, the engine's machine must have " +
    `${shared} at the same path.`;
}

/**
 * Returns whether the engine's file system might be another one than this machine's. On an ordinary local
 * engine, nothing is asked that was not asked before.
 */
export async function mayHaveOtherFiles(
  engine: Asked,
  here: { readonly os: string; readonly host: string } = {
    os: Deno.build.os,
    host: Deno.hostname(),
  },
): Promise<boolean> {
  if (engine.inStudio) return false; // its engine refuses all that it does not see
  if (here.os !== "linux" || !engine.address.startsWith("unix:")) return true;
  if (engine.isPodman) return false; // it takes 0.2 s to say where it is
  const { Name } = await engine.info();
  return Name !== undefined && Name !== here.host;
}

/**
 * Requires that the engine sees what is mounted, by one file of each mount.
 *
 * @param id of a container that was created, and not started.
 * @throws MlcliError
 */
export async function requireSeen(
  engine: Engine,
  id: string,
  { HostConfig: { Mounts } }: CreateBody,
): Promise<void> {
  const binds = Mounts.filter((mount) => mount.Type === "bind");
  if (binds.length === 0 || !await mayHaveOtherFiles(engine)) return;
  for (const { Source, Target } of binds) {
    // In the container, another mount hides what lies below its own target.
    const isHidden = (path: string): boolean => binds.some((one) => one.Target === Target + path);
    const file = await isFile(Source) ? "" : await fileIn(Source, isHidden).catch(() => undefined);
    if (file === undefined || await isSeen(engine, id, Target + file)) continue;
    // It may have been removed meanwhile.
    if (!await isFile(Source + file)) continue;
    throw await unseen(engine, file === "" ? dirname(Source) : Source);
  }
}

/** Returns whether a container has a file at a path. An engine that refuses to say counts as one that does. */
async function isSeen(engine: Engine, id: string, path: string): Promise<boolean> {
  try {
    const found = await engine.pathInContainer(id, path);
    return found !== undefined && !found.isDirectory;
  } catch (error) {
    if (error instanceof EngineError) return true;
    throw error;
  }
}

/** How many entries of a directory are looked at. */
const MOST_ENTRIES = 300;

/** Returns the path of a file in a directory, with a slash before it; `undefined`: none is known. */
async function fileIn(
  directory: string,
  isHidden: (path: string) => boolean,
): Promise<string | undefined> {
  const open = [""];
  let looked = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for await (const { name, isFile, isDirectory } of Deno.readDir(join(directory, folder))) {
      if (looked++ === MOST_ENTRIES) return undefined;
      const path = `${folder}/${name}`;
      // File systems that are shared with virtual machines may write other letters differently.
      if (isHidden(path) || !/^[ -~]+$/.test(name)) continue;
      if (isFile) return path;
      if (isDirectory) open.push(path);
    }
  }
}

/**
 * What engines say of a directory that they do not see, and its path. Docker: daemon's
 * `validateMountConfig` (moby, volume/mounts). Docker Desktop, also at the start: "Mounts denied: The
 * path /x is not shared from the host" (crate/docker-crate#212). Podman: containers/podman#14815.
 */
const REFUSAL =
  /bind source path does not exist: (.+)|mounts denied:\s*The path (.+?) is not shared|statfs (.+?): no such file/i;

/** Returns the error for an engine that refuses since it does not see a directory. */
export async function unseenDirectory(
  engine: Engine,
  cause: EngineError,
): Promise<MlcliError | undefined> {
  const path = REFUSAL.exec(cause.reason)?.slice(1).find(Boolean);
  return path === undefined ? undefined : await unseen(engine, path, cause);
}

async function unseen(engine: Engine, path: string, cause?: EngineError): Promise<MlcliError> {
  return new MlcliError(`The Docker Engine does not see ${inOneLine(path)}`, {
    quote: cause?.reason,
    hint: await sharingHint(engine, path),
    cause,
  });
}
