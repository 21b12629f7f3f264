/**
 * A fake engine that plays the life of containers: what it creates can be attached to, waited for,
 * started, stopped, killed and removed, and does in between what the test says.
 */

import type { ContainerSummary, CreateBody } from "../../runtime/docker/engine.ts";
import { statIfThere } from "../../runtime/files.ts";
import {
  type Answers,
  type Call,
  done,
  type FakeEngine,
  fakeEngine,
  pong,
  refusal,
} from "./fake_engine.ts";
import { entriesOf } from "./tar.ts";
import { upgradeFront } from "./upgrade_front.ts";

export interface FakeContainer {
  readonly id: string;
  readonly name: string;
  readonly body: CreateBody;
  /** What was unpacked in it, by its path without the first slash; directories end with a slash. */
  readonly files: ReadonlyMap<string, string>;
  out(text: string): void;
  err(text: string): void;
  /** Its program ends. Only the first end counts. */
  end(status: number): void;
  /** Says something on its output that is in no frame, or a part of one. */
  raw(bytes: Uint8Array): void;
  /** Its output ends, and not the program. */
  breakOff(): void;
}

/** The port of this machine that a container's server is given. */
export function portOf({ HostConfig }: CreateBody): number {
  return Number(HostConfig.PortBindings!["8080/tcp"]![0]!.HostPort);
}

/** A row of the engine's list: a server of mlcli on a port. */
export function listedServer(
  port: number,
  more: Readonly<Record<string, unknown>> = {},
  labels: Readonly<Record<string, string>> = {},
): ContainerSummary {
  return {
    Id: String(port),
    Names: [`/mlcli-demo-serve-${port}`],
    Image: "demo:latest",
    State: "running",
    Status: "Up 3 minutes",
    Created: 1_700_000_000,
    Ports: [],
    Mounts: [],
    Labels: {
      "mlcli.app": "demo",
      "mlcli.role": "serve",
      "mlcli.port": String(port),
      ...labels,
    },
    ...more,
  };
}

/** What the engine has, and what happens on it. */
export interface Play {
  /** The image's configuration; null: there is no image. Default: one with mlcli's harness. */
  readonly image?: Readonly<Record<string, unknown>> | null;
  /** What the container does once it is started. Default: it ends with 0. */
  readonly program?: (container: FakeContainer) => void | Promise<void>;
  /** What it does at SIGTERM. Default: it ends with 143. */
  readonly onStop?: (container: FakeContainer) => void;
  /** What it does when something is typed at it; `null` is the end of the input. */
  readonly onInput?: (container: FakeContainer, text: string | null) => void;
  /** Containers that are there already. */
  readonly containers?: readonly Partial<ContainerSummary>[];
  /** Networks that are there already: their labels, by their names. */
  readonly networks?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly isPodman?: boolean;
  /** Whether a training that ends with 0 leaves its model directory as the play does. */
  readonly writesNoModel?: boolean;
  /** Answers instead of those of the play; ID stands for any container's id, NAME for any image's. */
  readonly answers?: Answers;
  /** Hears of each request before it is answered, and may answer it. */
  readonly before?: (call: string) => void | Response | Promise<void | Response>;
}

export interface FakeContainers extends FakeEngine {
  /** Calls so far, with ID and NAME in the place of ids, images and networks, without `_ping`. */
  readonly course: readonly string[];
  /** The calls of this kind: `DELETE /containers/ID`. */
  callsOf(call: string): readonly (Call & { readonly id: string | undefined })[];
  /** The bodies that containers were created with, as JSON. */
  // deno-lint-ignore no-explicit-any
  readonly created: readonly any[];
  /** Those that were created and not removed. */
  readonly left: readonly string[];
  /** The networks that are there. */
  readonly networks: readonly string[];
}

/** An image that mlcli built. */
export const HARNESS_IMAGE = { Entrypoint: ["/opt/mlcli/entrypoint"] };
/** For which system images are. */
const AMD64 = { Os: "linux", Architecture: "amd64" };
/** One of somebody else's. */
export const FOREIGN_IMAGE = { Entrypoint: ["/bin/server"] };

/** `POST /containers/ID/start` for `POST /containers/abc/start`. */
function generic(call: string): string {
  return call.replace(/^(\w+ \/containers\/)(?!(?:create|json)$)[^/]+/, "$1ID")
    .replace(/^(\w+ \/images\/).+(\/json)$/, "$1NAME$2")
    .replace(/^(\w+ \/networks\/)(?!create$)[^/]+/, "$1NAME");
}

function idOf(call: string): string | undefined {
  return /^\w+ \/containers\/(?!(?:create|json)$)([^/]+)/.exec(call)?.[1];
}

/** A frame of the engine's output. */
export function frame(stream: 1 | 2 | 3, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const framed = new Uint8Array(8 + bytes.length);
  framed[0] = stream;
  new DataView(framed.buffer).setUint32(4, bytes.length);
  framed.set(bytes, 8);
  return framed;
}

/** What lies at a path of a container: what is mounted there. The engine sees all of this machine. */
async function lookedAt({ HostConfig }: CreateBody, path: string): Promise<Response> {
  const mount = HostConfig.Mounts.filter(({ Target }) => `${path}/`.startsWith(`${Target}/`))
    .sort((one, other) => other.Target.length - one.Target.length)[0];
  const found = mount && await statIfThere(mount.Source + path.slice(mount.Target.length));
  return found === undefined ? refusal(404, `no such file: ${path}`) : pathStat(found.isDirectory);
}

/** What an engine says of a file or a directory at a path of a container. */
export function pathStat(isDirectory: boolean): Response {
  // Go's `fs.ModeDir`.
  const stat = { name: "x", mode: isDirectory ? 0x800001ed : 0o644, linkTarget: "" };
  return new Response(null, {
    headers: { "X-Docker-Container-Path-Stat": btoa(JSON.stringify(stat)) },
  });
}

/** A container's life. Its methods may be taken from it. */
class Life implements FakeContainer {
  readonly #ended = Promise.withResolvers<number>();
  /** What it wrote so far, in frames. */
  readonly #log: Uint8Array[] = [];
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly files = new Map<string, string>();
  isRunning = false;
  isOver = false;

  constructor(
    readonly id: string,
    public name: string,
    readonly body: CreateBody,
    private readonly writesNoModel: boolean,
  ) {}

  readonly out = (text: string): void => this.#write(1, text);

  readonly err = (text: string): void => this.#write(2, text);

  /** In a frame, unless it has a terminal. */
  #write(stream: 1 | 2, text: string): void {
    this.raw(this.body.Tty ? new TextEncoder().encode(text) : frame(stream, text));
  }

  readonly raw = (bytes: Uint8Array): void => {
    this.#log.push(bytes);
    for (const reader of this.#readers) whileRead(() => reader.enqueue(bytes));
  };

  readonly breakOff = (): void => {
    for (const reader of this.#readers) whileRead(() => reader.close());
    this.#readers.clear();
  };

  readonly end = (status: number): void => {
    if (status === 0 && !this.isOver) this.#writeModel();
    this.isRunning = false;
    this.isOver = true;
    this.breakOff();
    this.#ended.resolve(status);
  };

  /** A training that ends well has written a model, be it an empty one. */
  #writeModel(): void {
    if (this.writesNoModel || this.body.Cmd[0] !== "train") return;
    const mount = this.body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/model");
    if (mount && [...Deno.readDirSync(mount.Source)].length === 0) {
      Deno.writeTextFileSync(`${mount.Source}/m`, "");
    }
  }

  async unpack(archive: Uint8Array): Promise<Response> {
    for (const [name, { text }] of await entriesOf(ReadableStream.from([archive]))) {
      this.files.set(name, text);
    }
    return done(200);
  }

  /** What it writes from now on, or all of it, to its end or to now. */
  output({ past, follow }: { past: boolean; follow: boolean }): Response {
    let own: ReadableStreamDefaultController<Uint8Array>;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      own = controller;
      if (past) { for (const bytes of this.#log) controller.enqueue(bytes); }
      if (!follow || this.isOver) controller.close();
      else this.#readers.add(controller);
    };
    return new Response(
      new ReadableStream({ start, cancel: () => void this.#readers.delete(own) }),
    );
  }

  /** The status when it has ended; the answer begins at once. */
  wait(): Response {
    let isWanted = true;
    const start = async (
      controller: ReadableStreamDefaultController<Uint8Array>,
    ): Promise<void> => {
      const StatusCode = await this.#ended.promise;
      if (!isWanted) return;
      whileRead(() => {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ StatusCode })));
        controller.close();
      });
    };
    return new Response(
      new ReadableStream({
        start: (controller) => void start(controller),
        cancel: () => void (isWanted = false),
      }),
    );
  }
}

/** Does something with a stream, unless its reader has gone: Deno 2.6 need not call `cancel` then. */
function whileRead(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Starts an engine that plays. Dispose of it: whatever still runs ends then. */
export async function fakeContainers(play: Play = {}): Promise<FakeContainers> {
  const { image = HARNESS_IMAGE, program = ({ end }) => end(0) } = play;
  const onStop = play.onStop ?? (({ end }: FakeContainer) => end(143));
  const lives = new Map<string, Life>();
  const networks = new Map(Object.entries(play.networks ?? {}));
  const course: string[] = [];
  const playing: Promise<void>[] = [];

  /** By its id, or by its name, as an engine finds it. */
  function lifeOf(call: string): Life | undefined {
    const id = idOf(call) ?? "";
    return lives.get(id) ?? [...lives.values()].find(({ name }) => name === id);
  }

  function start(container: Life): Response {
    if (container.isRunning) return done(304);
    container.isRunning = true;
    try {
      playing.push(Promise.resolve(program(container)));
      return done();
    } catch (error) {
      // Another test was faster. An engine refuses then, and mlcli tries another port.
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      container.isRunning = false;
      return refusal(
        500,
        "driver failed programming external connectivity: port is already allocated",
      );
    }
  }

  const answers: Answers = {
    "GET /_ping": () => {
      const answer = pong("1.41");
      if (play.isPodman) answer.headers.set("Libpod-API-Version", "4.3.1");
      return answer;
    },
    "GET /images/NAME/json": () =>
      image === null ? refusal(404, "No such image") : Response.json({
        ...AMD64,
        Id: "sha256:0123",
        // Newer than whatever a test makes it from.
        Created: "2100-01-01T00:00:00Z",
        Config: image,
      }),
    "GET /containers/json": () => Response.json(play.containers ?? []),
    "GET /networks": () =>
      Response.json(Array.from(networks, ([Name, Labels]) => ({ Name, Labels }))),
    "GET /networks/NAME": ({ url }) =>
      Response.json({ Name: url, IPAM: { Config: [{ Subnet: "10.89.0.0/24" }] } }),
    "POST /networks/create": async (request) => {
      const { Name, Labels } = await request.json();
      networks.set(Name, Labels);
      return Response.json({ Id: Name }, { status: 201 });
    },
    "DELETE /networks/NAME": ({ url }) => {
      networks.delete(new URL(url).pathname.split("/").at(-1)!);
      return done();
    },
    "GET /events": () => new Response(""),
    "GET /info": () => Response.json({}),
    "POST /containers/create": async (request) => {
      const body = await request.json();
      // Only now: another one may be created at the same time.
      const id = `c${lives.size + 1}`;
      const name = new URL(request.url).searchParams.get("name") ?? "";
      lives.set(id, new Life(id, name, body, play.writesNoModel === true));
      return Response.json({ Id: id }, { status: 201 });
    },
  };
  const ofContainers: Readonly<
    Record<string, (container: Life, request: Request) => Response | Promise<Response>>
  > = {
    "HEAD /containers/ID/archive": async ({ body }, { url }) =>
      await lookedAt(body, new URL(url).searchParams.get("path")!),
    "PUT /containers/ID/archive": async (container, request) =>
      await container.unpack(new Uint8Array(await request.arrayBuffer())),
    "POST /containers/ID/attach": (container) => container.output({ past: false, follow: true }),
    "POST /containers/ID/wait": (container) => container.wait(),
    "POST /containers/ID/start": start,
    "POST /containers/ID/rename": (container, { url }) => {
      container.name = new URL(url).searchParams.get("name")!;
      return done();
    },
    "POST /containers/ID/stop": (container) => {
      if (!container.isRunning) return done(304);
      onStop(container);
      return done();
    },
    "POST /containers/ID/pause": () => done(),
    "POST /containers/ID/unpause": () => done(),
    "GET /containers/ID/stats": () =>
      new Response('{"memory_stats":{"usage":3000,"stats":{"inactive_file":1000}}}\n'),
    "POST /containers/ID/kill": (container) => (container.end(137), done()),
    "GET /containers/ID/logs": (container, { url }) =>
      container.output({ past: true, follow: url.includes("follow=1") }),
    "GET /containers/ID/json": ({ body, isOver, isRunning }) =>
      // The engine has removed it.
      body.HostConfig.AutoRemove && isOver
        ? refusal(404, "No such container")
        : Response.json({ State: { Running: isRunning } }),
    "POST /containers/ID/resize": () => done(200),
    "DELETE /containers/ID": (container) => {
      container.end(137);
      lives.delete(container.id);
      return done();
    },
  };
  const engine = await fakeEngine((call) => {
    const kind = generic(call);
    if (kind !== "GET /_ping") course.push(kind);
    const given = play.answers?.[kind] ?? play.answers?.[call] ?? answers[kind];
    return async (request, released) => {
      const first = await play.before?.(kind);
      if (first) return first;
      if (given) return await given(request, released);
      const container = lifeOf(call);
      const isThere = (play.containers ?? []).some(({ Id }) => Id === idOf(call));
      const answer = ofContainers[kind];
      if (container && answer) return await answer(container, request);
      if (isThere && kind === "DELETE /containers/ID") return done();
      if (isThere && /^POST .*\/(?:stop|start|rename)$/.test(kind)) return done();
      if (isThere && kind === "GET /containers/ID/logs") return new Response("");
      if (answer) return refusal(404, "No such container");
      return refusal(599, `unexpected: ${call}`);
    };
  });
  const found = (): (Call & { readonly id: string | undefined })[] =>
    engine.calls.map((one) => ({ ...one, id: idOf(one.call), call: generic(one.call) }));
  const { onInput } = play;
  const front = onInput && upgradeFront(engine.socket, (call) => {
    const kind = generic(call.replace(/\/v[\d.]+/, ""));
    const container = lives.get(idOf(call.replace(/\/v[\d.]+/, "")) ?? "");
    if (kind !== "POST /containers/ID/attach" || container === undefined) return undefined;
    if (play.answers?.[kind] !== undefined) return undefined;
    course.push(`${kind} (upgraded)`);
    const { body } = container.output({ past: false, follow: true });
    return { output: body!, onInput: (text) => onInput(container, text) };
  });
  return {
    ...engine,
    socket: front?.socket ?? engine.socket,
    course,
    callsOf: (call) => found().filter((one) => one.call === call),
    get created() {
      return found().filter(({ call }) => call === "POST /containers/create")
        .map(({ body }) => body);
    },
    get left() {
      return [...lives].filter(([, { body, isOver }]) => !(body.HostConfig.AutoRemove && isOver))
        .map(([, { name }]) => name);
    },
    get networks() {
      return [...networks.keys()];
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const container of lives.values()) container.end(137);
      await Promise.all(playing);
      await front?.[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}
