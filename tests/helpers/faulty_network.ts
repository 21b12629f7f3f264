/** A network in front of the platform in a box that breaks connections as it is told. */

import { createConnection, createServer, type Server, type Socket } from "node:net";
import { errorAnswer, stsError } from "./box/answers.ts";
import { closed, forward, type Message, MessageReader, send } from "./http_message.ts";

/** What happens to a request or its answer. */
export type Fault =
  /** The answer says `Connection: close`, and the connection is closed. */
  | "closed after the answer"
  /** The answer says that the connection is kept, but it is closed. */
  | "closed in silence after the answer"
  /** SageMaker never sees the request. */
  | "closed before the request"
  /** SageMaker does what was asked, but its answer is lost. */
  | "closed before the answer"
  | "closed in the head"
  | "closed in the body"
  | "closed in a chunk"
  /** It comes in many small pieces. */
  | "slow bytes"
  /** Half the answer comes, and no more. */
  | "stall"
  | "HTTP 503"
  | "throttled";

/** Which fault the request meets; `undefined` is none. */
export type Plan = (operation: string, count: number) => Fault | undefined;

/** A network for one test. Close it with `await using`. */
export class FaultyNetwork implements AsyncDisposable {
  /** The operations that were asked for, in order, those that met a fault included. */
  readonly operations: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections = new Set<Deno.Conn>();
  readonly #served: Promise<void>;

  /**
   * @param target the platform in a box's address.
   * @param instead answers what that does not know.
   */
  constructor(
    private readonly target: string,
    private readonly plan: Plan,
    private readonly instead: (request: Message) => Message | undefined = () => undefined,
  ) {
    this.#served = this.#serve();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async #serve(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      served.push(this.#answerAll(connection));
    }
    await Promise.all(served);
  }

  async #answerAll(connection: Deno.Conn): Promise<void> {
    const requests = new MessageReader(connection);
    try {
      while (true) {
        const request = await requests.next();
        if (!request || !await this.#answer(connection, request)) return;
      }
    } catch (error) {
      // The program may end while it is being answered.
      if (!isGone(error)) throw error;
    } finally {
      this.#connections.delete(connection);
      closed(connection);
    }
  }

  /** @returns whether the connection goes on. */
  async #answer(connection: Deno.Conn, request: Message): Promise<boolean> {
    const operation = operationOf(request);
    this.operations.push(operation);
    const count = this.operations.filter((known) => known === operation).length;
    const fault = this.plan(operation, count);
    if (fault === "closed before the request") return false;
    if (fault === "HTTP 503") {
      await send(connection, "HTTP/1.1 503 Slow down\r\nContent-Length: 2\r\n\r\nno");
      return true;
    }
    if (fault === "throttled") return await whole(connection, await throttled(request));
    const answer = this.instead(request) ?? await forward(this.target, request);
    return fault ? await spoiled(connection, answer, fault) : await whole(connection, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) closed(connection);
    await this.#served;
  }
}

/** What a service says that has been asked too often, each in its protocol. */
async function throttled({ body: asked }: Message): Promise<Message> {
  const message = "Rate exceeded";
  const answer = queryActionOf(asked) !== undefined
    ? stsError({ code: "Throttling", message })
    : errorAnswer({ code: "ThrottlingException", message });
  const body = await answer.text();
  const type = answer.headers.get("content-type");
  const head = [
    `HTTP/1.1 ${answer.status} Bad Request`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  return { head: head.join("\r\n"), body };
}

async function whole(connection: Deno.Conn, { head, body }: Message): Promise<boolean> {
  await send(connection, `${head}\r\n\r\n${body}`);
  return true;
}

async function spoiled(
  connection: Deno.Conn,
  answer: Message,
  fault: Exclude<Fault, "closed before the request" | "HTTP 503" | "throttled">,
): Promise<boolean> {
  const { head, body } = answer;
  switch (fault) {
    case "closed after the answer":
      await send(connection, `${head}\r\nConnection: close\r\n\r\n${body}`);
      return false;
    case "closed in silence after the answer":
      await whole(connection, answer);
      return false;
    case "closed before the answer":
      return false;
    case "closed in the head":
      await send(connection, head.slice(0, head.length / 2));
      return false;
    case "closed in the body":
      // A body is announced also where SageMaker's answer has none.
      await send(connection, `${withLength(head, body.length + 10)}\r\n\r\n${body}`);
      return false;
    case "closed in a chunk":
      await send(
        connection,
        `${chunked(head)}\r\n\r\n${(body.length + 10).toString(16)}\r\n${body}`,
      );
      return false;
    case "slow bytes":
      for (const piece of pieces(`${head}\r\n\r\n${body}`)) {
        await send(connection, piece);
        await new Promise((next) => setTimeout(next));
      }
      return true;
    case "stall":
      await send(connection, `${withLength(head, body.length + 10)}\r\n\r\n${body}`);
      return true;
  }
}

/** At most two hundred of them. */
function* pieces(text: string): Generator<string> {
  const size = Math.ceil(text.length / 200);
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

function withLength(head: string, length: number): string {
  return head.replace(/^content-length:.*/im, `Content-Length: ${length}`);
}

function chunked(head: string): string {
  return head.replace(/^content-length:.*/im, "Transfer-Encoding: chunked");
}

function operationOf({ head, body }: Message): string {
  const target = /^x-amz-target: SageMaker\.(\w+)/im.exec(head)?.[1];
  return target ?? queryActionOf(body) ?? head.split(" ", 2).join(" ");
}

/** What is asked for by the query protocol, which STS speaks. */
function queryActionOf(body: string): string | undefined {
  return new URLSearchParams(body).get("Action") ?? undefined;
}

function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted;
}

/**
 * A network that answers the first bytes of its first connections with a reset (RST), and passes the
 * others on. It uses Node's sockets, since Deno's own end a connection before they reset it. (Needs
 * Deno 2.9.)
 */
export class ResettingNetwork implements AsyncDisposable {
  resets = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: string, times: number) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((client) => {
      this.#keep(client);
      if (this.resets < times) {
        this.resets++;
        client.once("data", () => client.resetAndDestroy());
        return;
      }
      const server = this.#keep(createConnection(Number(port), hostname));
      client.pipe(server).pipe(client);
    });
  }

  /** @param times how many connections are reset. */
  static async open(target: string, times: number): Promise<ResettingNetwork> {
    const network = new ResettingNetwork(target, times);
    await new Promise<void>((ready) => network.#server.listen(0, "127.0.0.1", ready));
    return network;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("It does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => {}); // the other side may have ended it
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await ended;
  }
}
