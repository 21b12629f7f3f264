/**
 * Stands before a fake engine, whose server cannot leave HTTP: takes the connections on which somebody
 * types at a container, and passes all others on.
 */

import { type RawHandler, rawServer, say } from "./raw_server.ts";

/** A container to which somebody types. */
export interface TypedAt {
  /** What it writes, as the engine sends it. */
  readonly output: ReadableStream<Uint8Array>;
  /** Hears what is typed, and `null` at its end. */
  readonly onInput: (text: string | null) => void;
}

export interface UpgradeFront extends AsyncDisposable {
  readonly socket: string;
}

/** Starts one. `attach` finds what a call (`POST /v1.41/containers/c1/attach`) is about. */
export function upgradeFront(
  inner: string,
  attach: (call: string) => TypedAt | undefined,
): UpgradeFront {
  const socket = `${inner}.front`;
  const handle: RawHandler = async (connection, { call, headers, body }) => {
    const typed = /^upgrade: tcp$/im.test(headers) ? attach(call) : undefined;
    if (typed === undefined) {
      const server = await Deno.connect({ transport: "unix", path: inner });
      try {
        // Which Deno's server refuses by itself.
        const plain = headers.replace(/\r\n(?:connection|upgrade): .*/gi, "");
        // One request each: the next one may leave HTTP.
        await say(server, `${plain}\r\nConnection: close\r\n\r\n`);
        await say(server, body);
        await Promise.race([copy(connection, server), copy(server, connection)]);
      } finally {
        server.close();
      }
      return;
    }
    await say(connection, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    hear(connection, typed.onInput).catch(() => {});
    for await (const bytes of typed.output) await say(connection, bytes);
  };
  return { ...rawServer(handle, socket), socket };
}

async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  for (let count; (count = await from.read(buffer).catch(() => null)) !== null;) {
    await say(to, buffer.slice(0, count)).catch(() => {});
  }
}

async function hear(connection: Deno.Conn, onInput: TypedAt["onInput"]): Promise<void> {
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  for (let count; (count = await connection.read(buffer)) !== null;) {
    onInput(decoder.decode(buffer.subarray(0, count), { stream: true }));
  }
  onInput(null);
}
