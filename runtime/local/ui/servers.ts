/** The servers and runs' containers of this machine, and requests that the page passes on to them. */

import type { App } from "../../app/app.ts";
import { BODY_BYTES, INVOCATION_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { messageOf, MlcliError } from "../../errors.ts";
import type { HttpAnswer } from "../../http/exchange.ts";
import { ANSWER_HEADERS, type Event, type Server } from "../../page/api.ts";
import { deadlineIn, joinSignals } from "../../time.ts";
import { asHttp, askServer, tooSlow } from "../server/invoke.ts";
import { jsonStatus } from "../server/json.ts";
import { requireServer } from "../server/servers.ts";
import { type ContainerStatus, containerStatuses } from "../server/status.ts";
import { keptTraffic, Traffic } from "../server/traffic.ts";

/** The servers of an engine that may go and come back: each time, it is looked for anew. */
export class Servers {
  /** What the page passed on, by the id of the server's container. */
  readonly #traffic = new Map<string, Traffic>();

  /** @param signal ends all. */
  constructor(
    private readonly app: App,
    private readonly connect: () => Promise<Engine>,
    private readonly signal: AbortSignal,
  ) {}

  /** What there is, or why that is not known. */
  async look(): Promise<Event> {
    try {
      const interruption = { signal: this.signal, force: this.signal };
      const servers = await this.#withEngine(async (engine) => {
        const found = await containerStatuses(undefined, { engine, interruption });
        return await Promise.all(found.map((one) => this.#shown(one)));
      });
      return { kind: "servers", servers, problem: null };
    } catch (error) {
      this.signal.throwIfAborted();
      const { hint } = error instanceof MlcliError ? error : {};
      const problem = [messageOf(error), hint].filter(Boolean).join(". ");
      return { kind: "servers", servers: [], problem };
    }
  }

  async #shown(status: ContainerStatus): Promise<Server> {
    const { server, mlcli } = status;
    const isWatched = server?.isRelayed && server.directory === this.app.mark;
    return {
      ...jsonStatus(status),
      mlcli: mlcli ?? null,
      from_page: this.#traffic.get(server?.id ?? "")?.facts ?? null,
      from_watch: isWatched ? await keptTraffic(this.app.paths, server.port) : null,
    };
  }

  /**
   * Sends a request to the server on a port; its answer, as the page gets it.
   *
   * @throws MlcliError where there is none of mlcli's, or no answer.
   */
  async invoke(
    port: number,
    { headers, signal: client }: Request,
    body: Uint8Array,
  ): Promise<Response> {
    using deadline = deadlineIn(INVOCATION_SECONDS);
    using either = joinSignals(deadline.signal, client, this.signal);
    const { signal } = either;
    const contentType = headers.get("Content-Type") ?? "application/octet-stream";
    const accept = headers.get("Accept") ?? "*/*";
    const request = asHttp({ accept, headers: [] }, { pieces: [body], contentType });
    return await this.#withEngine(async (engine) => {
      const { id } = await requireServer(await engine(), port, undefined, "invoke", signal);
      const traffic = this.#traffic.get(id) ?? new Traffic();
      this.#traffic.set(id, traffic);
      const began = performance.now();
      const milliseconds = (): number => performance.now() - began;
      try {
        return await askServer(port, request, { engine }, signal, async (answer) => {
          const bytes = await whole(answer, port);
          traffic.add(answer.status, milliseconds());
          return passedOn(answer, bytes, milliseconds());
        });
      } catch (error) {
        if (!client.aborted) traffic.add(undefined, milliseconds());
        throw deadline.signal.aborted ? tooSlow(port, INVOCATION_SECONDS) : error;
      }
    });
  }

  async #withEngine<T>(work: (engine: () => Promise<Engine>) => Promise<T>): Promise<T> {
    const engine = await this.connect();
    try {
      return await work(() => Promise.resolve(engine));
    } finally {
      engine.close();
    }
  }
}

async function whole({ body }: HttpAnswer, port: number): Promise<Uint8Array<ArrayBuffer>> {
  // Not a list of pieces: a server can send millions of one byte.
  const bytes = new Uint8Array(BODY_BYTES);
  let length = 0;
  for await (const piece of body) {
    if (length + piece.length > BODY_BYTES) {
      throw new MlcliError(`The response from the server on port ${port} is larger than 25 MB`, {
        hint: `Get it without a size limit: mlcli local invoke --port ${port} FILE`,
      });
    }
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes.slice(0, length);
}

function passedOn(
  { status, headers }: HttpAnswer,
  body: Uint8Array<ArrayBuffer>,
  milliseconds: number,
): Response {
  const type = headers.get("content-type") ?? "";
  return new Response(body, {
    headers: {
      "Content-Type": "application/octet-stream",
      [ANSWER_HEADERS.status]: String(status),
      [ANSWER_HEADERS.contentType]: type.slice(0, 200).replace(/[^ -~]/g, "?"),
      [ANSWER_HEADERS.milliseconds]: milliseconds.toFixed(1),
    },
  });
}
