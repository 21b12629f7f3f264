/** The servers and runs' containers of this machine, and requests that the page passes on to them. */

import type { App } from "../../app/app.ts";
import { layoutOf } from "../../app/layout.ts";
import { BODY_BYTES, INVOCATION_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { messageOf, MlcliError } from "../../errors.ts";
import type { HttpAnswer, HttpRequest } from "../../http/exchange.ts";
import type { Server } from "../../page/api.ts";
import { joined } from "../../streams.ts";
import { deadlineIn, joinSignals } from "../../time.ts";
import { VERSION } from "../../version.ts";
import { askServer, tooSlow } from "../server/invoke.ts";
import { jsonStatus } from "../server/json.ts";
import { requireServer } from "../server/servers.ts";
import { type ContainerStatus, containerStatuses } from "../server/status.ts";
import { keptTraffic, Traffic } from "../server/traffic.ts";

/** What there is, or why that is not known. */
export interface SeenServers {
  readonly servers: readonly Server[];
  readonly problem: string | null;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly milliseconds: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Connects to an engine. */
export type Connect = () => Promise<Engine>;

/** The servers of an engine that may go and come back. */
export class Servers implements Disposable {
  #engine: Promise<Engine> | undefined;
  /** What the page passed on, by the server's container. */
  readonly #traffic = new Map<string, Traffic>();

  /** @param signal ends all. */
  constructor(
    private readonly app: App,
    private readonly connect: Connect,
    private readonly signal: AbortSignal,
  ) {}

  async look(before: SeenServers | undefined): Promise<SeenServers> {
    const now = await this.#look();
    return JSON.stringify(now) === JSON.stringify(before) ? before! : now;
  }

  async #look(): Promise<SeenServers> {
    const interruption = { signal: this.signal, force: this.signal };
    try {
      const host = { engine: this.#connected, interruption };
      const found = await containerStatuses(undefined, host);
      return { servers: await Promise.all(found.map((one) => this.#shown(one))), problem: null };
    } catch (error) {
      this.signal.throwIfAborted();
      this.#drop();
      const { hint } = error instanceof MlcliError ? error : {};
      return { servers: [], problem: [messageOf(error), hint].filter(Boolean).join(". ") };
    }
  }

  async #shown(status: ContainerStatus): Promise<Server> {
    const { server, mlcli } = status;
    const isWatched = server?.isRelayed && server.directory === this.app.mark;
    return {
      ...jsonStatus(status),
      mlcli: mlcli ?? null,
      model_run: server?.modelRun ?? null,
      from_page: this.#traffic.get(status.name)?.facts ?? null,
      from_watch: isWatched ? await keptTraffic(layoutOf(this.app), server.port) : null,
    };
  }

  /**
   * Sends a request to the server on a port.
   *
   * @throws MlcliError where there is none of mlcli's, or no answer.
   */
  async invoke(
    port: number,
    { body, ...headers }: Readonly<Record<"contentType" | "accept", string>> & {
      readonly body: Uint8Array;
    },
    client: AbortSignal,
  ): Promise<Answer> {
    using deadline = deadlineIn(INVOCATION_SECONDS);
    using either = joinSignals(deadline.signal, client, this.signal);
    const host = { engine: this.#connected };
    const { name } = await requireServer(await host.engine(), port, undefined, either.signal);
    const traffic = this.#traffic.get(name) ?? new Traffic();
    this.#traffic.set(name, traffic);
    const request: HttpRequest = {
      call: "POST /invocations",
      headers: {
        "Content-Type": headers.contentType,
        Accept: headers.accept,
        "Accept-Encoding": "identity",
        "User-Agent": `mlcli/${VERSION}`,
      },
      body: [body],
    };
    const began = performance.now();
    try {
      const read = (answer: HttpAnswer) => whole(answer, began, port);
      const answer = await askServer(port, request, host, either.signal, read);
      traffic.add(answer.status, answer.milliseconds);
      return answer;
    } catch (error) {
      if (!client.aborted) traffic.add(undefined, performance.now() - began);
      throw deadline.signal.aborted ? tooSlow(port, INVOCATION_SECONDS) : error;
    }
  }

  readonly #connected = async (): Promise<Engine> => {
    try {
      return await (this.#engine ??= this.connect());
    } catch (error) {
      // Another attempt may succeed.
      this.#engine = undefined;
      throw error;
    }
  };

  /** The next look connects anew: the engine may be another one then. */
  #drop(): void {
    this.#engine?.then((engine) => engine.close(), () => {});
    this.#engine = undefined;
  }

  [Symbol.dispose](): void {
    this.#drop();
  }
}

async function whole(
  { status, headers, body }: HttpAnswer,
  began: number,
  port: number,
): Promise<Answer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > BODY_BYTES) {
      throw new MlcliError(`The answer of the server on port ${port} is larger than 25 MB`, {
        hint: `mlcli local invoke --port ${port} FILE takes one of any size.`,
      });
    }
    pieces.push(piece.slice());
  }
  const milliseconds = performance.now() - began;
  return {
    status,
    contentType: headers.get("content-type") ?? "",
    milliseconds,
    body: joined(pieces),
  };
}
