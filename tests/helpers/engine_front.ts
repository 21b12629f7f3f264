/**
 * A front before an engine, on a socket of its own: it sees each call, and passes it on, answers in
 * the engine's place, or does to it what a bad network or a hung engine does.
 *
 * ```ts
 * await using front = await engineFront(({ call }) => call === "GET /info" ? "hang" : "pass");
 * const result = await app.run(["doctor"], { env: front.env });
 * ```
 */

import { withEngine } from "./engine.ts";
import { type RawHandler, type RawRequest, rawServer, say, untilClosed } from "./raw_server.ts";

export interface FrontCall {
  /** Method and path without the version: `POST /containers/create` */
  readonly call: string;
  /** What stood before the path: `/v1.41`, or nothing. */
  readonly version: string;
  readonly query: URLSearchParams;
  /** What it says in JSON (up to 64 kB), if it does. */
  readonly body: unknown;
  /** How often this call has come so far: 1 is the first time. */
  readonly count: number;
}

/** What becomes of a call. */
export type Fate =
  | "pass"
  /** It is taken, and never answered. */
  | "hang"
  /** The engine never sees it. */
  | "cut before the call"
  /** The engine does what was asked, but its answer is lost. */
  | "cut before the answer"
  | "cut in the head"
  /** The answer's head comes, and half of what came with it. */
  | "cut in the body"
  /** It goes on to the engine with another query or body. */
  | { readonly changed: { readonly query?: URLSearchParams; readonly body?: unknown } }
  /** The engine never sees it; this is the answer. */
  | { readonly answer: FrontAnswer };

export interface FrontAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface EngineFront extends AsyncDisposable {
  readonly socket: string;
  /** Its address as `DOCKER_HOST`. */
  readonly env: { readonly DOCKER_HOST: string };
  /** Calls so far, without versions. */
  readonly calls: readonly string[];
  /** From now on nothing passes, on no connection, until it is thawed: an engine that is stopped. */
  freeze(): void;
  thaw(): void;
  /** Breaks all connections, and takes no more: the socket is there, but nobody listens. */
  goAway(): Promise<void>;
}

/**
 * Starts one.
 *
 * @param decide what becomes of a call.
 * @param inner socket of the engine; that of the tests where it is not named.
 */
export async function engineFront(
  decide: (call: FrontCall) => Fate | Promise<Fate>,
  inner?: string,
): Promise<EngineFront> {
  const engine = inner ?? await socketOfTheTests();
  const folder = await Deno.makeTempDir({ prefix: "mlcli-front-" });
  const socket = `${folder}/docker.sock`;
  const gate = new Gate();
  const calls: string[] = [];
  /** The connections to the engine. */
  const behind = new Set<Deno.Conn>();
  const close = (server: Deno.Conn): void => {
    if (behind.delete(server)) server.close();
  };
  const handle: RawHandler = async (connection, request) => {
    const call = parsed(request, calls);
    calls.push(call.call);
    const fate = await decide(call);
    await gate.open;
    if (fate === "hang") return await untilClosed(connection);
    if (fate === "cut before the call") return;
    if (typeof fate === "object" && "answer" in fate) {
      await say(connection, textOf(fate.answer));
      // Who still sends a build's context would lose the answer if the connection were just closed.
      return await untilClosed(connection);
    }
    const server = await Deno.connect({ transport: "unix", path: engine });
    behind.add(server);
    try {
      for (const part of forwarded(request, call, fate)) await say(server, part);
      const isStream = /^upgrade:/im.test(request.headers);
      // A client that has gone waits for no answer; what is typed may end before the output does.
      const sending = copy(connection, server, gate)
        .then(() => isStream ? server.closeWrite() : close(server));
      sending.catch(() => {}); // the engine has ended the connection
      await answer(server, connection, fate, gate);
    } finally {
      close(server);
    }
  };
  const listening = rawServer(handle, socket);
  let away: Promise<void> | undefined;
  const goAway = (): Promise<void> => {
    gate.lift();
    for (const server of behind) close(server);
    return away ??= Promise.resolve(listening[Symbol.asyncDispose]());
  };
  return {
    socket,
    env: { DOCKER_HOST: `unix://${socket}` },
    calls,
    freeze: () => gate.lower(),
    thaw: () => gate.lift(),
    goAway,
    async [Symbol.asyncDispose](): Promise<void> {
      await goAway();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function socketOfTheTests(): Promise<string> {
  const address = await withEngine((engine) => Promise.resolve(engine.address));
  if (!address.startsWith("unix://")) throw new Error(`${address} is not a socket`);
  return address.slice("unix://".length);
}

/** What lets bytes pass, or not. */
class Gate {
  open: Promise<void> = Promise.resolve();
  #lift: () => void = () => {};

  lower(): void {
    this.lift();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.open = promise;
    this.#lift = resolve;
  }

  lift(): void {
    this.#lift();
  }
}

function parsed({ headers, body }: RawRequest, calls: readonly string[]): FrontCall {
  const [method, target = ""] = headers.split(" ");
  const { pathname, searchParams } = new URL(target, "http://engine");
  const version = /^\/v\d[\d.]*(?=\/)/.exec(pathname)?.[0] ?? "";
  const call = `${method} ${pathname.slice(version.length)}`;
  const isJson = /^content-type: application\/json/im.test(headers) && body.length > 0;
  return {
    call,
    version,
    query: searchParams,
    body: isJson ? JSON.parse(new TextDecoder().decode(body)) : undefined,
    count: calls.filter((known) => known === call).length + 1,
  };
}

/** The request as the engine gets it: the only one on its connection, unless it leaves HTTP. */
function forwarded(
  { headers, body }: RawRequest,
  { call, version, query }: FrontCall,
  fate: Fate,
): readonly (string | Uint8Array)[] {
  const changed = typeof fate === "object" && "changed" in fate ? fate.changed : {};
  const sent = changed.body === undefined
    ? body
    : new TextEncoder().encode(JSON.stringify(changed.body));
  const [method, path] = call.split(" ") as [string, string];
  const parameters = (changed.query ?? query).toString();
  const line = `${method} ${version}${path}${parameters && "?"}${parameters} HTTP/1.1`;
  const leavesHttp = /^upgrade:/im.test(headers);
  const rest = headers.split("\r\n").slice(1)
    .filter((header) => leavesHttp || !/^connection:/i.test(header))
    .map((header) =>
      changed.body !== undefined && /^content-length:/i.test(header)
        ? `Content-Length: ${sent.length}`
        : header
    );
  const head = [line, ...leavesHttp ? [] : ["Connection: close"], ...rest];
  return [`${head.join("\r\n")}\r\n\r\n`, sent];
}

async function answer(
  server: Deno.Conn,
  connection: Deno.Conn,
  fate: Fate,
  gate: Gate,
): Promise<void> {
  if (fate === "pass" || typeof fate === "object") return await copy(server, connection, gate);
  const buffer = new Uint8Array(65_536);
  const count = await server.read(buffer);
  if (count === null || fate === "cut before the answer") return;
  const first = buffer.subarray(0, count);
  const head = new TextDecoder("latin1").decode(first).indexOf("\r\n\r\n") + 4;
  const length = fate === "cut in the head" ? head / 2 : head + (count - head) / 2;
  await say(connection, first.slice(0, Math.floor(length)));
}

async function copy(from: Deno.Conn, to: Deno.Conn, gate: Gate): Promise<void> {
  const buffer = new Uint8Array(65_536);
  for (let count; (count = await from.read(buffer)) !== null;) {
    await gate.open;
    await say(to, buffer.slice(0, count));
  }
}

function textOf({ status, headers = {}, body }: FrontAnswer): string {
  const length = new TextEncoder().encode(body).length;
  const all = { "Content-Type": "application/json", ...headers, "Content-Length": length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} Front\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`;
}
