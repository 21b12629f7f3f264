/**
 * What S3 gets without a hash of its content in the signature.
 *
 * @module
 */

import type { S3Client } from "./sdk/s3.ts";

/** Addresses of this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;

/** A request of the SDK before it is signed. */
interface Request {
  readonly protocol: string;
  readonly hostname: string;
  headers: Record<string, string>;
}

/**
 * Leaves the hash of the content (SHA-256) out of signatures where nobody can change it on the way:
 * over TLS, and on this machine. As in AWS's own programs (`botocore`, `_should_sha256_sign_payload`)
 * only where the request has a checksum, which is signed: the service compares that with what came.
 * The hash would take as long as all else together.
 */
export function leaveContentUnsigned(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as Request;
      const { protocol, hostname, headers } = request;
      const isSafe = protocol === "https:" || LOOPBACK.test(hostname);
      const hasChecksum = Object.keys(headers).some((name) => /^x-amz-checksum-crc/i.test(name));
      if (isSafe && hasChecksum) headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD";
      return next(args);
    },
    // Behind the one that adds the checksum, before the signature.
    { step: "build", priority: "low", name: "leaveContentUnsigned" },
  );
}
