/**
 * What arrives on a connection, taken message by message, and passed on as it is.
 *
 * @module
 */

import { type Body, emptyLines, headLength } from "./framing.ts";

/** The longest head that is waited for, in bytes; the server in the image takes less. */
const LONGEST_HEAD = 256 * 1024;

/** The other side went away in the middle of a message, or said something endless. */
export class BrokenMessage extends Error {
  override readonly name = "BrokenMessage";
}

/** One direction of a connection. */
export class Incoming {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(65_536);
  /** Arrived, and not taken yet. */
  #rest = new Uint8Array(0);

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /**
   * The next head with the empty line that ends it; undefined where the connection has ended before.
   *
   * @throws BrokenMessage where it does not end.
   */
  async head(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (true) {
      this.#rest = this.#rest.slice(emptyLines(this.#rest));
      const length = headLength(this.#rest);
      if (length !== undefined) {
        const head = this.#rest.slice(0, length);
        this.#rest = this.#rest.subarray(length);
        return head;
      }
      if (this.#rest.length > LONGEST_HEAD) throw new BrokenMessage("its head does not end");
      const isBetween = this.#rest.length === 0;
      if (await this.#more()) continue;
      if (isBetween) return undefined;
      throw new BrokenMessage("the connection was closed in the middle of a head");
    }
  }

  /**
   * Passes a body on, each part as it comes.
   *
   * @throws BrokenMessage where the connection ends too early; what `write` throws.
   */
  async pass(body: Body, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    while (!body.done) {
      if (this.#rest.length === 0 && !await this.#more()) {
        if (body.endsWithConnection) return;
        throw new BrokenMessage("the connection was closed in the middle of a body");
      }
      const taken = body.take(this.#rest);
      await write(this.#rest.subarray(0, taken));
      this.#rest = this.#rest.slice(taken);
    }
  }

  /** Reads what still comes, for nobody. */
  async drain(): Promise<void> {
    while (await this.#connection.read(this.#buffer) !== null);
  }

  async #more(): Promise<boolean> {
    const length = await this.#connection.read(this.#buffer);
    if (length === null) return false;
    const rest = new Uint8Array(this.#rest.length + length);
    rest.set(this.#rest);
    rest.set(this.#buffer.subarray(0, length), this.#rest.length);
    this.#rest = rest;
    return true;
  }
}

/** Writes all of it. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
