import { HOST, STUDIO_HOST } from "../../contract/jobs.ts";
import type { CreateBody, Engine, Mount } from "../../docker/engine.ts";
import { remapsUsers, usesSelinux } from "../../docker/engine_info.ts";
import type { Context } from "../../context.ts";
import { SEPARATOR } from "@std/path/constants";
import { MOST_PROCESSES, NO_NEW_PRIVILEGES } from "../../serving/plan.ts";
import { labels } from "./managed.ts";

/** The engine keeps no log: whoever runs the container reads its output while it runs. */
export const NO_LOG = { Type: "none" } as const;

/** What a container of the engine calls itself. */
export function hostOf({ inStudio }: Pick<Engine, "inStudio">): string {
  return inStudio ? STUDIO_HOST : HOST;
}

export function readOnly(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true };
}

export function writable(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: false };
}

/**
 * SELinux lets a container touch only what has its label. To label the user's files anew (`:z`) would
 * change them, and take them from others; so the container goes without, as with
 * `docker run --security-opt label=disable`. The engine's other protection stays.
 */
const WITHOUT_LABEL = "label=disable";

export interface Protection {
  /** Users in containers are others outside (`--userns-remap`). */
  readonly remapsUsers: boolean;
  readonly usesSelinux: boolean;
}

/**
 * Asks the engine. Podman isn't asked: it takes 0.2 s to say, before 5 it does not say it, and it
 * takes the same option where there is no SELinux. Its own user namespaces are chosen by container.
 */
export async function protectionOf(engine: Engine): Promise<Protection> {
  if (engine.isPodman) return { remapsUsers: false, usesSelinux: true };
  // Known: no question that its filter might refuse.
  if (engine.inStudio) return { remapsUsers: false, usesSelinux: false };
  const info = await engine.info();
  return { remapsUsers: remapsUsers(info), usesSelinux: usesSelinux(info) };
}

/** The container as this engine needs it; one without mounts needs nothing. */
export function mountingOn({ remapsUsers, usesSelinux }: Protection, body: CreateBody): CreateBody {
  const { HostConfig } = body;
  if (HostConfig.Mounts.length === 0) return body;
  return {
    ...body,
    HostConfig: {
      ...HostConfig,
      // Root of the namespace is a user who may neither write to the caller's directories nor read
      // what is private to them.
      ...(remapsUsers ? { UsernsMode: "host" as const } : {}),
      ...(usesSelinux ? { SecurityOpt: [...HostConfig.SecurityOpt ?? [], WITHOUT_LABEL] } : {}),
    },
  };
}

/**
 * The container of a plan with a standard input, and with a terminal where both of mlcli's ends are one.
 * (`... | tee log` is none.)
 */
export function withInput(
  body: CreateBody,
  { input: { keyboard: typed }, out }: Pick<Context, "input" | "out">,
): CreateBody {
  const keyboard = out.isTerminal ? typed : undefined;
  const input = { AttachStdin: true, OpenStdin: true, StdinOnce: true };
  if (keyboard === undefined) return { ...body, ...input };
  const { rows, columns } = keyboard;
  return {
    ...body,
    ...input,
    Tty: true,
    HostConfig: { ...body.HostConfig, ConsoleSize: [rows, columns] },
  };
}

/**
 * For containers that do work for mlcli itself: a program called `true` or `chown` in an image may be
 * anything, so it may do little.
 */
const CONFINED = {
  LogConfig: NO_LOG,
  NetworkMode: "none",
  CapDrop: ["ALL"],
  SecurityOpt: [NO_NEW_PRIVILEGES],
} as const;

/** `-h`: a link itself, never what it points to. */
export type OwnershipCommand =
  | readonly ["chown", "-h" | "-hR", owner: string]
  | readonly ["chmod", mode: string];

export function initProbePlan(image: string): CreateBody {
  return {
    Image: image,
    Entrypoint: ["true"],
    Cmd: [],
    Labels: labels({}),
    HostConfig: { ...CONFINED, AutoRemove: false, Init: true, Mounts: [] },
  };
}

/**
 * A container that changes the owner or the mode of what lies at paths below some directories. Whatever
 * these paths lead to meanwhile, it lies in the directories or in the container.
 *
 * @param paths of the host, each in one of the directories, which are mounted.
 * @param command `chown` or `chmod`, with what comes before the paths.
 */
export function ownershipPlan(
  image: string,
  directories: readonly string[],
  paths: readonly string[],
  [program, ...options]: OwnershipCommand,
): CreateBody {
  const mounts = directories.map((directory, index) => writable(directory, `/mlcli/${index}`));
  return {
    Image: image,
    User: "0:0",
    Entrypoint: [program],
    Cmd: [...options, "--", ...paths.map((path) => pathInMounts(path, mounts))],
    Labels: labels({}),
    HostConfig: {
      ...CONFINED,
      AutoRemove: true,
      // FOWNER: to change modes.
      CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
      PidsLimit: MOST_PROCESSES,
      Mounts: mounts,
    },
  };
}

function pathInMounts(path: string, mounts: readonly Mount[]): string {
  for (const { Source, Target } of mounts) {
    if (path === Source) return Target;
    if (path.startsWith(Source + SEPARATOR)) return Target + path.slice(Source.length);
  }
  throw new RangeError(`${path} is not mounted`);
}
