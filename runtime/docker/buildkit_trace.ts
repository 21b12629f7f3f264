/**
 * What BuildKit says while it builds: a `StatusResponse` of protobuf in base64. Field numbers
 * are those of github.com/moby/buildkit, api/services/control/control.proto.
 */

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { BrokenEngine } from "./errors.ts";

/** What happened since the last one. */
export interface Trace {
  readonly vertexes: readonly Vertex[];
  readonly statuses: readonly VertexStatus[];
  readonly logs: readonly VertexLog[];
  readonly warnings: readonly VertexWarning[];
}

/** A step. Times are in ms since 1970. */
export interface Vertex {
  readonly digest: string;
  readonly name: string;
  readonly isCached: boolean;
  readonly started?: number;
  readonly completed?: number;
  /** Why it failed; empty where it did not. */
  readonly error: string;
}

/** Something that a step does: a layer that it fetches, mostly. */
export interface VertexStatus {
  readonly id: string;
  /** Digest of the step. */
  readonly vertex: string;
  readonly name: string;
  /** Bytes, where they are counted. */
  readonly current: number;
  readonly total: number;
  readonly completed?: number;
}

/** What a step wrote. */
export interface VertexLog {
  /** Digest of the step. */
  readonly vertex: string;
  /** 1: standard output, 2: standard error. */
  readonly stream: number;
  readonly bytes: Uint8Array;
}

/** What is wrong with the Dockerfile, though it can be built. */
export interface VertexWarning {
  readonly short: string;
}

/**
 * Reads a trace.
 *
 * @param base64 what `traceIn` found in a message.
 * @throws BrokenEngine where it is not what BuildKit promises.
 */
export function decodedTrace(base64: string): Trace {
  try {
    return trace(fieldsOf(Uint8Array.fromBase64(base64)));
  } catch (cause) {
    throw new BrokenEngine("Unexpected response from BuildKit in the Docker Engine", {
      hint: "To build with the classic builder, set DOCKER_BUILDKIT=0",
      cause,
    });
  }
}

type Value = number | Uint8Array;

/** A message's values by the numbers of their fields: a field may come several times. */
type Fields = ReadonlyMap<number, readonly Value[]>;

/** Reads a message. Of values, the schema has numbers and what has a length. */
function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, Value[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type !== WireType.Varint && type !== WireType.LengthDelimited) {
      reader.skip(type, number);
      continue;
    }
    const value = type === WireType.Varint ? Number(reader.int64()) : reader.bytes();
    const values = fields.get(number);
    if (values === undefined) fields.set(number, [value]);
    else values.push(value);
  }
  return fields;
}

function trace(fields: Fields): Trace {
  return {
    vertexes: messages(fields, 1).map(vertex),
    statuses: messages(fields, 2).map(status),
    logs: messages(fields, 3).map((log) => ({
      vertex: text(log, 1),
      stream: number(log, 3),
      bytes: bytes(log, 4),
    })),
    warnings: messages(fields, 4).map((warning) => ({ short: text(warning, 3) })),
  };
}

function vertex(fields: Fields): Vertex {
  return {
    digest: text(fields, 1),
    name: text(fields, 3),
    isCached: number(fields, 4) !== 0,
    started: time(fields, 5),
    completed: time(fields, 6),
    error: text(fields, 7),
  };
}

function status(fields: Fields): VertexStatus {
  return {
    id: text(fields, 1),
    vertex: text(fields, 2),
    name: text(fields, 3),
    current: number(fields, 4),
    total: number(fields, 5),
    completed: time(fields, 8),
  };
}

function messages(fields: Fields, field: number): readonly Fields[] {
  return (fields.get(field) ?? []).filter(isBytes).map(fieldsOf);
}

/** A `google.protobuf.Timestamp`: seconds and nanoseconds. */
function time(fields: Fields, field: number): number | undefined {
  const stamp = messages(fields, field).at(-1);
  return stamp && number(stamp, 1) * 1000 + number(stamp, 2) / 1e6;
}

function text(fields: Fields, field: number): string {
  return new TextDecoder().decode(bytes(fields, field));
}

function bytes(fields: Fields, field: number): Uint8Array {
  return fields.get(field)?.findLast(isBytes) ?? new Uint8Array();
}

function number(fields: Fields, field: number): number {
  const value = fields.get(field)?.at(-1);
  return typeof value === "number" ? value : 0;
}

function isBytes(value: Value): value is Uint8Array {
  return typeof value !== "number";
}
