/**
 * Messages of HTTP/1.1 (RFC 9112) on a connection: their heads, and where their bodies end. Serves both
 * to read bodies and to relay messages byte for byte. A message that breaks the rules of HTTP is relayed
 * to the end of the connection: the server says what is wrong with it.
 */

import { withoutBlanks } from "../text.ts";

/** The longest head, in bytes; Node and the server in the image allow less. */
const LONGEST_HEAD = 256 * 1024;

/** The other side went away in the middle of a message, or does not speak HTTP. */
export class BrokenMessage extends Error {
  override readonly name = "BrokenMessage";
}

/** Header fields by their names in lower case; a comma joins the values of one that came twice. */
export type Fields = ReadonlyMap<string, string>;

/** Finds the end of a body in the bytes that come. */
export interface Body {
  /** Whether all of it has come; never so where it ends with the connection. */
  readonly done: boolean;
  readonly endsWithConnection: boolean;
  /**
   * How many of the next bytes belong to it.
   *
   * @param content gets their payload, without the lengths of chunks.
   */
  take(bytes: Uint8Array, content?: Uint8Array[]): number;
}

export interface Head {
  /** Whether its sender can go on with another message on the connection afterwards. */
  readonly persists: boolean;
  readonly body: Body;
}

export interface RequestHead extends Head {
  readonly method: string;
}

export interface AnswerHead extends Head {
  /** 0 where this is no status line of HTTP/1. */
  readonly status: number;
  /** `Not Found`; may be empty. */
  readonly reason: string;
  readonly fields: Fields;
  /** Whether another answer follows, to the same request: `100 Continue`. */
  readonly isInterim: boolean;
  readonly isMalformed: boolean;
}

/** What arrives on a connection, taken message by message. */
export class Incoming {
  readonly #buffer = new Uint8Array(65_536);
  /** Bytes that have arrived and were not taken yet. */
  #rest = new Uint8Array(0);

  #pending: Promise<boolean> | undefined;
  /** Whether something came, or the end, after the last message was taken (`watch`). */
  hasNews = false;

  constructor(private readonly connection: Pick<Deno.Conn, "read">) {}

  /** Reads on between two messages, so that `hasNews` tells of what comes unasked. */
  watch(): void {
    this.hasNews = this.#rest.length > 0;
    this.#pending = this.#read().finally(() => this.hasNews = true);
    this.#pending.catch(() => {});
  }

  /**
   * The next head with the empty line that ends it; undefined where the connection has ended before.
   *
   * @param beginning how it has to begin; anything else fails at once.
   * @throws BrokenMessage where it does not end, or begins with something else.
   */
  async head(beginning = ""): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (true) {
      this.#rest = this.#rest.subarray(emptyLines(this.#rest));
      if (!beginning.startsWith(latin1(this.#rest.subarray(0, beginning.length)))) {
        throw new BrokenMessage("the response is not HTTP");
      }
      const length = headLength(this.#rest);
      if (length !== undefined) {
        const head = this.#rest.slice(0, length);
        this.#rest = this.#rest.subarray(length);
        return head;
      }
      if (this.#rest.length > LONGEST_HEAD) throw new BrokenMessage("the headers are too long");
      const isBetween = this.#rest.length === 0;
      if (await this.#more()) continue;
      if (isBetween) return undefined;
      throw new BrokenMessage("the connection was closed before the end of the headers");
    }
  }

  /**
   * Passes a body on as it was sent, each part as it comes.
   *
   * @throws BrokenMessage where the connection ends too early; what `write` throws.
   */
  async pass(body: Body, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    for await (const bytes of this.#partsOf(body)) await write(bytes);
  }

  /**
   * A body's payload, as it comes; by default, all that follows.
   *
   * @throws BrokenMessage where it ends too early, or its chunks are not valid.
   */
  async *contentOf(body: Body = UNTIL_CLOSED): AsyncGenerator<Uint8Array, void, void> {
    const { endsWithConnection } = body;
    const content: Uint8Array[] = [];
    for await (const _ of this.#partsOf(body, content)) {
      yield* content.splice(0);
      if (body.endsWithConnection !== endsWithConnection) {
        throw new BrokenMessage("a chunk has an invalid length");
      }
    }
  }

  /** Reads and drops what still comes. */
  async drain(): Promise<void> {
    while (await this.connection.read(this.#buffer) !== null);
  }

  async *#partsOf(body: Body, content?: Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
    while (!body.done) {
      if (this.#rest.length === 0 && !await this.#more()) {
        if (body.endsWithConnection) return;
        throw new BrokenMessage("the connection was closed before the end of the body");
      }
      const part = this.#rest.subarray(0, body.take(this.#rest, content));
      this.#rest = this.#rest.subarray(part.length);
      yield part;
    }
  }

  #more(): Promise<boolean> {
    const more = this.#pending ?? this.#read();
    this.#pending = undefined;
    return more;
  }

  async #read(): Promise<boolean> {
    const length = await this.connection.read(this.#buffer);
    if (length === null) return false;
    const rest = new Uint8Array(this.#rest.length + length);
    rest.set(this.#rest);
    rest.set(this.#buffer.subarray(0, length), this.#rest.length);
    this.#rest = rest;
    return true;
  }
}

/**
 * The length of a head with the empty line that ends it; undefined where that has not come.
 * Lines may lack the carriage return.
 */
export function headLength(bytes: Uint8Array): number | undefined {
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) {
    if (bytes[end + 1] === 10) return end + 2;
    if (bytes[end + 1] === 13 && bytes[end + 2] === 10) return end + 3;
  }
}

/** How many bytes of empty lines begin this: a client may send some before a request. */
export function emptyLines(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => byte !== 10 && byte !== 13);
  return start < 0 ? bytes.length : start;
}

export function requestHead(bytes: Uint8Array): RequestHead {
  const { first, fields } = linesOf(bytes);
  const [, method = "", version] = /^(\S+) .* HTTP\/1\.([01])$/.exec(first) ?? [];
  const length = lengthOf(fields);
  const body = codedBody(fields) ?? (length === "wrong" ? UNTIL_CLOSED : new Length(length ?? 0));
  return { method, persists: body !== UNTIL_CLOSED && persists(version, fields), body };
}

/**
 * Reads the head of an answer. Where its body ends: RFC 9112, 6.3.
 *
 * @param method of the request: the answer to HEAD has no body, whatever its head says.
 */
export function answerHead(bytes: Uint8Array, method: string): AnswerHead {
  const { first, fields, isMalformed } = linesOf(bytes);
  const [, version, digits = "0", reason = ""] =
    /^HTTP\/1\.([01]) (\d{3})(?:$| (.*))/.exec(first) ?? [];
  const status = Number(digits);
  const isInterim = status >= 100 && status < 200 && status !== 101;
  const isEmpty = isInterim || method === "HEAD" || status === 204 || status === 304;
  const length = lengthOf(fields);
  const isUnknown = length === undefined || length === "wrong" || status === 101;
  const body = isEmpty
    ? new Length(0)
    : codedBody(fields) ?? (isUnknown ? UNTIL_CLOSED : new Length(length));
  const stays = body !== UNTIL_CLOSED && persists(version, fields);
  return { status, reason, fields, isMalformed, isInterim, persists: stays, body };
}

function linesOf(bytes: Uint8Array): { first: string; fields: Fields; isMalformed: boolean } {
  const [first = "", ...rest] = latin1(bytes).split(/\r?\n/);
  const fields = new Map<string, string>();
  let isMalformed = false;
  for (const line of rest) {
    if (line === "") continue;
    const [, name, text = ""] = /^([^\s:]+):(.*)$/s.exec(line) ?? [];
    const isName = name !== undefined && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
    if (!isName || text.includes("\0")) isMalformed = true;
    if (name === undefined) continue;
    const value = withoutBlanks(text);
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return { first, fields, isMalformed };
}

/**
 * A character for each byte. What TextDecoder calls "latin1" is windows-1252:
 * https://encoding.spec.whatwg.org/#names-and-labels.
 */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** By default a connection of HTTP/1.1 stays open, and one of HTTP/1.0 does not. */
function persists(version: string | undefined, fields: Fields): boolean {
  const words = (fields.get("connection") ?? "").toLowerCase().split(",").map((one) => one.trim());
  if (words.includes("close")) return false;
  return version === "1" || version === "0" && words.includes("keep-alive");
}

/** The same length twice counts once. */
function lengthOf(fields: Fields): number | "wrong" | undefined {
  const said = fields.get("content-length");
  if (said === undefined) return undefined;
  const [first, ...others] = said.split(",").map((part) => part.trim());
  if (!/^\d{1,15}$/.test(first!) || others.some((other) => other !== first)) return "wrong";
  return Number(first);
}

/** The body of a message with a transfer coding; undefined where it has none. */
function codedBody(fields: Fields): Body | undefined {
  const coding = fields.get("transfer-encoding");
  if (coding === undefined) return undefined;
  const last = coding.toLowerCase().split(",").at(-1)?.trim();
  return last === "chunked" ? new Chunks() : UNTIL_CLOSED;
}

const UNTIL_CLOSED: Body = {
  done: false,
  endsWithConnection: true,
  take(bytes, content) {
    content?.push(bytes);
    return bytes.length;
  },
};

/** A body of so many bytes. */
class Length implements Body {
  readonly endsWithConnection = false;

  constructor(private left: number) {}

  get done(): boolean {
    return this.left === 0;
  }

  take(bytes: Uint8Array, content?: Uint8Array[]): number {
    const part = bytes.subarray(0, this.left);
    content?.push(part);
    this.left -= part.length;
    return part.length;
  }
}

/** A body in chunks, with their lengths and the trailers behind them. */
class Chunks implements Body {
  /** What is read now. After an invalid length, everything that follows belongs to the body. */
  #part: "length" | "data" | "end of data" | "trailers" | "done" | "wrong" = "length";
  #line = "";
  #left = 0;

  get done(): boolean {
    return this.#part === "done";
  }

  get endsWithConnection(): boolean {
    return this.#part === "wrong";
  }

  take(bytes: Uint8Array, content?: Uint8Array[]): number {
    let at = 0;
    while (at < bytes.length && this.#part !== "done") {
      if (this.#part === "wrong") return bytes.length;
      if (this.#part === "data") {
        const data = bytes.subarray(at, at + this.#left);
        content?.push(data);
        at += data.length;
        this.#left -= data.length;
        if (this.#left === 0) this.#part = "end of data";
        continue;
      }
      const byte = bytes[at++]!;
      if (byte === 10) this.#endLine();
      else if (byte !== 13) this.#line += String.fromCharCode(byte);
      // No length and no trailer is as long.
      if (this.#line.length > 65_536) this.#part = "wrong";
    }
    return at;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = "";
    if (this.#part === "trailers") {
      if (line === "") this.#part = "done";
    } else if (this.#part === "end of data") {
      this.#part = line === "" ? "length" : "wrong";
    } else {
      // After a semicolon comes an extension.
      const digits = /^([0-9a-f]{1,12})[ \t]*(?:;|$)/i.exec(line)?.[1];
      this.#left = parseInt(digits ?? "", 16);
      this.#part = digits === undefined ? "wrong" : this.#left === 0 ? "trailers" : "data";
    }
  }
}
