/**
 * The calls of the Engine API that mlcli uses, typed. Field names are the API's own:
 * https://docs.docker.com/reference/api/engine/
 *
 * @module
 */

import { type ProgressMessage, progressMessages } from "./messages.ts";
import { EngineError, type Transport } from "./transport.ts";

/** A host directory or file in a container. */
export interface Mount {
  readonly Type: "bind";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}

/** The body of `POST /containers/create`, as far as mlcli fills it. Sizes are in bytes. */
export interface CreateBody {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Env?: readonly string[];
  readonly Hostname?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly User?: string;
  readonly ExposedPorts?: Readonly<Record<string, Record<string, never>>>;
  readonly HostConfig: {
    readonly AutoRemove: boolean;
    readonly CapAdd?: readonly string[];
    readonly CapDrop?: readonly string[];
    readonly Init?: boolean;
    readonly LogConfig?: { readonly Type: "none" };
    readonly Memory?: number;
    readonly MemorySwap?: number;
    readonly Mounts: readonly Mount[];
    readonly NetworkMode?: string;
    readonly PidsLimit?: number;
    readonly PortBindings?: Readonly<
      Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[]>
    >;
    readonly SecurityOpt?: readonly string[];
    readonly ShmSize?: number;
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
  /** Seconds since 1970. */
  readonly Created: number;
  readonly Labels: Readonly<Record<string, string>>;
}

/** A container's name; its id where it has none. (The engine writes names with a slash.) */
export function containerName({ Names, Id }: ContainerSummary): string {
  return Names[0]?.slice(1) ?? Id;
}

/** What to build. */
export interface BuildOptions {
  /** `name:tag` */
  readonly tag: string;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
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

/** What `GET /info` says, as far as mlcli asks. */
export interface EngineInfo {
  readonly SecurityOptions?: readonly string[];
  /** Host name of the engine's machine. */
  readonly Name?: string;
  /** Directory on the engine's machine that holds images and containers. */
  readonly DockerRootDir?: string;
}

/** Whether root in a container is the user who runs the engine. */
export function isRootless({ SecurityOptions = [] }: EngineInfo): boolean {
  return SecurityOptions.some((option) => option.includes("rootless"));
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

/** What `GET /images/NAME/json` says, as far as mlcli asks. */
export interface ImageDetails {
  /** ISO 8601. A build that finds every step in its cache leaves it as it was. */
  readonly Created: string;
  readonly Os: string;
  /** `amd64`, `arm64`, ... */
  readonly Architecture: string;
  /** When the image got its name here: also at such a build. */
  readonly Metadata?: { readonly LastTagTime?: string };
  readonly Config?: {
    readonly Entrypoint?: readonly string[] | null;
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
  readonly signal?: AbortSignal;
}

/**
 * One Docker Engine. Every call throws `EngineError` on a status that it does not expect, and
 * `MlcliError` of kind `engine` when the engine does not answer.
 */
export interface Engine {
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
  /** What named that address: `DOCKER_HOST`, `default`, ... */
  readonly rule: string;
  /**
   * Whether `wait` still knows the exit status of a container that the engine removed by itself.
   * Podman (4.3.1) does not: it says 0.
   */
  readonly remembersExitStatus: boolean;
  info(): Promise<EngineInfo>;
  version(): Promise<EngineVersion>;
  /** The image, or undefined when it is not there. */
  image(reference: string): Promise<ImageDetails | undefined>;
  /** Images of this name, with whatever tag. */
  listImages(name: string, signal?: AbortSignal): Promise<readonly ImageSummary[]>;
  /** Whether the image is there. */
  hasImage(reference: string): Promise<boolean>;
  /** Builds an image. Failures come as a message with `errorDetail`. */
  build(options: BuildOptions): AsyncGenerator<ProgressMessage, void, void>;
  /** Pulls an image. Failures come as a message with `errorDetail`. */
  pull(reference: string, signal?: AbortSignal): AsyncGenerator<ProgressMessage, void, void>;
  /** Makes an image of a root file system. */
  importImage(
    reference: string,
    tar: ReadableStream<Uint8Array>,
  ): AsyncGenerator<ProgressMessage, void, void>;
  /** Creates a container and returns its id. A status of 404 means that the image is missing. */
  createContainer(name: string, body: CreateBody): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** Standard output and standard error from now on, multiplexed. */
  attach(id: string): Promise<ReadableStream<Uint8Array>>;
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
  /** Kills and removes. A container that is gone, or on its way, is no error. */
  removeContainer(id: string, signal?: AbortSignal): Promise<void>;
  /** Containers that carry all these labels (`key` or `key=value`), ended ones included. */
  listContainers(
    labels: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly ContainerSummary[]>;
  /** Running containers that publish this port of the engine's machine. */
  containersOnPort(port: number): Promise<readonly ContainerSummary[]>;
  logs(id: string, options: LogOptions): Promise<ReadableStream<Uint8Array>>;
  /** Whether a container was killed for want of memory, as far as the engine remembers. */
  ranOutOfMemory(id: string): Promise<boolean>;
  close(): void;
}

/** What an engine says of itself in its answer to `_ping`. */
export interface EngineIdentity {
  /** The version of the API to speak with it: `1.41`. */
  readonly apiVersion: string;
  readonly isPodman: boolean;
}

/** The engine behind a transport. */
export function engineOver(
  transport: Transport,
  { apiVersion, isPodman }: EngineIdentity,
  rule: string,
): Engine {
  const request: Transport["request"] = (method, path, options) =>
    transport.request(method, `/v${apiVersion}${path}`, options);

  async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
    return await (await request("GET", path, { expect: [200], signal })).json() as T;
  }

  /** Sends a request whose answer's body does not matter. */
  async function command(
    method: string,
    path: string,
    expect: readonly number[],
    signal?: AbortSignal,
  ): Promise<Response> {
    const response = await request(method, path, { expect, signal });
    await response.body?.cancel();
    return response;
  }

  /** What happened to a container: `create`, `start`, `oom`, `die`, ... */
  async function pastActions(id: string): Promise<readonly string[]> {
    const parameters = query({
      since: "1",
      // Until now: the engine answers from memory and ends the stream.
      until: (Date.now() / 1000).toFixed(3),
      filters: JSON.stringify({ type: ["container"], container: [id] }),
    });
    const response = await request("GET", `/events?${parameters}`, { expect: [200] });
    const lines = (await response.text()).split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => (JSON.parse(line) as { Action: string }).Action);
  }

  async function isOutOfMemoryKilled(id: string): Promise<boolean> {
    const response = await request("GET", `/containers/${id}/json`, { expect: [200, 404] });
    const { State } = await response.json() as { State?: { OOMKilled?: boolean } };
    return State?.OOMKilled === true;
  }

  return {
    address: transport.address,
    rule,
    remembersExitStatus: !isPodman,
    info: () => json("/info"),
    version: () => json("/version"),

    async image(reference: string): Promise<ImageDetails | undefined> {
      const path = `/images/${encodeURIComponent(reference)}/json`;
      const response = await request("GET", path, { expect: [200, 404] });
      if (response.status === 200) return await response.json() as ImageDetails;
      await response.body?.cancel();
    },

    listImages: (name: string, signal?: AbortSignal) =>
      json(`/images/json?${query({ filters: JSON.stringify({ reference: [name] }) })}`, signal),

    async hasImage(reference: string): Promise<boolean> {
      const path = `/images/${encodeURIComponent(reference)}/json`;
      return (await command("GET", path, [200, 404])).status === 200;
    },

    async *build(options: BuildOptions): AsyncGenerator<ProgressMessage, void, void> {
      const parameters = query({
        t: options.tag,
        dockerfile: options.dockerfile,
        buildargs: JSON.stringify(options.buildArguments),
        labels: JSON.stringify(options.labels),
        platform: options.platform,
        networkmode: options.networkMode,
        nocache: options.noCache ? "1" : undefined,
        rm: "1",
        forcerm: "1",
      });
      const response = await request("POST", `/build?${parameters}`, {
        expect: [200],
        tar: options.context,
        signal: options.signal,
      });
      yield* progressMessages(bodyOf(response));
    },

    async *pull(
      reference: string,
      signal?: AbortSignal,
    ): AsyncGenerator<ProgressMessage, void, void> {
      const response = await request("POST", `/images/create?${query({ fromImage: reference })}`, {
        expect: [200],
        headers: { "X-Registry-Auth": "e30=" }, // base64url of {}: nobody logged in
        signal,
      });
      yield* progressMessages(bodyOf(response));
    },

    async *importImage(
      reference: string,
      tar: ReadableStream<Uint8Array>,
    ): AsyncGenerator<ProgressMessage, void, void> {
      const parameters = query({ fromSrc: "-", repo: reference });
      const response = await request("POST", `/images/create?${parameters}`, {
        expect: [200],
        tar,
      });
      yield* progressMessages(bodyOf(response));
    },

    async createContainer(name: string, body: CreateBody): Promise<string> {
      const response = await request("POST", `/containers/create?${query({ name })}`, {
        expect: [201],
        json: body,
      });
      return (await response.json() as { Id: string }).Id;
    },

    async startContainer(id: string): Promise<void> {
      await command("POST", `/containers/${id}/start`, [204, 304]);
    },

    async attach(id: string): Promise<ReadableStream<Uint8Array>> {
      const path = `/containers/${id}/attach?stream=1&stdout=1&stderr=1`;
      return bodyOf(await request("POST", path, { expect: [200] }));
    },

    async wait(
      id: string,
      condition: "not-running" | "removed",
      signal: AbortSignal,
    ): Promise<{ readonly status: Promise<number> }> {
      const path = `/containers/${id}/wait?${query({ condition })}`;
      const response = await request("POST", path, { expect: [200], signal });
      const status = response.json().then((answer: { StatusCode: number }) => answer.StatusCode);
      status.catch(() => {}); // whoever awaits it hears of it; nobody else must
      return { status };
    },

    async stopContainer(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
      await command(
        "POST",
        `/containers/${id}/stop?t=${graceSeconds}`,
        [204, 304, 404],
        signal,
      );
    },

    async killContainer(id: string): Promise<void> {
      await command("POST", `/containers/${id}/kill`, [204, 404, 409]);
    },

    async removeContainer(id: string, signal?: AbortSignal): Promise<void> {
      // 409: its removal is already in progress.
      await command("DELETE", `/containers/${id}?force=1&v=1`, [204, 404, 409], signal);
    },

    containersOnPort: (port: number) =>
      json(`/containers/json?${query({ filters: JSON.stringify({ publish: [String(port)] }) })}`),

    listContainers: (labels: readonly string[], signal?: AbortSignal) =>
      json(
        `/containers/json?${query({ all: "1", filters: JSON.stringify({ label: labels }) })}`,
        signal,
      ),

    async logs(id: string, options: LogOptions): Promise<ReadableStream<Uint8Array>> {
      const parameters = query({
        stdout: "1",
        stderr: "1",
        tail: String(options.tail),
        follow: options.follow ? "1" : undefined,
      });
      const path = `/containers/${id}/logs?${parameters}`;
      return bodyOf(await request("GET", path, { expect: [200], signal: options.signal }));
    },

    // Docker's events outlive a container that it removed by itself; Podman (4.3.1) has no such
    // event, but its containers are still there to ask.
    ranOutOfMemory: async (id: string) =>
      (await pastActions(id)).includes("oom") || await isOutOfMemoryKilled(id),

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

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
}
