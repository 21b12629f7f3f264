import type { AccessKey } from "./account.ts";
import {
  type Authorization,
  canonicalRequest,
  sha256,
  signatureOf,
  type SignedRequest,
} from "../sigv4.ts";
import type { Faults } from "./faults.ts";
import { Refused, type ServiceName } from "./service.ts";

/** What S3 takes instead of the content's hash. */
const UNSIGNED = ["UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"];

/** Words and codes of a service. */
interface Words {
  readonly unknownKey: readonly [code: string, message: string, status: number];
  readonly wrongToken: readonly [code: string, message: string, status: number];
  readonly wrongSignature: string;
  readonly expired: readonly [code: string, message: string, status: number];
}

const INVALID_TOKEN = "The security token included in the request is invalid.";
const EXPIRED_TOKEN = "The security token included in the request is expired";

const JSON_WORDS: Words = {
  unknownKey: ["UnrecognizedClientException", INVALID_TOKEN, 400],
  wrongToken: ["UnrecognizedClientException", INVALID_TOKEN, 400],
  wrongSignature: "InvalidSignatureException",
  expired: ["ExpiredTokenException", EXPIRED_TOKEN, 400],
};

const STS_WORDS: Words = {
  unknownKey: ["InvalidClientTokenId", INVALID_TOKEN, 403],
  wrongToken: ["InvalidClientTokenId", INVALID_TOKEN, 403],
  wrongSignature: "SignatureDoesNotMatch",
  expired: ["ExpiredToken", EXPIRED_TOKEN, 403],
};

const S3_WORDS: Words = {
  unknownKey: [
    "InvalidAccessKeyId",
    "The AWS Access Key Id you provided does not exist in our records.",
    403,
  ],
  wrongToken: ["InvalidToken", "The provided token is malformed or otherwise invalid.", 400],
  wrongSignature: "SignatureDoesNotMatch",
  expired: ["ExpiredToken", "The provided token has expired.", 400],
};

/**
 * The key that signed the request.
 *
 * @throws Refused where no service would take it. `onWrongSignature` is called before that: a
 * program of ours signs right.
 */
export function authenticated(
  authorization: Authorization,
  request: SignedRequest,
  keys: ReadonlyMap<string, AccessKey>,
  faults: Faults,
  onWrongSignature: () => void,
): AccessKey {
  const service = authorization.service as ServiceName;
  const words = service === "s3" ? S3_WORDS : service === "sts" ? STS_WORDS : JSON_WORDS;
  const { headers } = request;
  const key = keys.get(authorization.accessKeyId);
  if (!key) throw new Refused(...words.unknownKey);
  if ((headers.get("x-amz-security-token") ?? undefined) !== key.token) {
    throw new Refused(...words.wrongToken);
  }
  const isComplete =
    ["host", "x-amz-date"].every((name) => authorization.signedHeaders.includes(name)) &&
    headers.get("x-amz-date")?.startsWith(authorization.date);
  if (!isComplete || signatureOf(authorization, key.secret, request) !== authorization.signature) {
    onWrongSignature();
    // The service repeats the signed headers, the session token among them.
    throw new Refused(
      words.wrongSignature,
      "The request signature we calculated does not match the signature you provided. " +
        "The Canonical String for this request should have been\n'" +
        `${canonicalRequest(authorization, request)}'`,
      403,
    );
  }
  if (faults.isExpired(key)) throw new Refused(...words.expired);
  if (service === "s3") checkContent(request);
  return key;
}

function checkContent({ headers, body }: SignedRequest): void {
  const said = headers.get("x-amz-content-sha256");
  if (said === null) {
    throw new Refused(
      "InvalidRequest",
      "Missing required header for this request: x-amz-content-sha256",
    );
  }
  if (UNSIGNED.includes(said)) return;
  if (said !== sha256(body)) {
    throw new Refused(
      "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
}
