/**
 * AWS Signature Version 4, from the side that checks it. Written from AWS's description ('Create a
 * signed AWS API request'), not from the SDK, so that the two check each other.
 */

import { createHash, createHmac } from "node:crypto";

/** The parts of an Authorization header. */
export interface Authorization {
  readonly accessKeyId: string;
  /** `20260301` */
  readonly date: string;
  readonly region: string;
  /** `sagemaker`, `sts` */
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** What is signed. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query as they came, not decoded: `/bucket/a%20b?partNumber=1` */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

const SHAPE = new RegExp(
  "^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/([^/]+)/aws4_request, *" +
    "SignedHeaders=([a-z0-9;._-]+), *Signature=([0-9a-f]{64})$",
);

/** Takes an Authorization header apart; `undefined` when there is none, or it is malformed. */
export function parseAuthorization(headers: Headers): Authorization | undefined {
  const match = SHAPE.exec(headers.get("authorization") ?? "");
  if (!match) return undefined;
  const [, accessKeyId, date, region, service, signedHeaders, signature] = match as unknown as [
    string,
    ...string[],
  ];
  return {
    accessKeyId: accessKeyId!,
    date: date!,
    region: region!,
    service: service!,
    signedHeaders: signedHeaders!.split(";"),
    signature: signature!,
  };
}

/** What the request looks like to the one who signs it. */
export function canonicalRequest(
  { service, signedHeaders }: Pick<Authorization, "service" | "signedHeaders">,
  { method, target, headers, body }: SignedRequest,
): string {
  const [path = "", ...rest] = target.split("?");
  const once = encoded(decoded(path), "/");
  const lines = signedHeaders.map((name) =>
    `${name}:${(headers.get(name) ?? "").trim().replace(/ {2,}/g, " ")}`
  );
  return [
    method,
    // "You do not double-encode for Amazon S3", and every other service does.
    service === "s3" ? once : encoded(once, "/"),
    canonicalQuery(rest.join("?")),
    ...lines,
    "",
    signedHeaders.join(";"),
    // S3 signs what that header says, which may be that the content is not signed.
    (service === "s3" ? headers.get("x-amz-content-sha256") : undefined) ?? sha256(body),
  ].join("\n");
}

/** The signature that the owner of the secret gives to the request. */
export function signatureOf(
  authorization: Authorization,
  secret: string,
  request: SignedRequest,
): string {
  const { date, region, service } = authorization;
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [
    "AWS4-HMAC-SHA256",
    request.headers.get("x-amz-date") ?? "",
    scope,
    sha256(canonicalRequest(authorization, request)),
  ].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<string | Uint8Array>(
    (previous, part) => createHmac("sha256", previous).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac("sha256", key).update(toSign).digest("hex");
}

/** SHA-256 in hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Text whose escapes are gone; that which is no escape stays. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

/** AWS's `UriEncode`: all but letters, digits and `-._~` as UTF-8 bytes, with what is kept. */
export function encoded(text: string, kept = ""): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%2F/g, kept === "/" ? "/" : "%2F");
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [encoded(decoded(name)), encoded(decoded(value.join("=")))] as const;
  });
  return pairs
    .sort(([one, first], [other, second]) => order(one, other) || order(first, second))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
