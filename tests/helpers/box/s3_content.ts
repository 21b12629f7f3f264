/** The content of a request to S3: its framing taken off, its checksums compared. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { concatenated } from "../tar.ts";
import type { Checksum, Piece } from "./s3_types.ts";
import { type BoxRequest, Refused, Unexpected } from "./service.ts";

/** Name in headers to how it is computed. */
const ALGORITHMS: Readonly<Record<string, (content: Uint8Array) => Uint8Array>> = {
  crc32: (content) => bigEndian(crc32(content)),
  crc32c: (content) => bigEndian(crc32c(content)),
  sha1: (content) => createHash("sha1").update(content).digest(),
  sha256: (content) => createHash("sha256").update(content).digest(),
};

/** What came, without its framing. */
export interface Content {
  readonly bytes: Uint8Array;
  /** The checksum that was sent with it, which is right. */
  readonly checksum?: Checksum;
}

/** Takes the content of a request. @throws Refused where a checksum or a length is wrong. */
export function contentOf({ headers, body }: BoxRequest): Content {
  const isChunked = headers.get("x-amz-content-sha256")?.startsWith("STREAMING-") ?? false;
  const { bytes, trailers } = isChunked ? unchunked(body) : { bytes: body, trailers: {} };
  const length = headers.get("x-amz-decoded-content-length");
  if (isChunked && Number(length ?? NaN) !== bytes.length) {
    throw new Refused("IncompleteBody", "The request body terminated unexpectedly");
  }
  const promised = headers.get("x-amz-trailer");
  if (promised !== null && !(promised in trailers)) {
    throw new Refused(
      "MalformedTrailerError",
      "The request contained trailing data that was not " +
        "well-formed or did not conform to our published schema.",
    );
  }
  const contentMd5 = headers.get("content-md5");
  if (contentMd5 !== null && contentMd5 !== base64(createHash("md5").update(bytes).digest())) {
    throw new Refused("BadDigest", "The Content-MD5 you specified did not match what we received.");
  }
  const named = { ...Object.fromEntries(headers), ...trailers };
  const checksum = sentChecksum(named);
  if (checksum && checksum.value !== checksumOf(checksum.algorithm, bytes)) {
    throw new Refused(
      "BadDigest",
      `The ${checksum.algorithm.toUpperCase()} you specified did not match what we received.`,
    );
  }
  return { bytes, checksum };
}

/** A checksum of a content, in base64. */
export function checksumOf(algorithm: string, content: Uint8Array): string {
  const compute = ALGORITHMS[algorithm];
  if (!compute) throw new Unexpected(`Not expected: a checksum by ${algorithm}`);
  return base64(compute(content));
}

/** The checksum of a whole that came in parts. */
export function compositeChecksum(algorithm: string, parts: readonly string[]): Checksum {
  const all = parts.flatMap((part) => [...Uint8Array.from(atob(part), (one) => one.charCodeAt(0))]);
  const value = `${checksumOf(algorithm, Uint8Array.from(all))}-${parts.length}`;
  return { algorithm, value, isComposite: true };
}

function sentChecksum(headers: Readonly<Record<string, string>>): Checksum | undefined {
  const sent = Object.entries(headers).flatMap(([name, value]) => {
    const algorithm = /^x-amz-checksum-(?!mode$|algorithm$|type$)(.+)$/.exec(name)?.[1];
    return algorithm ? [{ algorithm, value }] : [];
  });
  if (sent.length > 1) {
    throw new Refused(
      "InvalidRequest",
      "Expecting a single x-amz-checksum- header. Multiple " +
        "checksum Types are not allowed.",
    );
  }
  return sent[0];
}

/** Takes `aws-chunked` apart: chunks as HTTP frames them, then trailers. */
function unchunked(body: Uint8Array): {
  readonly bytes: Uint8Array;
  readonly trailers: Readonly<Record<string, string>>;
} {
  const malformed = new Refused("IncompleteBody", "The request body terminated unexpectedly");
  const lineFrom = (start: number): string => {
    for (let end = start; end + 1 < body.length; end++) {
      if (body[end] === 13 && body[end + 1] === 10) {
        return new TextDecoder().decode(body.subarray(start, end));
      }
    }
    throw malformed;
  };
  const chunks: Uint8Array[] = [];
  let position = 0;
  for (;;) {
    const line = lineFrom(position);
    position += line.length + 2;
    const size = parseInt(line, 16);
    if (!(size >= 0)) throw malformed;
    if (size === 0) break;
    chunks.push(body.subarray(position, position + size));
    position += size;
    if (lineFrom(position) !== "") throw malformed;
    position += 2;
  }
  const trailers: Record<string, string> = {};
  for (let line = lineFrom(position); line !== ""; line = lineFrom(position)) {
    position += line.length + 2;
    const [name = "", value = ""] = line.split(/: */, 2);
    trailers[name.toLowerCase()] = value;
  }
  return { bytes: concatenated(chunks), trailers };
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** CRC with Castagnoli's polynomial, bit by bit: small contents alone come with it. */
function crc32c(content: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of content) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** What is read at once (bytes). */
const BLOCK = 256 * 1024;

/** The bytes of the pieces, one behind the other, from `start` to before `end`. */
export function piecesAnswer(
  pieces: readonly Piece[],
  start: number,
  end: number,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(end > start ? streamOf(pieces, start, end) : null, {
    status,
    headers: { ...headers, "content-length": String(end - start) },
  });
}

function streamOf(
  pieces: readonly Piece[],
  start: number,
  end: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const blocks = read(pieces, start, end);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await blocks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await blocks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* read(
  pieces: readonly Piece[],
  start: number,
  end: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let position = 0;
  for (const piece of pieces) {
    const from = Math.max(0, start - position);
    const to = Math.min(piece.size, end - position);
    position += piece.size;
    if (from < to) yield* blocksOf(piece, from, to);
  }
}

/** A piece's bytes from `from` to before `to`, block by block. */
export async function* blocksOf(
  { path, offset, size }: Piece,
  from = 0,
  to = size,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  using file = await Deno.open(path);
  await file.seek(offset + from, Deno.SeekMode.Start);
  for (let left = to - from; left > 0;) {
    const block = new Uint8Array(Math.min(BLOCK, left));
    const count = await file.read(block);
    if (count === null) throw new Error(`${path} is shorter than it was`);
    left -= count;
    yield block.subarray(0, count);
  }
}
