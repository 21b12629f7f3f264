/**
 * One Docker Engine, as the rest of mlcli knows it: what can be asked of it, and what it says. Field
 * names are the Engine API's own: https://docs.docker.com/reference/api/engine/
 */

import type { EngineInfo, EngineVersion } from "./engine_info.ts";
import type { ImageCalls } from "./images.ts";
import type { ProgressMessage } from "./messages.ts";
import type { EndpointSettings, NetworkCalls } from "./networks.ts";
import { list, number, object, type Of, record, text } from "./shape.ts";
import type { Upgraded } from "./upgrade.ts";

/** A host directory or file in a container. */
export interface Mount {
  readonly Type: "bind";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}

/** A volume of the engine's, which is made where it is not there. */
export interface VolumeMount {
  readonly Type: "volume";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
  readonly VolumeOptions: { readonly Labels: Readonly<Record<string, string>> };
}

/** Devices for a container, chosen by the engine: so many (-1: all), or those of these ids. */
export interface DeviceRequest {
  readonly Count?: number;
  readonly DeviceIDs?: readonly string[];
  readonly Capabilities: readonly (readonly string[])[];
}

/** The body of `POST /containers/create`, as far as mlcli fills it. Sizes are in bytes. */
export interface CreateBody {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly Entrypoint?: readonly string[];
  /** Whether its program has a terminal. */
  readonly Tty?: boolean;
  /** Whether it has a standard input, which ends when the first client that is attached ends its own. */
  readonly AttachStdin?: boolean;
  readonly OpenStdin?: boolean;
  readonly StdinOnce?: boolean;
  readonly WorkingDir?: string;
  readonly Env?: readonly string[];
  readonly Hostname?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly User?: string;
  readonly ExposedPorts?: Readonly<Record<string, Record<string, never>>>;
  /** By the name of the network, which `NetworkMode` names, too. */
  readonly NetworkingConfig?: {
    readonly EndpointsConfig: Readonly<Record<string, EndpointSettings>>;
  };
  readonly HostConfig: {
    readonly AutoRemove: boolean;
    readonly CapAdd?: readonly string[];
    readonly CapDrop?: readonly string[];
    /** Rows and columns. Older engines (20.10) ignore it. */
    readonly ConsoleSize?: readonly [rows: number, columns: number];
    readonly DeviceRequests?: readonly DeviceRequest[];
    /** `NAME:ADDRESS` */
    readonly ExtraHosts?: readonly string[];
    readonly Init?: boolean;
    /** Default: the engine's own driver. */
    readonly LogConfig?: {
      readonly Type: "none" | "json-file";
      readonly Config?: Readonly<Record<string, string>>;
    };
    readonly Memory?: number;
    readonly MemorySwap?: number;
    readonly Mounts: readonly (Mount | VolumeMount)[];
    /** Billionths of a processor. */
    readonly NanoCpus?: number;
    readonly NetworkMode?: string;
    readonly PidsLimit?: number;
    readonly PortBindings?: Readonly<
      Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[]>
    >;
    readonly SecurityOpt?: readonly string[];
    readonly ShmSize?: number;
    /** Outside of the engine's user namespace, where that has one (`--userns-remap`). */
    readonly UsernsMode?: "host";
    /** `CONTAINER:ro` */
    readonly VolumesFrom?: readonly string[];
  };
}

/** The body for a container that never runs: it holds volumes for other containers. */
export interface HolderBody {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: {
    readonly AutoRemove: false;
    readonly NetworkMode: "none";
    /** Anonymous volumes, removed with it. The image's files are not copied into them. */
    readonly Mounts: readonly {
      readonly Type: "volume";
      readonly Target: string;
      readonly VolumeOptions: { readonly NoCopy: true };
    }[];
  };
}

/** A row of `GET /containers/json`. */
export const CONTAINER = object({ Id: text }, {
  Names: list(text),
  Image: text,
  /** `created`, `running`, `paused`, `restarting`, `removing`, `exited`, `dead` */
  State: text,
  /** `Up 3 minutes (healthy)` */
  Status: text,
  /** Seconds since 1970. */
  Created: number,
  Labels: record(text),
  /** Its ports, and where they are published, if they are. */
  Ports: list(object({}, {
    /** Address on the engine's machine: `127.0.0.1`; `0.0.0.0` and `::` are all of them. */
    IP: text,
    PublicPort: number,
  })),
  /** `Source` is a path on the engine's machine, `Destination` one in the container. */
  Mounts: list(object({ Source: text, Destination: text })),
});

type ContainerRow = Of<typeof CONTAINER>;

/** The same, with its time on this machine's clock, and empty where the engine leaves something out. */
export type ContainerSummary =
  & Required<Omit<ContainerRow, "Mounts">>
  & Pick<ContainerRow, "Mounts">;

/** A container's name; its id where it has none. */
export function containerName(container: ContainerSummary): string {
  return namesOf(container)[0] ?? container.Id;
}

/** A container's names. (The engine writes each with a slash before it.) */
export function namesOf({ Names }: ContainerSummary): readonly string[] {
  return Names.map((name) => name.replace(/^\//, ""));
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export type Builder = "buildkit" | "classic";

export interface BuildOptions {
  readonly builder: Builder;
  /** `name:tag` */
  readonly tag: string;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  /** The stage that becomes the image, by name or number; the last when undefined. */
  readonly target?: string | undefined;
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** `linux/amd64` */
  readonly platform?: string;
  /** Network of the build's steps: `host`, `none`, or the name of one. Default: the engine's. */
  readonly networkMode?: string;
  readonly noCache: boolean;
  readonly context: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
}

/** A file or directory in a container. A link is not followed. */
export interface PathInContainer {
  readonly isDirectory: boolean;
  /** Whether anybody may run it. */
  readonly isExecutable: boolean;
  /** Of a link: what it leads to in the end, as a path of the container. */
  readonly target: string | undefined;
}

/** How to read a container's log. */
export interface LogOptions {
  /** Number of lines from the end, or all of them. */
  readonly tail: number | "all";
  readonly follow: boolean;
  /** How long the engine may take for each part, in seconds, where it does not follow. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

/** The engine waits; `status` is the exit status of the container's program then. */
export interface Waited {
  readonly status: Promise<number>;
}

/**
 * One Docker Engine. Every call throws `EngineError` on a status that it does not expect,
 * `BrokenEngine` when the engine does not answer, and `SilentEngine`, which is one, when it takes too
 * long (`time_limits.ts`).
 */
export interface Engine extends ImageCalls, NetworkCalls {
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
  /** What named that address: `DOCKER_HOST`, `default`, ... */
  readonly rule: string;
  /**
   * Whether `wait` still knows the exit status of a container that the engine removed by itself.
   * Podman (4.3.1) does not: it says 0.
   */
  readonly remembersExitStatus: boolean;
  /**
   * Whether a log that is followed is complete. Podman's (4.3.1) may lack the last lines when
   * the container ends.
   */
  readonly followsLogsToTheirEnd: boolean;
  /** The default builder. Podman's own counts as classic. */
  readonly builder: Builder;
  /** Whether it is Podman: its own builder understands what BuildKit does. */
  readonly isPodman: boolean;
  /**
   * Whether it is SageMaker Studio's: containers and builds are always on the space's own network, and
   * a server listens on the port that it would have been published on.
   */
  readonly inStudio: boolean;
  /** Asked once: it does not change while a command runs. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  version(signal?: AbortSignal): Promise<EngineVersion>;
  /** Builds an image. Failures come as a message with `errorDetail`. */
  build(options: BuildOptions): AsyncGenerator<ProgressMessage, void, void>;
  /** Makes an image of a root file system. */
  importImage(
    reference: string,
    tar: ReadableStream<Uint8Array>,
  ): AsyncGenerator<ProgressMessage, void, void>;
  /** Creates a container and returns its id. A status of 404 means that the image is missing. */
  createContainer(name: string, body: CreateBody | HolderBody): Promise<string>;
  startContainer(id: string): Promise<void>;
  renameContainer(id: string, name: string): Promise<void>;
  /**
   * Standard output and standard error from now on, multiplexed. Read it to its end, or abort the
   * signal.
   */
  attach(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /**
   * The same, and its standard input. With a terminal (`Tty`) the output is not multiplexed. Abort
   * the signal when it is no longer needed.
   */
  attachWithInput(id: string, signal: AbortSignal): Promise<Upgraded>;
  /** Tells a container the size of its terminal. One that does not run is no error. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /** Waits for a container. Abort the signal, or read the status to its end. */
  wait(
    id: string,
    condition: "not-running" | "next-exit" | "removed",
    signal: AbortSignal,
  ): Promise<Waited>;
  /** SIGTERM, and SIGKILL after the grace (seconds). A container that does not run is no error. */
  stopContainer(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void>;
  /** SIGKILL. A container that does not run, or is gone, is no error. */
  killContainer(id: string): Promise<void>;
  /** Kills and removes. A container that is gone, or being removed, is no error. */
  removeContainer(id: string, signal?: AbortSignal): Promise<void>;
  /** Containers that carry all these labels (`key` or `key=value`), ended ones included. */
  listContainers(
    labels: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly ContainerSummary[]>;
  /** Running containers, mlcli's or others, that publish this port of the engine's machine. */
  containersOnPort(port: number, signal?: AbortSignal): Promise<readonly ContainerSummary[]>;
  /** What lies at a path of a container, which need not run; undefined where nothing does. */
  pathInContainer(id: string, path: string): Promise<PathInContainer | undefined>;
  /** A path of a container as a tar archive, as `pathInContainer`. Who stops reading ends it. */
  archiveOf(id: string, path: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Unpacks an archive, a tar or one compressed with gzip, in a directory of a container, which need
   * not run.
   */
  unpackInContainer(
    id: string,
    directory: string,
    archive: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;
  logs(id: string, options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Runs a program in a running container and returns both of its output streams, multiplexed. If the
   * image has no such program, the engine's words are the output, or the call is refused.
   */
  execute(
    id: string,
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Whether a container was killed because it ran out of memory, as far as the engine knows. */
  ranOutOfMemory(id: string): Promise<boolean>;
  /** Whether its program runs; false where there is no such container. */
  isRunning(id: string): Promise<boolean>;
  close(): void;
}
