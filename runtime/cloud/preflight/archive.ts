/**
 * Whether the archive of a model in S3 is one that SageMaker can unpack: read before anything is made.
 *
 * @module
 */

import type { S3 } from "../../aws/s3.ts";
import type { ModelRoom } from "../../contract/model_room.ts";
import type { S3Address } from "../../contract/s3_uri.ts";
import type { Note } from "./data.ts";

/** What of S3 the check needs. */
export type ArchiveAccess = Pick<
  S3,
  "region" | "bucketRegion" | "listObjects" | "describeObject" | "getBytes"
>;

/** An archive that is there. */
export interface CheckedArchive {
  /** In bytes, compressed. */
  readonly size: number;
  /** To the second. */
  readonly lastModified: Date;
}

/**
 * Requires that SageMaker finds an archive, and can unpack it: in the endpoint's region, compressed
 * with gzip, a tar with files, of a size that fits. A large one is read in part.
 *
 * @param room that it has where it is unpacked (`roomFor` in `contract/model_room.ts`).
 * @param note told what could not be checked, and what looks like a mistake.
 * @returns `undefined` where it may not be asked about.
 * @throws MlcliError
 */
export function checkArchive(
  _s3: ArchiveAccess,
  _address: S3Address,
  _room: ModelRoom,
  _note: Note,
  _signal: AbortSignal,
): Promise<CheckedArchive | undefined> {
  return Promise.reject(new Error("not written yet"));
}
