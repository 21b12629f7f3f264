import { flag, list, number, object, type Of, text } from "./shape.ts";

/** What `GET /info` says, as far as mlcli asks. */
export const INFO = object({}, {
  /** `name=seccomp,profile=default`, `name=userns`, `name=rootless`, `name=selinux`, ... */
  SecurityOptions: list(text),
  /** Only Podman's: before version 5, its `SecurityOptions` do not say it. */
  Rootless: flag,
  /** Whether it can limit memory, processors and processes; Docker ignores a limit that it cannot set. */
  MemoryLimit: flag,
  CpuCfsQuota: flag,
  PidsLimit: flag,
  /** Processors, and memory in bytes, of the engine's machine. */
  NCPU: number,
  MemTotal: number,
  /** `1` or `2`. */
  CgroupVersion: text,
  /** `Docker Desktop`, `Debian GNU/Linux 12 (bookworm)` */
  OperatingSystem: text,
  /** Host name of the engine's machine. */
  Name: text,
  /** Log driver of containers that name none: `json-file`, `none`, ... Podman leaves it empty. */
  LoggingDriver: text,
  /** Directory on the engine's machine that holds images and containers. */
  DockerRootDir: text,
});
export type EngineInfo = Of<typeof INFO>;

/** What `GET /version` says. */
export const VERSION = object({
  /** `28.2.2` */
  Version: text,
  /** The newest API that the engine speaks: `1.50`. */
  ApiVersion: text,
}, {
  /** `amd64`, `arm64`, ... */
  Arch: text,
});
export type EngineVersion = Of<typeof VERSION>;

/** Whether the engine is rootless: root in a container is the user who runs the engine. */
export function isRootless(info: EngineInfo): boolean {
  return info.Rootless === true || hasSecurity(info, "rootless");
}

/**
 * Whether root in a container is a user of this machine who may do little (`--userns-remap`:
 * https://docs.docker.com/engine/security/userns-remap/).
 */
export function remapsUsers(info: EngineInfo): boolean {
  return hasSecurity(info, "userns");
}

/**
 * The user on the engine's machine that root of the engine's user namespace is: the engine's directory
 * is called `UID.GID` (https://docs.docker.com/engine/security/userns-remap/).
 */
export function rootOfNamespace(
  { DockerRootDir = "" }: EngineInfo,
): { readonly uid: number; readonly gid: number } | undefined {
  const [, uid, gid] = /[/\\](\d+)\.(\d+)$/.exec(DockerRootDir) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Whether SELinux keeps containers away from files without their label. */
export function usesSelinux(info: EngineInfo): boolean {
  return hasSecurity(info, "selinux");
}

/** What an engine cannot limit: it takes a limit, ignores it and says nothing. */
export function unlimitedBy(info: EngineInfo): readonly ("memory" | "cpus" | "processes")[] {
  const { MemoryLimit, CpuCfsQuota, PidsLimit, Rootless, CgroupVersion } = info;
  // Podman says that it can, and writes to its own log that it does not.
  if (Rootless === true && CgroupVersion === "1") return ["memory", "cpus", "processes"];
  return [
    ...(MemoryLimit === false ? ["memory" as const] : []),
    ...(CpuCfsQuota === false ? ["cpus" as const] : []),
    ...(PidsLimit === false ? ["processes" as const] : []),
  ];
}

/** The options are `name=NAME,KEY=VALUE`, since Docker 17.06. */
function hasSecurity({ SecurityOptions }: EngineInfo, name: string): boolean {
  return (SecurityOptions ?? []).some((option) => option.split(",").includes(`name=${name}`));
}
