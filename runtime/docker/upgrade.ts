/**
 * Connections that the engine turns from HTTP into plain bytes both ways, for a container's standard
 * input: Deno's `fetch` cannot do that. Engine API, "Attach to a container", "Hijacking".
 *
 * @module
 */

import { tcpTarget } from "../http/exchange.ts";
import type { Connection } from "./connection.ts";
import type { Address } from "./locate.ts";

/** A connection after its upgrade. */
export interface Upgraded {
  /** What the engine sends, to its end. Read it once. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Sends all the bytes. */
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
    const { status, length, rest } = await readHead(connection);
    if (status !== 101 && status !== 200) {
      const text = await textOf(connection, rest, length);
      close();
      return { status, text };
    }
    return {
      output: outputOf(connection, rest),
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
  // While it was being opened.
  if (signal.aborted) close();
  return close;
}

function requestOf(address: Address, path: string): string {
  const host = address.kind === "tcp" ? address.host : "docker";
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n` +
    "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
}

async function writeAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    rest = rest.subarray(await connection.write(rest));
  }
}

/** More than any engine says before what it is asked for, in bytes. */
const LONGEST_HEAD = 65_536;

interface Head {
  readonly status: number;
  /** Of the body, where it says one. */
  readonly length: number;
  /** What came with it. */
  readonly rest: Uint8Array;
}

async function readHead(connection: Connection): Promise<Head> {
  let received = new Uint8Array();
  const buffer = new Uint8Array(LONGEST_HEAD);
  while (received.length < LONGEST_HEAD) {
    const count = await connection.read(buffer);
    if (count === null) break;
    received = joined(received, buffer.subarray(0, count));
    const text = new TextDecoder("latin1").decode(received);
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const head = text.slice(0, end);
    const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(head)?.[1]);
    if (!(status >= 100)) break;
    const length = Number(/^content-length: *(\d+) *$/im.exec(head)?.[1] ?? 0);
    return { status, length, rest: received.slice(end + 4) };
  }
  throw new Error("The connection ended before an answer of HTTP");
}

async function textOf(connection: Connection, begin: Uint8Array, length: number): Promise<string> {
  let received = begin;
  const buffer = new Uint8Array(LONGEST_HEAD);
  while (received.length < Math.min(length, LONGEST_HEAD)) {
    const count = await connection.read(buffer);
    if (count === null) break;
    received = joined(received, buffer.subarray(0, count));
  }
  return new TextDecoder().decode(received);
}

async function* outputOf(
  connection: Connection,
  begin: Uint8Array,
): AsyncGenerator<Uint8Array, void, void> {
  if (begin.length > 0) yield begin;
  const buffer = new Uint8Array(32_768);
  while (true) {
    const count = await connection.read(buffer);
    if (count === null) return;
    yield buffer.slice(0, count);
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
