/**
 * AWS Signature Version 4, from the side that checks it. Written from AWS's description ('Create a
 * signed AWS API request'), not from the SDK, so that the two check each other.
 *
 * @module
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

const SHAPE = new RegExp(
  "^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/([^/]+)/aws4_request, " +
    "SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$",
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

/** What a POST to `/` looks like to the one who signs it. */
export function canonicalRequest(
  headers: Headers,
  signedHeaders: readonly string[],
  body: string,
): string {
  const lines = signedHeaders.map((name) => `${name}:${(headers.get(name) ?? "").trim()}`);
  return ["POST", "/", "", ...lines, "", signedHeaders.join(";"), sha256(body)].join("\n");
}

/** The signature that the owner of the secret gives to a POST to `/`. */
export function signatureOf(
  { date, region, service, signedHeaders }: Authorization,
  secret: string,
  headers: Headers,
  body: string,
): string {
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [
    "AWS4-HMAC-SHA256",
    headers.get("x-amz-date") ?? "",
    scope,
    sha256(canonicalRequest(headers, signedHeaders, body)),
  ].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<string | Uint8Array>(
    (previous, part) => createHmac("sha256", previous).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac("sha256", key).update(toSign).digest("hex");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
