import { encoded } from "../sigv4.ts";
import { xmlElement } from "./answers.ts";
import { type Bucket, byBytes, type MultipartUpload, type StoredObject } from "./s3_types.ts";
import { type BoxRequest, Refused } from "./service.ts";

const XMLNS = `xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`;

/** An XML document as S3 sends it. */
export function xmlAnswer(
  name: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${XMLNS}>${content}</${name}>`,
    { headers: { "content-type": "application/xml", ...headers } },
  );
}

/** ListObjectsV2. A page has at most 1,000 keys. */
export function listObjects({ objects, name }: Bucket, input: BoxRequest["input"]): Response {
  const { prefix = "" } = input;
  const text = textWriter(input["encoding-type"]);
  const maximum = atMost1000(input["max-keys"], "max-keys");
  const after = afterOf(input["continuation-token"]);
  const found: StoredObject[] = [];
  let isTruncated = false;
  for (const key of objects.keysFrom(after ?? prefix, (one) => one.startsWith(prefix))) {
    if (key === after) continue;
    isTruncated = found.length === maximum;
    if (isTruncated) break;
    found.push(objects.get(key)!);
  }
  const contents = found.map(({ key, modified, etag, size }) =>
    `<Contents>${text("Key", key)}${xmlElement("LastModified", modified.toISOString())}` +
    `${xmlElement("ETag", etag)}${xmlElement("Size", size)}` +
    `<StorageClass>STANDARD</StorageClass></Contents>`
  );
  const encoding = input["encoding-type"];
  return xmlAnswer(
    "ListBucketResult",
    xmlElement("Name", name) + text("Prefix", prefix) +
      (encoding === undefined ? "" : xmlElement("EncodingType", encoding)) +
      xmlElement("KeyCount", found.length) + xmlElement("MaxKeys", maximum) +
      xmlElement("IsTruncated", isTruncated) +
      (isTruncated ? xmlElement("NextContinuationToken", tokenOf(found.at(-1)!.key)) : "") +
      contents.join(""),
  );
}

/** ListMultipartUploads. */
export function listUploads({ uploads, name }: Bucket, input: BoxRequest["input"]): Response {
  const { prefix = "" } = input;
  const text = textWriter(input["encoding-type"]);
  const maximum = atMost1000(input["max-uploads"], "max-uploads");
  const marker = [input["key-marker"] ?? "", input["upload-id-marker"] ?? ""] as const;
  const order = (one: MultipartUpload, other: readonly [string, string]): number =>
    byBytes(one.key, other[0]) || byBytes(one.id, other[1]);
  const all = [...uploads.values()]
    .filter(({ key }) => key.startsWith(prefix))
    .filter((one) => marker[0] === "" || order(one, marker) > 0)
    .sort((one, { key, id }) => order(one, [key, id]));
  const page = all.slice(0, maximum);
  const last = all.length > page.length ? page.at(-1) : undefined;
  return xmlAnswer(
    "ListMultipartUploadsResult",
    xmlElement("Bucket", name) + text("Prefix", prefix) + text("KeyMarker", marker[0]) +
      xmlElement("UploadIdMarker", marker[1]) + xmlElement("MaxUploads", maximum) +
      (last ? text("NextKeyMarker", last.key) + xmlElement("NextUploadIdMarker", last.id) : "") +
      xmlElement("IsTruncated", last !== undefined) +
      page.map(({ key, id, initiated }) =>
        `<Upload>${text("Key", key)}${xmlElement("UploadId", id)}` +
        `<StorageClass>STANDARD</StorageClass>` +
        `${xmlElement("Initiated", initiated.toISOString())}</Upload>`
      ).join(""),
  );
}

function atMost1000(given: string | undefined, name: string): number {
  const number = Number(given ?? 1000);
  if (Number.isInteger(number) && number >= 0) return Math.min(number, 1000);
  throw new Refused("InvalidArgument", `Provided ${name} not an integer or within integer range`);
}

/** How names are written: as they are, or as in addresses, with a plus for a space. */
function textWriter(encoding: string | undefined): (element: string, text: string) => string {
  if (encoding === undefined) return xmlElement;
  if (encoding !== "url") {
    throw new Refused("InvalidArgument", "Invalid Encoding Method specified in Request");
  }
  return (element, text) => xmlElement(element, encoded(text, "/").replaceAll("%20", "+"));
}

/** The last key of the page before. */
function afterOf(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(token), (one) => one.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("InvalidArgument", "The continuation token provided is incorrect");
  }
}

function tokenOf(key: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(key)));
}
