/**
 * Connections that the engine turns from HTTP into plain bytes both ways, for a container's standard
 * input: Deno's `fetch` cannot do that. Engine API, "Attach to a container", "Hijacking".
 */

import { tcpTarget } from "../http/exchange.ts";
import { type AnswerHead, answerHead, BrokenMessage, Incoming } from "../http/messages.ts";
import { writeAll } from "../streams.ts";
import { beginningOf } from "./answer.ts";
import type { Address } from "./locate.ts";
import type { Connection } from "./pipe.ts";

/** A connection after its upgrade. */
export interface Upgraded {
  /** What the engine sends, to its end. Read it once. */
  readonly output: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  /** Says that no more comes; what the engine sends still does. */
  end(): Promise<void>;
  close(): void;
}

/** What the engine says instead of an upgrade. */
export interface NotUpgraded {
  readonly status: number;
  readonly text: string;
}

/** Certificates as Deno takes them, in PEM. */
export type TlsOptions =
  & { readonly caCerts: string[] }
  & (Deno.TlsCertifiedKeyPem | { readonly cert?: undefined });

/**
 * Asks for an upgrade.
 *
 * @param path begins with a slash.
 * @param signal closes the connection, also later.
 */
export async function upgrade(
  address: Address,
  tls: TlsOptions | undefined,
  path: string,
  signal: AbortSignal,
): Promise<Upgraded | NotUpgraded> {
  signal.throwIfAborted();
  const connection = await connect(address, tls);
  const close = closeOnce(connection, signal);
  try {
    await writeAll(connection, new TextEncoder().encode(requestOf(address, path)));
    const incoming = new Incoming(connection);
    const { status, body } = await answerFrom(incoming);
    if (status !== 101 && status !== 200) {
      const text = await beginningOf(untilBroken(incoming.contentOf(body)));
      close();
      return { status, text };
    }
    return {
      output: incoming.contentOf(),
      write: (bytes) => writeAll(connection, bytes),
      end: () => connection.closeWrite(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function connect(address: Address, tls: TlsOptions | undefined): Promise<Connection> {
  if (address.kind === "pipe") {
    const { connectToPipe } = await import("./pipe.ts");
    return await connectToPipe(address.path);
  }
  if (address.kind === "unix") {
    return await Deno.connect({ transport: "unix", path: address.path });
  }
  const target = tcpTarget(new URL(`http://${address.host}`));
  return tls === undefined
    ? await Deno.connect(target)
    : await Deno.connectTls({ ...target, ...tls, caCerts: tls.caCerts });
}

/** Closes it, or has it closed when the signal is aborted; once, since Deno refuses a second time. */
function closeOnce(connection: Connection, signal: AbortSignal): () => void {
  let isOpen = true;
  const close = (): void => {
    signal.removeEventListener("abort", close);
    if (isOpen) connection.close();
    isOpen = false;
  };
  signal.addEventListener("abort", close);
  // It may have been aborted while the connection was opened.
  if (signal.aborted) close();
  return close;
}

function requestOf(address: Address, path: string): string {
  const host = address.kind === "tcp" ? address.host : "docker";
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n` +
    "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
}

async function answerFrom(incoming: Incoming): Promise<AnswerHead> {
  const head = await incoming.head("HTTP/1.").catch((error) => {
    if (!(error instanceof BrokenMessage)) throw error;
  });
  const answer = head && answerHead(head, "POST");
  if (!answer?.status) throw new Error("no HTTP response");
  return answer;
}

/** Ends where the body is cut off: the status says enough. */
async function* untilBroken(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* content;
  } catch (error) {
    if (!(error instanceof BrokenMessage)) throw error;
  }
}
