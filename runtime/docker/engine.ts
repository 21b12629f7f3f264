/**
 * The calls of the Engine API that mlcli uses, typed. Field names are the API's own:
 * https://docs.docker.com/reference/api/engine/
 *
 * @module
 */

import { MlcliError } from "../errors.ts";
import type { EngineInfo } from "./engine_info.ts";
import { aheadOf, onThisClock } from "./clock.ts";
import { wasOutOfMemory } from "./events.ts";
import { type ImageCalls, imageCalls } from "./image_calls.ts";
import type { ProgressMessage } from "./messages.ts";
import * as shapes from "./shape.ts";
import { STUDIO_NETWORK, studioBody, studioPorts } from "./studio.ts";
import { type Answer, EngineError, type Transport } from "./transport.ts";
import type { Upgraded } from "./upgrade.ts";
import { engineWords } from "./words.ts";

/** A host directory or file in a container. */
export interface Mount {
  readonly Type: "bind";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
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
  /** Whether it has a standard input, which ends with that of who is attached first. */
  readonly AttachStdin?: boolean;
  readonly OpenStdin?: boolean;
  readonly StdinOnce?: boolean;
  readonly WorkingDir?: string;
  readonly Env?: readonly string[];
  readonly Hostname?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly User?: string;
  readonly ExposedPorts?: Readonly<Record<string, Record<string, never>>>;
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
    readonly LogConfig?: { readonly Type: "none" };
    readonly Memory?: number;
    readonly MemorySwap?: number;
    readonly Mounts: readonly Mount[];
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

/** The same of a container that never runs, and whose volumes others have. */
export interface HolderBody {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: {
    readonly AutoRemove: false;
    readonly NetworkMode: "none";
    /** Volumes of its own, which go with it; what the image has there is not copied into them. */
    readonly Mounts: readonly {
      readonly Type: "volume";
      readonly Target: string;
      readonly VolumeOptions: { readonly NoCopy: true };
    }[];
  };
}

/** A row of `GET /containers/json`. */
export interface ContainerSummary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Image: string;
  /** `created`, `running`, `paused`, `restarting`, `removing`, `exited`, `dead` */
  readonly State: string;
  /** `Up 3 minutes (healthy)` */
  readonly Status: string;
  /** Seconds since 1970, on this machine's clock. */
  readonly Created: number;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Ports: readonly PublishedPort[];
  /** Where what is mounted lies, as the engine's machine calls it, and where it is in it. */
  readonly Mounts?: readonly { readonly Source: string; readonly Destination: string }[];
}

/** A port of a container, and where it is published, if it is. */
export interface PublishedPort {
  /** Address on the engine's machine: `127.0.0.1`; `0.0.0.0` and `::` are all of them. */
  readonly IP?: string;
  readonly PublicPort?: number;
}

/** A container's name; its id where it has none. */
export function containerName(container: ContainerSummary): string {
  return namesOf(container)[0] ?? container.Id;
}

/** A container's names. (The engine writes each with a slash before it.) */
export function namesOf({ Names }: ContainerSummary): readonly string[] {
  return Names.map((name) => name.replace(/^\//, ""));
}

/** Rows and columns of a terminal. */
export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** What an engine builds images with. */
export type Builder = "buildkit" | "classic";

/** What to build. */
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

/** What `GET /version` says. */
export interface EngineVersion {
  /** `28.2.2` */
  readonly Version: string;
  /** The newest API that the engine speaks: `1.50`. */
  readonly ApiVersion: string;
  /** `amd64`, `arm64`, ... */
  readonly Arch: string;
}

/** As engines say it: since API 1.44, an image that has no time of its own has no `Created`. */
type ToldImage = Omit<ImageDetails, "Created"> & { readonly Created?: string };

/** What older engines say of an image that has no time of its own. */
const NEVER = "0001-01-01T00:00:00Z";

/** What `GET /images/NAME/json` says, as far as mlcli asks. */
export interface ImageDetails {
  /**
   * Digest of the image's configuration; with the containerd image store that of its manifest, or of
   * its list of manifests.
   */
  readonly Id: string;
  /** ISO 8601, on this machine's clock. A build that finds every step in its cache leaves it as it was. */
  readonly Created: string;
  readonly Os: string;
  /** `amd64`, `arm64`, ... */
  readonly Architecture: string;
  /** When the image got its name here: also at such a build. */
  readonly Metadata?: { readonly LastTagTime?: string };
  readonly Config?: {
    readonly Entrypoint?: readonly string[] | null;
    /** Who its programs run as: `1000:1000`, `app`; empty for root. */
    readonly User?: string;
    /** `NAME=VALUE` */
    readonly Env?: readonly string[] | null;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
}

/** A row of `GET /images/json`, as far as mlcli asks. */
export interface ImageSummary {
  /** `name:tag`; null where it has none. */
  readonly RepoTags: readonly string[] | null;
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

/**
 * One Docker Engine. Every call throws `EngineError` on a status that it does not expect,
 * `BrokenEngine` when the engine does not answer, and `SilentEngine`, which is one, when it takes too
 * long (`patience.ts`).
 */
export interface Engine extends ImageCalls {
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
  /** The builder to use where nobody asks for another. Podman's own counts as classic. */
  readonly builder: Builder;
  /** Whether it is Podman: its own builder understands what BuildKit does. */
  readonly isPodman: boolean;
  /**
   * Whether it is SageMaker Studio's: containers and builds are on the space's own network, whatever
   * they ask for, and a server listens on the port that it would have been published on.
   */
  readonly inStudio: boolean;
  /** What it says at the first call: nothing of it changes while a command runs. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  version(signal?: AbortSignal): Promise<EngineVersion>;
  /** The image, or undefined when it is not there. */
  image(reference: string, signal?: AbortSignal): Promise<ImageDetails | undefined>;
  /** Images of this name, with any tag. */
  listImages(name: string, signal?: AbortSignal): Promise<readonly ImageSummary[]>;
  /** Whether the image is there. */
  hasImage(reference: string): Promise<boolean>;
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
  /**
   * Waits for a container. Returns once the engine waits; `status` is the exit status of its
   * program then. Abort the signal, or read the status to its end.
   */
  wait(
    id: string,
    condition: "not-running" | "removed",
    signal: AbortSignal,
  ): Promise<{ readonly status: Promise<number> }>;
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
  /** Names of the engine's networks. */
  networks(signal?: AbortSignal): Promise<readonly string[]>;
  logs(id: string, options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  /** Whether a container was killed because it ran out of memory, as far as the engine knows. */
  ranOutOfMemory(id: string): Promise<boolean>;
  /** Whether its program runs; false where there is no such container. */
  isRunning(id: string): Promise<boolean>;
  close(): void;
}

/**
 * Keys that leave a terminal while its program goes on. Mlcli has no such thing, the engine none for
 * 'no keys', and its own, Ctrl-P Ctrl-Q, would swallow a shell's: so some that nobody types.
 */
const NO_DETACH_KEYS = "ctrl-^,ctrl-_,ctrl-^,ctrl-_";

/** What an engine says of itself in its answer to `_ping`. */
export interface EngineIdentity {
  /** The version of the API to speak with it: `1.41`. */
  readonly apiVersion: string;
  readonly isPodman: boolean;
  readonly builder: Builder;
  readonly inStudio: boolean;
}

/** The engine behind a transport. */
export function engineOver(
  transport: Transport,
  { apiVersion, isPodman, builder, inStudio }: EngineIdentity,
  rule: string,
): Engine {
  const request: Transport["request"] = (method, path, options) =>
    transport.request(method, `/v${apiVersion}${path}`, options);

  async function get(path: string, signal?: AbortSignal): Promise<Answer> {
    return await request("GET", path, { expect: [200], signal });
  }

  async function containers(
    parameters: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<readonly ContainerSummary[]> {
    const answer = await get(`/containers/json?${query(parameters)}`, signal);
    const ahead = aheadOf(answer.headers);
    return (await answer.list<ContainerSummary>(shapes.CONTAINER, "Id")).map((container) => ({
      ...container,
      Created: (container.Created ?? 0) - ahead / 1000,
      Image: container.Image ?? "",
      State: container.State ?? "",
      Status: container.Status ?? "",
      // Null where there are none, on some engines.
      Names: container.Names ?? [],
      Labels: container.Labels ?? {},
      Ports: [
        ...container.Ports ?? [],
        ...(inStudio ? studioPorts({ ...container, Labels: container.Labels ?? {} }) : []),
      ],
    }));
  }

  /** Sends a request whose answer's body does not matter. */
  async function command(
    method: string,
    path: string,
    expect: readonly number[],
    signal?: AbortSignal,
  ): Promise<Answer> {
    const answer = await request(method, path, { expect, signal });
    await answer.discard();
    return answer;
  }

  /** Undefined when there is no such container. */
  async function state(id: string): Promise<ContainerState | undefined> {
    const answer = await request("GET", `/containers/${id}/json`, { expect: [200, 404] });
    if (answer.status === 200) {
      return (await answer.object<ContainerDetails>(shapes.CONTAINER_DETAILS, "State")).State;
    }
    await answer.discard();
  }

  let told: Promise<EngineInfo> | undefined;
  return {
    address: transport.address,
    rule,
    builder,
    isPodman,
    inStudio,
    remembersExitStatus: !isPodman,
    followsLogsToTheirEnd: !isPodman,
    info(signal?: AbortSignal): Promise<EngineInfo> {
      if (told !== undefined) return told;
      const asked = get("/info", signal).then((answer) => answer.object<EngineInfo>(shapes.INFO));
      asked.catch(() => told = undefined);
      return told = asked;
    },
    version: async (signal?: AbortSignal) =>
      (await get("/version", signal)).object<EngineVersion>(
        shapes.VERSION,
        "Version",
        "ApiVersion",
      ),

    async image(reference: string, signal?: AbortSignal): Promise<ImageDetails | undefined> {
      const path = `/images/${encodeURIComponent(reference)}/json`;
      const answer = await request("GET", path, { expect: [200, 404], signal });
      if (answer.status === 200) {
        const details = await answer.object<ToldImage>(shapes.IMAGE, "Os");
        const ahead = aheadOf(answer.headers);
        const tagged = details.Metadata?.LastTagTime ?? "";
        return {
          ...details,
          Created: onThisClock(details.Created ?? NEVER, ahead),
          Metadata: { LastTagTime: onThisClock(tagged, ahead) },
        };
      }
      await answer.discard();
    },

    async listImages(name: string, signal?: AbortSignal): Promise<readonly ImageSummary[]> {
      const filters = JSON.stringify({ reference: [name] });
      return (await get(`/images/json?${query({ filters })}`, signal)).list(shapes.IMAGE_ROW);
    },

    async hasImage(reference: string): Promise<boolean> {
      const path = `/images/${encodeURIComponent(reference)}/json`;
      return (await command("GET", path, [200, 404])).status === 200;
    },

    async *build(options: BuildOptions): AsyncGenerator<ProgressMessage, void, void> {
      const parameters = query({
        // Without a session: the context comes with the request, and nothing is asked back.
        version: options.builder === "buildkit" ? "2" : undefined,
        t: options.tag,
        dockerfile: options.dockerfile,
        target: options.target,
        buildargs: JSON.stringify(options.buildArguments),
        labels: JSON.stringify(options.labels),
        platform: options.platform,
        networkmode: inStudio ? STUDIO_NETWORK : options.networkMode,
        nocache: options.noCache ? "1" : undefined,
        rm: "1",
        forcerm: "1",
      });
      const answer = await request("POST", `/build?${parameters}`, {
        expect: [200],
        effort: "wait",
        tar: options.context,
        signal: options.signal,
      });
      yield* answer.lines<ProgressMessage>(shapes.PROGRESS);
    },

    async *importImage(
      reference: string,
      tar: ReadableStream<Uint8Array>,
    ): AsyncGenerator<ProgressMessage, void, void> {
      const parameters = query({ fromSrc: "-", repo: reference });
      const answer = await request("POST", `/images/create?${parameters}`, {
        expect: [200],
        effort: "wait",
        tar,
      });
      yield* answer.lines<ProgressMessage>(shapes.PROGRESS);
    },

    async createContainer(name: string, body: CreateBody | HolderBody): Promise<string> {
      const answer = await request("POST", `/containers/create?${query({ name })}`, {
        expect: [201],
        json: inStudio ? studioBody(body) : body,
      });
      return (await answer.object<{ Id: string }>(shapes.CREATED, "Id")).Id;
    },

    async startContainer(id: string): Promise<void> {
      await command("POST", `/containers/${id}/start`, [204, 304]);
    },

    async renameContainer(id: string, name: string): Promise<void> {
      await command("POST", `/containers/${id}/rename?${query({ name })}`, [204]);
    },

    async attach(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      const path = `/containers/${id}/attach?stream=1&stdout=1&stderr=1`;
      const options = { expect: [200], effort: "ask", isStream: true, signal } as const;
      return (await request("POST", path, options)).body;
    },

    attachWithInput: (id: string, signal: AbortSignal) => {
      const parameters = query({
        stream: "1",
        stdin: "1",
        stdout: "1",
        stderr: "1",
        detachKeys: NO_DETACH_KEYS,
      });
      return transport.upgrade(`/v${apiVersion}/containers/${id}/attach?${parameters}`, signal);
    },

    async resize(id: string, { rows, columns }: TerminalSize): Promise<void> {
      // 409, and Podman's 500: it does not run, or not any more.
      const path = `/containers/${id}/resize?h=${rows}&w=${columns}`;
      await command("POST", path, [200, 201, 404, 409, 500]);
    },

    async wait(
      id: string,
      condition: "not-running" | "removed",
      signal: AbortSignal,
    ): Promise<{ readonly status: Promise<number> }> {
      const path = `/containers/${id}/wait?${query({ condition })}`;
      const options = { expect: [200], effort: "ask", isStream: true, signal } as const;
      const answer = await request("POST", path, options);
      const status = answer.object<WaitAnswer>(shapes.WAITED, "StatusCode").then(exitStatusOf);
      status.catch(() => {}); // who awaits it gets the error; else it must not end the program
      return { status };
    },

    async stopContainer(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
      const path = `/containers/${id}/stop?t=${graceSeconds}`;
      const options = { expect: [204, 304, 404], effort: "ask", grace: graceSeconds } as const;
      await (await request("POST", path, { ...options, signal })).discard();
    },

    async killContainer(id: string): Promise<void> {
      await command("POST", `/containers/${id}/kill`, [204, 404, 409]);
    },

    async removeContainer(id: string, signal?: AbortSignal): Promise<void> {
      // 409: its removal is already in progress.
      await command("DELETE", `/containers/${id}?force=1&v=1`, [204, 404, 409], signal);
    },

    async containersOnPort(
      port: number,
      signal?: AbortSignal,
    ): Promise<readonly ContainerSummary[]> {
      // The engine's own filter, `publish`, is unknown to newer Podman.
      return (await containers({}, signal)).filter(({ Ports }) =>
        Ports.some(({ IP, PublicPort }) => PublicPort === port && isThisMachine(IP))
      );
    },

    listContainers: (labels: readonly string[], signal?: AbortSignal) =>
      containers({ all: "1", filters: JSON.stringify({ label: labels }) }, signal),

    async networks(signal?: AbortSignal): Promise<readonly string[]> {
      const found = await (await get("/networks", signal)).list<{ readonly Name: string }>(
        shapes.NETWORK,
        "Name",
      );
      return found.map(({ Name }) => Name);
    },

    async logs(id: string, options: LogOptions): Promise<AsyncIterable<Uint8Array>> {
      const parameters = query({
        stdout: "1",
        stderr: "1",
        tail: String(options.tail),
        follow: options.follow ? "1" : undefined,
      });
      const path = `/containers/${id}/logs?${parameters}`;
      // An engine may send the head with the first line.
      const limit = options.follow ? { effort: "wait" } as const : { within: options.within };
      return (await request("GET", path, { expect: [200], ...limit, signal: options.signal })).body;
    },

    async ranOutOfMemory(id: string): Promise<boolean> {
      const known = await state(id);
      if (known !== undefined) return known.OOMKilled === true;
      // Docker's events outlive a container that it removed by itself; Podman (4.3.1) has none of
      // memory, and mlcli lets it keep its containers for as long as they are asked about.
      return !isPodman && await wasOutOfMemory(request, id);
    },

    isRunning: async (id: string) => (await state(id))?.Running === true,

    ...imageCalls(request),

    close: () => transport.close(),
  };
}

/** Whether the engine has no such image, container or network. */
export function isNotFound(error: unknown): boolean {
  return error instanceof EngineError && error.status === 404;
}

/** Whether a name is taken, or the state does not allow what was asked. */
export function isConflict(error: unknown): boolean {
  return error instanceof EngineError && (error.status === 409 || isNameTakenOnPodman(error));
}

/**
 * Podman (4.3.1) answers 500 to a name that is taken, with the words of its storage
 * (`ErrDuplicateName`, github.com/containers/storage/errors.go).
 */
function isNameTakenOnPodman({ status, reason }: EngineError): boolean {
  return status === 500 && /that name is already in use\b/.test(reason);
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return new URLSearchParams(given).toString();
}

/** What `GET /containers/ID/json` says, as far as mlcli asks. */
interface ContainerDetails {
  readonly State: ContainerState;
}

interface ContainerState {
  readonly Running?: boolean;
  readonly OOMKilled?: boolean;
}

/** What `POST /containers/ID/wait` says. */
interface WaitAnswer {
  readonly StatusCode: number;
  /** Why the engine does not know how it ended. */
  readonly Error?: { readonly Message?: string } | null;
}

function exitStatusOf({ StatusCode, Error }: WaitAnswer): number {
  const isStatus = Number.isInteger(StatusCode) && StatusCode >= 0;
  if (isStatus && !Error?.Message) return StatusCode;
  const reason = engineWords(Error?.Message ?? "") || `exit status ${StatusCode}`;
  throw new MlcliError(`The Docker Engine does not know how the run ended: ${reason}`, {
    hint: "Is it still running? docker version tells.",
  });
}

/** Whether programs on the engine's machine reach a port that is published on this address. */
function isThisMachine(address: string | undefined): boolean {
  // Podman leaves the address out, or empty, for all of them.
  return !address || ["0.0.0.0", "127.0.0.1", "::", "::1"].includes(address);
}
