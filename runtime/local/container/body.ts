import { HOST, STUDIO_HOST } from "../../contract/jobs.ts";
import type { CreateBody, Engine, Mount } from "../../docker/engine.ts";
import { type EngineInfo, remapsUsers, usesSelinux } from "../../docker/engine_info.ts";

/** The engine keeps no log: whoever runs the container reads its output while it runs. */
export const NO_LOG = { Type: "none" } as const;

/** What a container of the engine calls itself. */
export function hostOf({ inStudio }: Pick<Engine, "inStudio">): string {
  return inStudio ? STUDIO_HOST : HOST;
}

/** A mount that the container may only read. */
export function readOnly(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true };
}

/** A mount that the container may write to. */
export function writable(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: false };
}

/**
 * SELinux lets a container touch only what has its label. To label the user's files anew (`:z`) would
 * change them, and take them from others; so the container goes without, as with
 * `docker run --security-opt label=disable`. The engine's other protection stays.
 */
const WITHOUT_LABEL = "label=disable";

/** What matters of an engine here. */
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
  return protectionIn(await engine.info());
}

/** What `/info` says of it. */
export function protectionIn(info: EngineInfo): Protection {
  return { remapsUsers: remapsUsers(info), usesSelinux: usesSelinux(info) };
}

/** The container as this engine needs it. One without mounts is as it was: it has what it needs. */
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
