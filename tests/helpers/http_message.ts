/**
 * HTTP by hand, for servers that have to do it wrong. One message at a time, framed by
 * Content-Length, as the SDK and the platform in a box write them.
 */

/** A request or an answer. */
export interface Message {
  /** First line and headers, without the empty line at the end. */
  readonly head: string;
  readonly body: string;
}

/** Larger than any message of the tests. */
const LARGEST = 1 << 20;

/** Reads the messages of one connection. The tests' messages are ASCII. */
export class MessageReader {
  #received = "";

  constructor(private readonly connection: Deno.Conn) {}

  /** @returns undefined when the other side ends before a whole message. */
  async next(): Promise<Message | undefined> {
    const buffer = new Uint8Array(65_536);
    while (this.#received.length < LARGEST) {
      const message = this.#take();
      if (message) return message;
      const count = await this.connection.read(buffer).catch(() => null);
      if (count === null) return undefined;
      this.#received += new TextDecoder().decode(buffer.subarray(0, count));
    }
    throw new Error("The message is too large");
  }

  #take(): Message | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#received.slice(0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.slice(end + 4, end + 4 + length);
    this.#received = this.#received.slice(end + 4 + length);
    return { head, body };
  }
}

/** Writes all of a text. */
export async function send(connection: Deno.Conn, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

/** Asks a server, on a connection of its own. */
export async function forward(url: string, { head, body }: Message): Promise<Message> {
  const { hostname, port } = new URL(url);
  using server = await Deno.connect({ hostname, port: Number(port) });
  // An answer that is not compressed has a length.
  await send(server, `${head.replace(/\r\naccept-encoding:.*/i, "")}\r\n\r\n${body}`);
  const answer = await new MessageReader(server).next();
  if (!answer) throw new Error("The server did not answer");
  return answer;
}

/** Closes a connection that the other side may have closed already. */
export function closed(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
