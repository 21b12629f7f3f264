import { xmlDecoded } from "../xml.ts";
import { xmlElement } from "./answers.ts";
import type { S3Call, S3Operation } from "./s3.ts";
import { contentOf, piecesAnswer } from "./s3_content.ts";
import { xmlAnswer } from "./s3_listing.ts";
import { md5 } from "./s3_store.ts";
import type { Description, StoredObject } from "./s3_types.ts";
import { Refused, Unexpected } from "./service.ts";

/** Headers that are kept, and told with the object. */
const KEPT = [
  ...["content-type", "content-encoding", "content-language", "content-disposition", "expires"],
  ...["cache-control", "x-amz-server-side-encryption"],
  "x-amz-server-side-encryption-aws-kms-key-id",
];

/** By their names. */
export const OBJECTS: Readonly<Record<string, S3Operation>> = {
  PutObject: putObject,
  GetObject: getObject,
  HeadObject: headObject,
  DeleteObject: async ({ request, bucket, store }) => {
    await store.delete(bucket.name, request.input.Key);
    return new Response(null, { status: 204 });
  },
  DeleteObjects: deleteObjects,
};

/** What the headers say about an object to come. */
export function descriptionOf(headers: Headers): Description {
  const metadata = [...headers].flatMap(([name, value]) =>
    name.startsWith("x-amz-meta-") ? [[name.slice("x-amz-meta-".length), value]] : []
  );
  const kept = KEPT.flatMap((name) => {
    // That one frames the request, and is not the object's.
    const value = headers.get(name)?.replace(/^aws-chunked(, *)?/, "");
    return value ? [[name, value]] : [];
  });
  return { metadata: Object.fromEntries(metadata), headers: Object.fromEntries(kept) };
}

/** Headers of an answer to a checksum that came. */
export function checksumHeaders({ checksum }: Description): Record<string, string> {
  if (!checksum) return {};
  return {
    [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
    "x-amz-checksum-type": checksum.isComposite ? "COMPOSITE" : "FULL_OBJECT",
  };
}

/** Writes only where the condition holds. */
export function checkCondition({ request, bucket }: S3Call): void {
  const there = bucket.objects.get(request.input.Key);
  const [match, none] = [request.headers.get("if-match"), request.headers.get("if-none-match")];
  const failed = (none === "*" && there) ? "If-None-Match" : undefined;
  const unmatched = match !== null && there && there.etag !== match ? "If-Match" : undefined;
  const condition = failed ?? unmatched;
  if (match !== null && !there) throw noSuchKey(request.input.Key);
  if (condition) throw preconditionFailed(condition);
}

async function putObject(call: S3Call): Promise<Response> {
  const { request: { headers, input }, request, bucket, store } = call;
  if (!headers.has("content-length")) {
    throw new Refused(
      "MissingContentLength",
      "You must provide the Content-Length HTTP header.",
      411,
    );
  }
  const { bytes, checksum } = contentOf(request);
  checkCondition(call);
  const description = { ...descriptionOf(headers), checksum };
  const piece = await store.write(bytes);
  // What is encrypted by a key of KMS has an entity tag that is no MD5.
  const isByKms = headers.get("x-amz-server-side-encryption") === "aws:kms";
  const etag = `"${isByKms ? md5(`${piece.path}:${piece.offset}`) : md5(bytes)}"`;
  const object = await store.keep(bucket.name, input.Key, [piece], etag, description);
  return new Response(null, { headers: { etag: object.etag, ...checksumHeaders(object) } });
}

function getObject(call: S3Call): Response {
  const object = wanted(call);
  const headers = headersOf(object, call);
  const range = call.request.headers.get("range");
  if (range === null) return piecesAnswer(object.pieces, 0, object.size, 200, headers);
  const { start, end } = part(range, object.size);
  return piecesAnswer(object.pieces, start, end, 206, {
    ...headers,
    "content-range": `bytes ${start}-${end - 1}/${object.size}`,
  });
}

function headObject(call: S3Call): Response {
  const object = wanted(call);
  const headers = { ...headersOf(object, call), "content-length": String(object.size) };
  return new Response(null, { headers });
}

/** The object that is asked for. Who may not list is not told that there is none. */
function wanted({ request, bucket, faults }: S3Call): StoredObject {
  const { input, key, headers } = request;
  const object = bucket.objects.get(input.Key);
  if (!object) {
    const listing = { action: "s3:ListBucket", resource: `arn:aws:s3:::${bucket.name}` };
    throw faults.denial(listing, key) ?? noSuchKey(input.Key);
  }
  const match = headers.get("if-match");
  if (match !== null && match !== object.etag) throw preconditionFailed("If-Match");
  if (headers.get("if-none-match") === object.etag) {
    throw new Refused("NotModified", "Not Modified", 304);
  }
  return object;
}

function headersOf(object: StoredObject, { request }: S3Call): Record<string, string> {
  const isChecked = request.headers.get("x-amz-checksum-mode") === "ENABLED" &&
    !request.headers.has("range");
  return {
    "content-type": "binary/octet-stream",
    ...object.headers,
    ...Object.fromEntries(
      Object.entries(object.metadata ?? {}).map(([name, value]) => [`x-amz-meta-${name}`, value]),
    ),
    ...(isChecked ? checksumHeaders(object) : {}),
    etag: object.etag,
    "last-modified": object.modified.toUTCString(),
    "accept-ranges": "bytes",
  };
}

/** What a Range header asks for, up to before `end`. */
function part(range: string, size: number): { readonly start: number; readonly end: number } {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range);
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) {
    throw new Unexpected(`Not expected: the range ${range}`);
  }
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start >= end) {
    throw new Refused("InvalidRange", "The requested range is not satisfiable", 416, {
      "content-range": `bytes */${size}`,
    });
  }
  return { start, end };
}

async function deleteObjects(call: S3Call): Promise<Response> {
  const { request, bucket, store, faults } = call;
  if (!contentOf(request).checksum && !request.headers.has("content-md5")) {
    throw new Refused(
      "InvalidRequest",
      "Missing required header for this request: Content-MD5 OR x-amz-checksum-*",
    );
  }
  const text = new TextDecoder().decode(contentOf(request).bytes);
  // Not even escaped: XML 1.0, "Characters".
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) throw malformedXml();
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => xmlDecoded(key!));
  if (keys.length === 0 || keys.length > 1000) throw malformedXml();
  const isQuiet = /<Quiet>true<\/Quiet>/.test(text);
  const results: string[] = [];
  for (const key of keys) {
    const resource = `arn:aws:s3:::${bucket.name}/${key}`;
    const denial = faults.denial({ action: "s3:DeleteObject", resource }, request.key);
    if (!denial) await store.delete(bucket.name, key);
    if (denial) {
      results.push(
        `<Error>${xmlElement("Key", key)}${xmlElement("Code", denial.code)}` +
          `${xmlElement("Message", denial.message)}</Error>`,
      );
    } else if (!isQuiet) results.push(`<Deleted>${xmlElement("Key", key)}</Deleted>`);
  }
  return xmlAnswer("DeleteResult", results.join(""));
}

/** S3's word for a document that it does not understand. */
export function malformedXml(): Refused {
  return new Refused(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}

function preconditionFailed(condition: string): Refused {
  return new Refused(
    "PreconditionFailed",
    "At least one of the pre-conditions you specified did not hold",
    412,
    {},
    { Condition: condition },
  );
}

function noSuchKey(key: string): Refused {
  return new Refused("NoSuchKey", "The specified key does not exist.", 404, {}, { Key: key });
}
