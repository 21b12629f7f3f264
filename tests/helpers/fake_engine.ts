/**
 * A server on a unix socket that speaks as a Docker Engine does, for what a real one cannot be made
 * to do: other versions, refusals, sudden ends.
 */

import { type ConnectOptions, connectToEngine } from "../../runtime/docker/connect.ts";
import type { Engine } from "../../runtime/docker/engine.ts";

/** Answers a request. `released` is kept when the engine is disposed of. */
export type Answer = (
  request: Request,
  released: Promise<Response>,
) => Response | Promise<Response>;

/** Answers a request, by its method and path without the version: `POST /containers/create`. */
export type Answers = Readonly<Record<string, Answer>>;

export interface Call {
  /** Method and path without the version: `POST /containers/create` */
  readonly call: string;
  readonly query: Readonly<Record<string, string>>;
  /** What it said in JSON, if it did. */
  readonly body: unknown;
}

export interface FakeEngine extends AsyncDisposable {
  readonly socket: string;
  /** Requests so far: `GET /v1.44/info`. */
  readonly requests: readonly string[];
  /** The same, with all that they said. */
  readonly calls: readonly Call[];
}

/**
 * Starts one. A request without an answer gets 599, which no call expects, and fails the test when
 * the engine is disposed of, since some code goes on without an answer.
 */
export async function fakeEngine(
  answers: Answers | ((call: string) => Answer | undefined),
): Promise<FakeEngine> {
  const folder = await Deno.makeTempDir({ prefix: "mlcli-test-engine-" });
  const socket = `${folder}/docker.sock`;
  const requests: string[] = [];
  const calls: Call[] = [];
  const unexpected: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<Response>();
  const answerTo = typeof answers === "function" ? answers : (call: string) => answers[call];
  const server = Deno.serve({ path: socket, onListen: () => {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    const call = `${request.method} ${pathname.replace(/^\/v[\d.]+/, "")}`;
    const text = isJson(request) ? await request.text() : undefined;
    // What is put somewhere is read to its end, whatever becomes of it.
    const put = request.method === "PUT" ? await request.arrayBuffer() : undefined;
    calls.push({
      call,
      query: Object.fromEntries(searchParams),
      body: text === undefined ? undefined : JSON.parse(text),
    });
    const answer = answerTo(call);
    // To its end, as a real engine does: who still sends when all is over does not get the answer.
    if (!request.bodyUsed && request.method !== "POST") {
      await request.body?.pipeTo(new WritableStream());
    }
    const read = text ?? put;
    if (answer) {
      return dated(await answer(read === undefined ? request : copyOf(request, read), released));
    }
    unexpected.push(`${request.method} ${pathname}`);
    return refusal(599, `unexpected: ${pathname}`);
  });
  return {
    socket,
    requests,
    calls,
    async [Symbol.asyncDispose](): Promise<void> {
      release(new Response());
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
      if (unexpected.length > 0) throw new Error(`Unexpected requests: ${unexpected.join(", ")}`);
    },
  };
}

/** A client of an engine. */
export async function clientOf(
  { socket }: Pick<FakeEngine, "socket">,
  options?: ConnectOptions,
): Promise<Engine & Disposable> {
  const engine = await connectToEngine({ env: () => `unix://${socket}` }, options);
  return { ...engine, [Symbol.dispose]: () => engine.close() };
}

/** A refusal as the engine words it. */
export function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

/** The answer to `_ping` of an engine with this API version. */
export function pong(apiVersion: string): Response {
  return new Response("OK", { headers: { "Api-Version": apiVersion } });
}

/** What an engine says of an image, of which it has all but those that are built under this name. */
export function imageUnlessOf(name: string, call: string): Response {
  if (call.startsWith(`GET /images/${name}%3A`)) return refusal(404, "No such image");
  return Response.json({ Created: "2026-01-01T00:00:00Z", Os: "linux", Architecture: "amd64" });
}

export function done(status = 204): Response {
  return new Response(null, { status });
}

/** No answer, until the engine is disposed of. */
export function never(_: Request, released: Promise<Response>): Promise<Response> {
  return released;
}

function isJson({ headers }: Request): boolean {
  return headers.get("Content-Type") === "application/json";
}

/** (`clone` would have Deno 2.9 warn of something else.) */
function copyOf({ url, method, headers }: Request, body: string | ArrayBuffer): Request {
  return new Request(url, { method, headers, body });
}

/** A response with the time of the tests' clock, from which mlcli computes how far the engine's is off. */
function dated(response: Response): Response {
  if (response.headers.has("Date")) return response;
  const headers = new Headers(response.headers);
  headers.set("Date", new Date().toUTCString());
  return new Response(response.body, { status: response.status, headers });
}
