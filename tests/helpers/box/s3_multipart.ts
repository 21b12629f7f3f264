import { xmlDecoded } from "../xml.ts";
import { xmlElement } from "./answers.ts";
import type { S3Call, S3Operation } from "./s3.ts";
import { compositeChecksum, contentOf } from "./s3_content.ts";
import { xmlAnswer } from "./s3_listing.ts";
import { checkCondition, checksumHeaders, descriptionOf, malformedXml } from "./s3_objects.ts";
import { md5 } from "./s3_store.ts";
import type { Checksum, MultipartUpload, Part } from "./s3_types.ts";
import { Refused } from "./service.ts";

/** By their names. */
export const MULTIPART: Readonly<Record<string, S3Operation>> = {
  CreateMultipartUpload: create,
  UploadPart: uploadPart,
  CompleteMultipartUpload: complete,
  AbortMultipartUpload: abort,
};

function create({ request: { headers, input }, bucket, store }: S3Call): Response {
  const algorithm = headers.get("x-amz-checksum-algorithm")?.toLowerCase();
  const upload = store.createUpload(bucket.name, input.Key, {
    ...descriptionOf(headers),
    algorithm,
  });
  return xmlAnswer(
    "InitiateMultipartUploadResult",
    xmlElement("Bucket", bucket.name) + xmlElement("Key", input.Key) +
      xmlElement("UploadId", upload.id),
    algorithm ? { "x-amz-checksum-algorithm": algorithm.toUpperCase() } : {},
  );
}

async function uploadPart(call: S3Call): Promise<Response> {
  const { request, store } = call;
  const number = Number(request.input.partNumber);
  if (!(Number.isInteger(number) && number >= 1 && number <= 10_000)) {
    throw new Refused(
      "InvalidArgument",
      "Part number must be an integer between 1 and 10000, inclusive",
    );
  }
  const upload = uploadOf(call);
  const { bytes, checksum } = contentOf(request);
  if (upload.algorithm && checksum?.algorithm !== upload.algorithm) {
    throw new Refused(
      "InvalidRequest",
      `Checksum Type mismatch occurred, expected checksum Type: ${upload.algorithm}, actual ` +
        `checksum Type: ${checksum?.algorithm ?? "null"}`,
    );
  }
  const piece = await store.write(bytes);
  const part: Part = { ...piece, etag: `"${md5(bytes)}"`, checksum };
  if (!call.bucket.uploads.has(upload.id)) {
    // It was aborted meanwhile.
    await store.discard([part]);
    throw noSuchUpload(upload.id);
  }
  const old = upload.parts.get(number);
  upload.parts.set(number, part);
  await store.discard(old ? [old] : []);
  return new Response(null, { headers: { etag: part.etag, ...partHeaders(checksum) } });
}

async function complete(call: S3Call): Promise<Response> {
  const { request, bucket, store } = call;
  const upload = uploadOf(call);
  const named = namedParts(new TextDecoder().decode(request.body));
  const parts = named.map((part) => existing(part, upload));
  for (const [index, { number }] of named.entries()) {
    if (index > 0 && number <= named[index - 1]!.number) {
      throw new Refused(
        "InvalidPartOrder",
        "The list of parts was not in ascending order. Parts must be ordered by part number.",
      );
    }
  }
  if (parts.slice(0, -1).some(({ size }) => size < store.smallestPart)) {
    throw new Refused(
      "EntityTooSmall",
      "Your proposed upload is smaller than the minimum allowed size",
    );
  }
  checkCondition(call);
  const { algorithm } = upload;
  const checksum = algorithm === undefined
    ? undefined
    : compositeChecksum(algorithm, parts.map((part) => part.checksum!.value));
  const sent = algorithm && request.headers.get(`x-amz-checksum-${algorithm}`);
  if (sent && checksum && sent.split("-")[0] !== checksum.value.split("-")[0]) {
    throw new Refused("BadDigest", `The ${algorithm} you specified did not match.`);
  }
  bucket.uploads.delete(upload.id);
  // The parts that nobody named are gone.
  await store.discard([...upload.parts.values()].filter((part) => !parts.includes(part)));
  const digests = parts.map(({ etag }) => etag.slice(1, -1)).join("");
  const etag = `"${md5(bytesOfHex(digests))}-${parts.length}"`;
  const description = { ...upload, checksum };
  const object = await store.keep(bucket.name, upload.key, parts, etag, description);
  return xmlAnswer(
    "CompleteMultipartUploadResult",
    xmlElement("Location", `${request.url.origin}${request.url.pathname}`) +
      xmlElement("Bucket", bucket.name) + xmlElement("Key", upload.key) +
      xmlElement("ETag", object.etag) +
      (checksum ? xmlElement(`Checksum${algorithm!.toUpperCase()}`, checksum.value) : ""),
    checksumHeaders(object),
  );
}

async function abort(call: S3Call): Promise<Response> {
  const upload = uploadOf(call);
  call.bucket.uploads.delete(upload.id);
  await call.store.discard(upload.parts.values());
  return new Response(null, { status: 204 });
}

/** A part as CompleteMultipartUpload names it. */
interface NamedPart {
  readonly number: number;
  readonly etag: string;
  readonly checksum?: string;
}

function namedParts(xml: string): NamedPart[] {
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part]) => {
    const element = (name: string): string | undefined =>
      new RegExp(`<${name}>([^<]*)</`).exec(part!)?.[1];
    return {
      number: Number(element("PartNumber")),
      etag: xmlDecoded(element("ETag") ?? ""),
      checksum: element("Checksum[A-Z0-9]+"),
    };
  });
  if (parts.length === 0) throw malformedXml();
  return parts;
}

function existing(
  { number, etag, checksum }: NamedPart,
  { parts, algorithm }: MultipartUpload,
): Part {
  const part = parts.get(number);
  const isSame = part && part.etag.replaceAll('"', "") === etag.replaceAll('"', "") &&
    (checksum === undefined || checksum === part.checksum?.value);
  if (!isSame) {
    throw new Refused(
      "InvalidPart",
      "One or more of the specified parts could not be found.  The part may not have been " +
        "uploaded, or the specified entity tag may not match the part's entity tag.",
    );
  }
  if (algorithm && checksum === undefined) {
    throw new Refused(
      "InvalidRequest",
      `The upload was created using a ${algorithm} checksum. The complete request must include ` +
        `the checksum for each part. It was missing for part ${number} in the request.`,
    );
  }
  return part;
}

/** The upload that a request names; it is the same key's. */
function uploadOf({ request: { input }, bucket }: S3Call): MultipartUpload {
  const upload = bucket.uploads.get(input.uploadId);
  if (!upload || upload.key !== input.Key) throw noSuchUpload(input.uploadId);
  return upload;
}

function noSuchUpload(id: string): Refused {
  return new Refused(
    "NoSuchUpload",
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have " +
      "been aborted or completed.",
    404,
    {},
    { UploadId: id },
  );
}

function partHeaders(checksum: Checksum | undefined): Record<string, string> {
  return checksum ? { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value } : {};
}

function bytesOfHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
}
