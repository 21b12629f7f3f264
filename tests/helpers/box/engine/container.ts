/** A container of the engine: a host of a job, or an instance of an endpoint. */

import { type EngineApi, EngineError } from "../engine_api.ts";
import { type Entry, packed, unpacked } from "./archive.ts";

/** What the engine says that it is done with, already or not at all. */
const ENDED = [204, 304, 404, 409];

/** Of calls that end when the container does; the box ends all containers. */
const NO_LIMIT = new AbortController().signal;

/** Says whose a container, volume or network is: `MACHINE:PROCESS`. */
export const LABEL = "mlcli.box";

/** What this process labels with. */
export function ownLabel(): Readonly<Record<string, string>> {
  return { [LABEL]: `${Deno.hostname()}:${Deno.pid}` };
}

/** Where a volume is seen. */
export interface Mount {
  readonly volume: string;
  readonly directory: string;
  readonly isReadOnly: boolean;
}

/** A container to make. */
export interface ContainerSpec {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Directories with a volume each that is the container's own. */
  readonly volumes?: readonly string[];
  /** Directories of others' volumes, which stay when it goes. */
  readonly mounts?: readonly Mount[];
  /** Of a server: a port that this machine alone reaches. */
  readonly port?: number;
  /** Its name in the network: `algo-1`. */
  readonly host: string;
  /** `none`, the name of a network, or the engine's own. */
  readonly network: string | undefined;
  /** In bytes. */
  readonly memory: number | undefined;
}

/** 128 plus the signal's number. */
const SIGKILL_STATUS = 137;

/** How a container ended. */
export interface Exit {
  readonly status: number;
  readonly isOutOfMemory: boolean;
}

/** A container that was made. */
export class EngineContainer {
  /** Whole lines of each stream that were handed on. */
  readonly #linesSeen = new Map<number, number>();
  /** Whether it got a SIGKILL that was asked for. */
  #isKilled = false;

  private constructor(
    private readonly engine: EngineApi,
    private readonly id: string,
    readonly host: string,
    private readonly hasMemoryLimit: boolean,
  ) {}

  /** Makes one. The caller removes it. */
  static async create(engine: EngineApi, spec: ContainerSpec): Promise<EngineContainer> {
    const { network, host } = spec;
    const isNamed = network !== undefined && network !== "none";
    const { Id } = await engine.json("POST", `/containers/create?name=${nameFor(host)}`, {
      body: {
        Image: spec.image,
        ...(spec.entrypoint ? { Entrypoint: spec.entrypoint } : {}),
        ...(spec.command ? { Cmd: spec.command } : {}),
        Env: Object.entries(spec.variables).map(([name, value]) => `${name}=${value}`),
        Hostname: host,
        ...(spec.port === undefined ? {} : { ExposedPorts: { [`${spec.port}/tcp`]: {} } }),
        Labels: ownLabel(),
        HostConfig: {
          Mounts: [...ownVolumes(spec), ...mountsOf(spec)],
          ...(spec.port === undefined
            ? {}
            : { PortBindings: { [`${spec.port}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: "" }] } }),
          LogConfig: { Type: "json-file" },
          ...(network === undefined ? {} : { NetworkMode: network }),
          // As much with swap as without: no swap.
          ...(spec.memory === undefined ? {} : { Memory: spec.memory, MemorySwap: spec.memory }),
        },
        ...(isNamed
          ? { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [host] } } } }
          : {}),
      },
    });
    return new EngineContainer(engine, Id, host, spec.memory !== undefined);
  }

  /** Puts entries below `/`, before it is started. */
  async fill(entries: readonly Entry[]): Promise<void> {
    const bytes = await packed(entries);
    await this.engine.send("PUT", `/containers/${this.id}/archive?path=/`, { bytes });
  }

  /** @throws EngineError where there is no such program, or none for this machine. */
  async start(): Promise<void> {
    await this.engine.send("POST", `/containers/${this.id}/start`);
  }

  /**
   * Where its port answers while it runs: `127.0.0.1:PORT`, or in a network that leads nowhere its
   * own address there. `undefined` where it has ended.
   */
  async address(port: number): Promise<string | undefined> {
    const { NetworkSettings } = await this.engine.json("GET", `/containers/${this.id}/json`);
    const published = NetworkSettings.Ports?.[`${port}/tcp`]?.[0];
    if (published) return `127.0.0.1:${published.HostPort}`;
    const networks = Object.values<{ readonly IPAddress: string }>(NetworkSettings.Networks);
    const { IPAddress = "" } = networks[0] ?? {};
    return IPAddress === "" ? undefined : `${IPAddress}:${port}`;
  }

  /** Hands on the lines of both streams, until it ends. */
  async follow(onLine: (line: string) => void): Promise<void> {
    await this.#readLog("follow=1", (stream, lines) => {
      this.#linesSeen.set(stream, (this.#linesSeen.get(stream) ?? 0) + lines.length);
      lines.forEach(onLine);
    });
  }

  /**
   * Hands on what `follow` did not: an engine may end a log that it follows before its last line.
   * To be called once the container has ended, when its log is whole.
   */
  async followRest(onLine: (line: string) => void): Promise<void> {
    const left = new Map(this.#linesSeen);
    await this.#readLog("follow=0", (stream, lines) => {
      const seen = left.get(stream) ?? 0;
      left.set(stream, Math.max(0, seen - lines.length));
      lines.slice(seen).forEach(onLine);
    }, true);
  }

  /** Waits until it ends. */
  async wait(): Promise<Exit> {
    const path = `/containers/${this.id}/wait?condition=not-running`;
    const { StatusCode } = await this.engine.json("POST", path, { signal: NO_LIMIT });
    const { State } = await this.engine.json("GET", `/containers/${this.id}/json`);
    // The engine may hear of the missing memory only after the end.
    const isLimit = this.hasMemoryLimit && StatusCode === SIGKILL_STATUS && !this.#isKilled;
    return { status: StatusCode, isOutOfMemory: State.OOMKilled === true || isLimit };
  }

  /** Sends a signal; one that has ended gets none. */
  async kill(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (signal === "SIGKILL") this.#isKilled = true;
    const path = `/containers/${this.id}/kill?signal=${signal}`;
    await this.engine.send("POST", path, { expect: ENDED });
  }

  /** What lies below a directory, by paths that begin there; nothing where it is not there. */
  async read(path: string): Promise<readonly Entry[]> {
    const call = `/containers/${this.id}/archive?path=${encodeURIComponent(path)}`;
    const answer = await this.engine.call("GET", call, { expect: [200, 404] });
    const bytes = await answer.bytes();
    if (answer.status === 404) return [];
    // The first part of each name is that of the directory itself.
    return (await unpacked(bytes)).flatMap((entry) => {
      const name = entry.name.split("/").slice(1).join("/");
      return name === "" ? [] : [{ ...entry, name }];
    });
  }

  /** The content of a file; `undefined` where it is not there. */
  async readFile(path: string): Promise<Uint8Array | undefined> {
    const call = `/containers/${this.id}/archive?path=${encodeURIComponent(path)}`;
    const answer = await this.engine.call("GET", call, { expect: [200, 404] });
    const bytes = await answer.bytes();
    return answer.status === 404 ? undefined : (await unpacked(bytes))[0]?.content;
  }

  async #readLog(
    query: string,
    onLines: (stream: number, lines: readonly string[]) => void,
    isWhole = false,
  ): Promise<void> {
    const path = `/containers/${this.id}/logs?stdout=1&stderr=1&${query}`;
    const answer = await this.engine.call("GET", path, { signal: NO_LIMIT });
    const readers = new Map<number, LineReader>();
    for await (const { stream, bytes } of frames(answer.body!)) {
      const reader = readers.get(stream) ?? new LineReader();
      readers.set(stream, reader);
      onLines(stream, reader.take(bytes));
    }
    if (!isWhole) return;
    for (const [stream, reader] of readers) onLines(stream, reader.rest());
  }

  /** Ends and removes it, with its volumes. */
  async remove(): Promise<void> {
    // 409: it is being removed.
    const expect = [204, 404, 409];
    await this.engine.send("DELETE", `/containers/${this.id}?force=1&v=1`, { expect });
  }
}

/** Whether the engine could not start what the image or the job asks for. */
export function isRefusal(error: unknown): error is EngineError {
  return error instanceof EngineError;
}

function ownVolumes({ volumes = [] }: ContainerSpec): readonly unknown[] {
  const VolumeOptions = { NoCopy: true, Labels: ownLabel() };
  return volumes.map((Target) => ({ Type: "volume", Target, VolumeOptions }));
}

function mountsOf({ mounts = [] }: ContainerSpec): readonly unknown[] {
  return mounts.map(({ volume, directory, isReadOnly }) => ({
    Type: "volume",
    Source: volume,
    Target: directory,
    ReadOnly: isReadOnly,
    VolumeOptions: { NoCopy: true },
  }));
}

function nameFor(host: string): string {
  return `mlcli-box-${host}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Text that comes in pieces, as lines. Empty ones are no events. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The lines that are whole now. */
  take(bytes: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    return lines.map((line) => line.replace(/\r$/, "")).filter((line) => line !== "");
  }

  /** What is behind the last line break, if anything is. */
  rest(): readonly string[] {
    return this.#rest === "" ? [] : [this.#rest];
  }
}

/** The engine's frames: a byte for the stream, three of nothing, four for the length. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly stream: number; readonly bytes: Uint8Array }> {
  let rest = new Uint8Array(0);
  for await (const chunk of body) {
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    rest = joined;
    while (rest.length >= 8) {
      const end = 8 + new DataView(rest.buffer, rest.byteOffset).getUint32(4);
      if (rest.length < end) break;
      yield { stream: rest[0]!, bytes: rest.subarray(8, end) };
      rest = rest.slice(end);
    }
  }
}
