/** What the box asks of a service, and what a service may ask of the box. */

import type { AccessKey } from "./account.ts";
import type { Refusal } from "./answers.ts";
import type { Faults } from "./faults.ts";

/** As in the scope of a signature. */
export type ServiceName = "s3" | "sts" | "ecr" | "sagemaker" | "logs";

/** A request whose signature is right. */
export interface BoxRequest {
  readonly service: ServiceName;
  /** `PutObject`, `CreateTrainingJob`, ... */
  readonly operation: string;
  /** The JSON body, or the form's fields; for S3 `{Bucket, Key}` and the query's fields. */
  // deno-lint-ignore no-explicit-any
  readonly input: Record<string, any>;
  readonly key: AccessKey;
  /** Of the signature. */
  readonly region: string;
  readonly headers: Headers;
  readonly method: string;
  readonly url: URL;
  readonly body: Uint8Array;
}

/** One of AWS's services. */
export interface Service {
  /**
   * Answers. What it refuses, it throws as a `Refused`, which is written as that service writes
   * errors; what a program that is right never sends, it throws as `Unexpected`.
   */
  handle(request: BoxRequest): Response | Promise<Response>;
  /** What IAM calls it and what it is about; without it `SERVICE:OPERATION` on `*`. */
  permission?(request: BoxRequest): Permission;
  /** Ends what the service started. */
  [Symbol.asyncDispose]?(): Promise<void>;
}

/** What IAM allows or not: `s3:ListBucket` on `arn:aws:s3:::bucket`. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
}

/** What a service may know of the box. */
export interface Platform {
  /** Where all services answer: `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly keys: Map<string, AccessKey>;
  /** Roles that may be assumed. */
  readonly roles: Set<string>;
  readonly faults: Faults;
  /** A directory of the box, gone when the box is. */
  readonly directory: string;
  /** Notes that something happened that must not: the test fails when the box is disposed of. */
  problem(what: string): void;
}

/** The service's no. */
export class Refused extends Error implements Refusal {
  override name = "Refused";
  /** @param headers For S3, which says some things in them alone. */
  constructor(
    readonly code: string,
    override readonly message: string,
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Further elements of an XML error. */
    readonly elements: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** A request that the box cannot answer, or that no service would take: it fails the test. */
export class Unexpected extends Error {
  override name = "Unexpected";
}

/** The account that a key's user or role is of. */
export function accountOf(key: AccessKey): string {
  return key.user.split(":")[4]!;
}
