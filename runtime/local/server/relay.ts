/**
 * Passes requests on to whichever server is the one now, byte for byte. A client's connection stays
 * when the server changes: each request goes, over a connection of its own, to the server that is
 * there when it begins, and its answer comes from that one.
 */

import { pause } from "../../time.ts";
import { answerHead, Incoming, requestHead } from "../../http/messages.ts";
import { writeAll } from "../../streams.ts";

/** A server for the time of a request: until it is disposed of, the server is needed. */
export interface Lease extends Disposable {
  readonly port: number;
}

/** Gives the server of this moment; undefined while there is none. */
export type LeaseOf = () => Lease | undefined;

export interface Relay {
  /** Takes no connection any more; those that are there stay. */
  close(): void;
  /** Closes those, too. */
  end(): void;
}

/** How long (ms) what a client still sends is read after an answer that closes its connection. */
const LINGER = 2_000;

/** Hears of each answer to `POST /invocations`: its status, if there was one, and after how many ms it ended. */
export type OnAnswer = (status: number | undefined, ms: number) => void;

/** Takes connections from a listener, which is closed with the relay. */
export function relay(
  listener: Deno.TcpListener,
  leaseOf: LeaseOf,
  onAnswer: OnAnswer = () => {},
): Relay {
  const open = new Set<Deno.TcpConn>();
  let isOpen = true;
  const close = (): void => {
    if (isOpen) listener.close();
    isOpen = false;
  };
  const serve = async (client: Deno.TcpConn): Promise<void> => {
    open.add(client);
    try {
      client.setNoDelay(true);
      await converse(client, leaseOf, onAnswer);
    } catch {
      // Either side went away. The other one is told by the end of its connection.
    } finally {
      open.delete(client);
      closeQuietly(client);
    }
  };
  const accept = async (): Promise<void> => {
    while (isOpen) {
      try {
        serve(await listener.accept());
      } catch {
        // Closed; or too many files are open, which passes.
        if (isOpen) await pause(10, new AbortController().signal);
      }
    }
  };
  accept();
  return {
    close,
    end: () => {
      close();
      for (const client of open) closeQuietly(client);
    },
  };
}

/** Passes one request after another on, until one of the two wants no more. */
async function converse(
  client: Deno.TcpConn,
  leaseOf: LeaseOf,
  onAnswer: OnAnswer,
): Promise<void> {
  const incoming = new Incoming(client);
  while (true) {
    const head = await incoming.head();
    if (head === undefined) return;
    const began = performance.now();
    const { stays, sending, status } = await answered(client, incoming, head, leaseOf);
    if (isInvocation(head)) onAnswer(status, performance.now() - began);
    if (stays) continue;
    // A client that still sends would lose the answer if its connection were just closed.
    return await linger(sending.then(() => incoming.drain()));
  }
}

/** Not a ping, of which there are many. */
function isInvocation(head: Uint8Array): boolean {
  return /^POST \/invocations[? ]/.test(new TextDecoder("latin1").decode(head.subarray(0, 20)));
}

interface Answered {
  readonly stays: boolean;
  /** Of the server's own answer. */
  readonly status?: number;
  /** Settles when no more of the request is passed on. */
  readonly sending: Promise<unknown>;
}

async function answered(
  client: Deno.TcpConn,
  incoming: Incoming,
  head: Uint8Array,
  leaseOf: LeaseOf,
): Promise<Answered> {
  using lease = leaseOf();
  const server = lease && await connect(lease.port);
  if (server === undefined) {
    await refuse(client, lease === undefined ? GONE : SILENT);
    return { stays: false, sending: Promise.resolve() };
  }
  try {
    return await passOn(client, incoming, server, head);
  } finally {
    closeQuietly(server);
  }
}

async function passOn(
  client: Deno.TcpConn,
  incoming: Incoming,
  server: Deno.TcpConn,
  head: Uint8Array,
): Promise<Answered> {
  const request = requestHead(head);
  // Whether the server takes it shows in what it answers.
  await writeAll(server, head).catch(() => {});
  const sending = send();
  const outgoing = new Incoming(server);
  while (true) {
    const bytes = await outgoing.head().catch(() => undefined);
    const answer = bytes && answerHead(bytes, request.method);
    if (answer === undefined) await refuse(client, SILENT);
    else {
      await writeAll(client, bytes!);
      if (answer.isInterim) continue;
      await outgoing.pass(answer.body, (part) => writeAll(client, part));
      const stays = answer.persists && request.persists && await sending === "sent";
      if (!stays) await client.closeWrite();
      return { stays, sending, status: answer.status };
    }
    return { stays: false, sending };
  }

  /** The request's body, while the answer may come already: `100 Continue`, or a refusal. */
  async function send(): Promise<"sent" | "refused" | "broken off"> {
    let isRefused = false;
    try {
      await incoming.pass(request.body, async (part) => {
        // A server that has answered need not read the rest.
        await writeAll(server, part).catch((error) => {
          isRefused = true;
          throw error;
        });
      });
      return "sent";
    } catch {
      // The server learns from the end of its connection that the client went away.
      if (!isRefused) closeQuietly(server);
      return isRefused ? "refused" : "broken off";
    }
  }
}

async function connect(port: number): Promise<Deno.TcpConn | undefined> {
  try {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return connection;
  } catch {
    return undefined;
  }
}

const GONE = {
  status: "503 Service Unavailable",
  error: "The server has exited; it restarts after the next edit (mlcli local deploy --watch)",
};
const SILENT = {
  status: "502 Bad Gateway",
  error: "The server closed the connection without a response",
};

/** Answers in the place of a server, as the one in the image words its errors. */
async function refuse(
  client: Deno.TcpConn,
  { status, error }: typeof GONE,
): Promise<void> {
  const body = JSON.stringify({ error });
  const lines = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  await writeAll(client, new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n${body}`));
  await client.closeWrite();
}

async function linger(reading: Promise<void>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([reading.catch(() => {}), pause(LINGER, over.signal).catch(() => {})]);
  } finally {
    over.abort();
  }
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
