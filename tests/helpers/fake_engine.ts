/**
 * A server on a unix socket that speaks as a Docker Engine does, for what a real one cannot be made
 * to do: other versions, refusals, sudden ends.
 *
 * @module
 */

/** Answers a request, by its method and path without the version: `POST /containers/create`. */
export type Answers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;

/** A fake engine that listens. */
export interface FakeEngine extends AsyncDisposable {
  readonly socket: string;
  /** Requests so far: `GET /v1.44/info`. */
  readonly requests: readonly string[];
}

/**
 * Starts one. A request without an answer gets 599, which no call expects, and fails the test when
 * the engine is disposed of, since some code goes on without an answer.
 */
export async function fakeEngine(answers: Answers): Promise<FakeEngine> {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/docker.sock`;
  const requests: string[] = [];
  const unexpected: string[] = [];
  const server = Deno.serve({ path: socket, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    const answer = answers[`${request.method} ${pathname.replace(/^\/v[\d.]+/, "")}`];
    if (request.method !== "POST") await request.body?.cancel();
    if (answer) return await answer(request);
    unexpected.push(`${request.method} ${pathname}`);
    return refusal(599, `unexpected: ${pathname}`);
  });
  return {
    socket,
    requests,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
      if (unexpected.length > 0) throw new Error(`Unexpected requests: ${unexpected.join(", ")}`);
    },
  };
}

/** A refusal as the engine words it. */
export function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

/** The answer to `_ping` of an engine with this API version. */
export function pong(apiVersion: string): Response {
  return new Response("OK", { headers: { "Api-Version": apiVersion } });
}
