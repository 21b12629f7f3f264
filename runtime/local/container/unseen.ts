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
import { statIfThere } from "../../files.ts";
import { inOneLine, shellWord } from "../../text.ts";

/**
 * How to let an engine see a path, by what runs the engine: the first that fits. A hint gets what the
 * pattern's group found.
 */
const FIXES: readonly (readonly [RegExp, hint: (path: string, found?: string) => string])[] = [
  [
    /^Docker Desktop$/,
    (path) => `Share ${path} with Docker Desktop: Settings > Resources > File sharing.`,
  ],
  [
    // rancher-sandbox/rancher-desktop#3820. Its machine is one of Lima's.
    /^(?:Rancher Desktop|lima-rancher-desktop)$/,
    (path) =>
      "Add it to ~/Library/Application Support/rancher-desktop/lima/_config/override.yaml, and " +
      `restart Rancher Desktop: mounts: [{location: ${JSON.stringify(path)}, writable: true}]`,
  ],
  [
    // abiosoft/colima#579
    /^colima(?:-(.+))?$/,
    (path, profile) => {
      const of = profile === undefined ? "" : ` --profile ${shellWord(profile)}`;
      return "Restart Colima with it (the list replaces the default, your home directory): " +
        `colima stop${of} && colima start${of} --mount "$HOME:w" --mount ${shellWord(`${path}:w`)}`;
    },
  ],
  [
    /^lima-(.+)$/,
    (path, found = "") => {
      const name = shellWord(found);
      return `Add it to Lima's mounts: limactl stop ${name} && limactl edit ${name} --mount ` +
        `${shellWord(`${path}:w`)} && limactl start ${name}`;
    },
  ],
  [
    // orbstack/orbstack#415, #823
    /^orbstack/,
    () =>
      "Move it below your home directory, and allow OrbStack to read it: System Settings > " +
      "Privacy & Security > Files and Folders.",
  ],
  [
    // containers/podman#14815
    /^Podman's machine$/,
    (path) =>
      "Make Podman's machine again with it (the list replaces the defaults, and images in the old " +
      'machine are lost): podman machine rm, then podman machine init -v "$HOME:$HOME" -v ' +
      shellWord(`${path}:${path}`),
  ],
  [
    /^(.*)$/s,
    (path, name) =>
      `The engine mounts directories of its own machine${name ? `, ${inOneLine(name)}` : ""}. ` +
      "Run mlcli there, or use an engine on this machine. In a dev container, and with docker in " +
      `docker, ${path} must be at the same path where the engine runs.`,
  ],
];

type Asked = Pick<Engine, "address" | "isPodman" | "info">;

/** The program that runs the engine's virtual machine; else the name of the engine's machine. */
async function programOf(engine: Asked): Promise<string> {
  if (engine.isPodman) return engine.address.startsWith("tcp:") ? "" : "Podman's machine";
  const { OperatingSystem = "", Name = "" } = await engine.info();
  return /^(?:Docker|Rancher) Desktop/.exec(OperatingSystem)?.[0] ?? Name;
}

/** Returns the hint for an engine that does not see a path of this machine. */
export async function sharingHint(engine: Asked, path: string): Promise<string> {
  const program = await programOf(engine);
  const [pattern, hint] = FIXES.find(([pattern]) => pattern.test(program))!;
  // A run's directories lie in the app's, which is what to share.
  const shared = path.replace(/[/\\][^/\\]+[/\\]mlcli_base([/\\].*)?$/, "");
  return hint(shared, pattern.exec(program)?.[1]);
}

/**
 * Whether the engine's file system may be another one than this machine's. On an ordinary local
 * engine, nothing is asked that was not asked before.
 */
export async function mayHaveOtherFiles(
  engine: Pick<Engine, "address" | "inStudio" | "isPodman" | "info">,
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
    const isFile = (await statIfThere(Source))?.isFile === true;
    // In the container, another mount hides what lies below its own target.
    const isHidden = (path: string): boolean => binds.some((one) => one.Target === Target + path);
    const file = isFile ? "" : await fileIn(Source, isHidden).catch(() => undefined);
    if (file === undefined || await isSeen(engine, id, Target + file)) continue;
    // It may have been removed meanwhile.
    if (!(await statIfThere(Source + file))?.isFile) continue;
    throw new MlcliError(
      `The Docker Engine does not see ${isFile ? "" : "the files in "}${Source}`,
      {
        hint: await sharingHint(engine, isFile ? dirname(Source) : Source),
      },
    );
  }
}

/** Whether a container has a file there. An engine that refuses to say counts as one that does. */
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

/** The path of a file in a directory, with a slash before it; `undefined`: none is known. */
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
 * What engines say of a directory that they do not see. Docker: daemon's `validateMountConfig` (moby,
 * volume/mounts). Docker Desktop: "Mounts denied: The path /x is not shared from the host", also at
 * the start (crate/docker-crate#212), and "F: drive is not shared" (docker/for-win#442). Podman:
 * containers/podman#14815, #24372.
 */
const REFUSAL =
  /bind source path does not exist|mounts denied|drive is not shared|statfs .{1,4096}: no such file|making volume mountpoint .{0,5000}(?:not permitted|read-only)/i;

/** The path in it. */
const PATH = /(?:not exist: |The path |statfs |mountpoint for volume )(\S.*?)(?: is not|: |$)/m;

/** Returns the error for an engine that refuses since it does not see a directory. */
export async function unseenDirectory(
  engine: Engine,
  cause: EngineError,
): Promise<MlcliError | undefined> {
  const { reason } = cause;
  if (!REFUSAL.test(reason)) return undefined;
  const path = PATH.exec(reason)?.[1];
  return new MlcliError(`The Docker Engine does not see ${path ?? "a directory"}`, {
    quote: path !== undefined && reason.endsWith(`not exist: ${path}`) ? undefined : reason,
    hint: engine.inStudio
      ? "In SageMaker Studio, the engine sees the space's home directory: have the app and its " +
        "data below it."
      : await sharingHint(engine, path ?? "DIRECTORY"),
    cause,
  });
}
