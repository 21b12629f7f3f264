/**
 * Where messages of HTTP/1.1 begin and end (RFC 9112), for who passes them on byte for byte. Pure.
 *
 * What is not HTTP as its rules have it is passed on all the same, to the end of the connection: the
 * server says what is wrong with it.
 *
 * @module
 */

import { withoutBlanks } from "../../text.ts";

/** Counts the bytes of a body as they come. */
export interface Body {
  /** Whether all of it has come. Never so for one that ends with its connection. */
  readonly done: boolean;
  readonly endsWithConnection: boolean;
  /** How many of these bytes, which follow those before, belong to it. */
  take(bytes: Uint8Array): number;
}

/** The head of a request or an answer. */
export interface Head {
  /** Whether its sender can go on with another message on the connection afterwards. */
  readonly persists: boolean;
  readonly body: Body;
}

/** Of an answer. */
export interface AnswerHead extends Head {
  /** Whether another answer follows, to the same request: `100 Continue`. */
  readonly isInterim: boolean;
}

/** Of a request. */
export interface RequestHead extends Head {
  readonly method: string;
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

/** Reads the head of a request. */
export function requestHead(bytes: Uint8Array): RequestHead {
  const { first, fields } = linesOf(bytes);
  const [, method = "", version] = /^(\S+) .* HTTP\/1\.([01])$/.exec(first) ?? [];
  const coding = fields.get("transfer-encoding");
  const length = lengthOf(fields);
  const body = coding !== undefined
    ? isChunked(coding) ? new Chunks() : UNTIL_CLOSED
    : length === "wrong"
    ? UNTIL_CLOSED
    : new Length(length ?? 0);
  return { method, persists: body !== UNTIL_CLOSED && persists(version, fields), body };
}

/**
 * Reads the head of an answer.
 *
 * @param method of the request: the answer to HEAD has no body, whatever its head says.
 */
export function answerHead(bytes: Uint8Array, method: string): AnswerHead {
  const { first, fields } = linesOf(bytes);
  const [, version, digits = "0"] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
  const status = Number(digits);
  const isInterim = status >= 100 && status < 200 && status !== 101;
  const isEmpty = isInterim || method === "HEAD" || status === 204 || status === 304;
  const coding = fields.get("transfer-encoding");
  const length = lengthOf(fields);
  const body = isEmpty
    ? new Length(0)
    : coding !== undefined
    ? isChunked(coding) ? new Chunks() : UNTIL_CLOSED
    : length === undefined || length === "wrong" || status === 101
    ? UNTIL_CLOSED
    : new Length(length);
  return { isInterim, persists: body !== UNTIL_CLOSED && persists(version, fields), body };
}

interface Lines {
  readonly first: string;
  /** By their names in lower case; a comma joins the values of one that came several times. */
  readonly fields: ReadonlyMap<string, string>;
}

function linesOf(bytes: Uint8Array): Lines {
  // Names and what is looked for in values are ASCII.
  const [first = "", ...rest] = new TextDecoder().decode(bytes).split(/\r?\n/);
  const fields = new Map<string, string>();
  for (const line of rest) {
    const [, name, text = ""] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const value = withoutBlanks(text);
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before},${value}`);
  }
  return { first, fields };
}

/** Without its own word a connection of HTTP/1.1 stays, and one of HTTP/1.0 does not. */
function persists(version: string | undefined, fields: Lines["fields"]): boolean {
  const words = (fields.get("connection") ?? "").toLowerCase().split(",").map((one) => one.trim());
  if (words.includes("close")) return false;
  return version === "1" || version === "0" && words.includes("keep-alive");
}

function isChunked(coding: string): boolean {
  return coding.toLowerCase().split(",").at(-1)?.trim() === "chunked";
}

/** The same length twice counts once. */
function lengthOf(fields: Lines["fields"]): number | "wrong" | undefined {
  const said = fields.get("content-length");
  if (said === undefined) return undefined;
  const [first, ...others] = said.split(",").map((part) => part.trim());
  if (!/^\d{1,15}$/.test(first!) || others.some((other) => other !== first)) return "wrong";
  return Number(first);
}

const UNTIL_CLOSED: Body = { done: false, endsWithConnection: true, take: ({ length }) => length };

/** A body of so many bytes. */
class Length implements Body {
  readonly endsWithConnection = false;
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  take({ length }: Uint8Array): number {
    const taken = Math.min(length, this.#left);
    this.#left -= taken;
    return taken;
  }
}

/** A body in chunks, with their lengths and the trailers behind them. */
class Chunks implements Body {
  /** What is read now. After what is no length, everything belongs to it. */
  #part: "length" | "data" | "end of data" | "trailers" | "done" | "wrong" = "length";
  #line = "";
  #left = 0;

  get done(): boolean {
    return this.#part === "done";
  }

  get endsWithConnection(): boolean {
    return this.#part === "wrong";
  }

  take(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#part !== "done") {
      if (this.#part === "wrong") return bytes.length;
      if (this.#part === "data") {
        const taken = Math.min(bytes.length - at, this.#left);
        at += taken;
        this.#left -= taken;
        if (this.#left === 0) this.#part = "end of data";
        continue;
      }
      const byte = bytes[at++]!;
      if (byte === 10) this.#endLine();
      else if (byte !== 13) this.#line += String.fromCharCode(byte);
      // Nothing that has a length or a name is as long.
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
