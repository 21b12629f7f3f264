/**
 * The model that an endpoint is to serve: an archive in S3, which is read, or a directory on this
 * machine, which is packed, tried here, and sent.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
import type { Aws } from "../../aws/aws.ts";
import type { Context } from "../../context.ts";
import type { ModelRoom } from "../../contract/model_room.ts";
import type { S3Address } from "../../contract/s3_uri.ts";
import type { Variables } from "../../contract/variables.ts";
import type { JobReport } from "../jobs/report.ts";
import type { ModelSource } from "./request.ts";

/** What the model is for. */
export interface ModelUse {
  readonly app: App;
  /** Tag of the app's image, which is tried with the model. */
  readonly tag: string;
  readonly endpoint: string;
  /** What the server gets: the user's own, and those that an update carries over. */
  readonly variables: Variables;
  /** How long the server may take until it answers /ping, in seconds. `undefined`: the platform's. */
  readonly healthCheckTimeout: number | undefined;
  /** Where it is unpacked: `roomFor` in `contract/model_room.ts`. */
  readonly room: ModelRoom;
  /** Options that the user gave, and not the app's file alone: `--model`. */
  readonly typed: ReadonlySet<string>;
}

/** What getting a model ready may touch of the world. */
export type ModelHost = Pick<Context, "cwd" | "engine" | "interruption">;

/** A model that is checked. To be disposed of: a packed one lies in a temporary file. */
export interface ReadyModel extends AsyncDisposable {
  /** Where it lies in S3, or will after `send`. */
  readonly address: S3Address;
  /** Since when it lies there, to the second; `undefined` where it does not, or nobody may ask. */
  readonly lastModified: Date | undefined;
  /** What `send` will ask of S3: `{ PutObject: 1 }`. Nothing where the archive is there. */
  readonly calls: Readonly<Record<string, number>>;
  /** Sends a packed model, unless it is there. To be called when all else is checked. */
  send(): Promise<void>;
}

/**
 * Gets a model ready; nothing is changed on the platform before `send`. To be called when the image is
 * checked (`imageForJob`): a directory's server is the engine's image of that name.
 *
 * @throws MlcliError for what would go wrong; UsageError where nobody says where a packed model is to
 * go; Interrupted.
 */
export function modelFor(
  _source: ModelSource,
  _use: ModelUse,
  _aws: Pick<Aws, "s3" | "sts">,
  _host: ModelHost,
  _report: Pick<JobReport, "note" | "progress">,
): Promise<ReadyModel> {
  return Promise.reject(new Error("not written yet"));
}
