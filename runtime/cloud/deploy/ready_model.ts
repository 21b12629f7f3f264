/** What a model is asked for, and what is known of one that is ready to be served. */

import type { S3Address } from "../../contract/addresses.ts";
import type { ModelRoom } from "../../contract/instances.ts";
import type { Variables } from "../../contract/variables.ts";
import type { DeployContext, ModelSource } from "./request.ts";

export interface ModelUse {
  readonly endpoint: string;
  /** `undefined`: what the endpoint has, or none. */
  readonly model: ModelSource | undefined;
  /** What the server gets: the user's own, and those that an update keeps. */
  readonly variables: Variables;
  /** How long the server may take until it answers /ping, in seconds. `undefined`: SageMaker's. */
  readonly healthCheckTimeout: number | undefined;
  /** Instance type; `undefined`: serverless. */
  readonly instanceType: string | undefined;
  /** The disk that it is unpacked on. */
  readonly room: ModelRoom;
}

export interface ModelContext {
  readonly request: Pick<
    DeployContext["request"],
    "app" | "code" | "repack" | "model" | "dryRun"
  >;
  readonly aws: Pick<DeployContext["aws"], "s3" | "sts">;
  readonly host: Pick<
    DeployContext["host"],
    "cwd" | "engine" | "interruption" | "ask" | "messages" | "waiting"
  >;
}

/** A model that is checked. Dispose of it, because a packed model is a temporary file. */
export interface ReadyModel extends AsyncDisposable {
  /** Address in S3, or the address after `send`; `undefined`: as the endpoint has it. */
  readonly address: S3Address | undefined;
  /**
   * Time at which it was written to S3, to the second; `undefined` if it does not exist there, or if the time
   * is unknown.
   */
  readonly lastModified: Date | undefined;
  /** Calls of S3 that `send` makes: `{ PutObject: 1 }`. Empty if the archive exists. */
  readonly calls: Readonly<Record<string, number>>;
  /** Sends a packed model, unless it exists in S3. Call it after all other checks. */
  send(): Promise<void>;
}

/** What is not sent. */
export function asItIs(address: S3Address | undefined, lastModified?: Date): ReadyModel {
  return {
    address,
    lastModified,
    calls: {},
    async send() {},
    async [Symbol.asyncDispose]() {},
  };
}
