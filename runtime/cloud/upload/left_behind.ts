/**
 * What is said of parts of files that lie on the platform and belong to no object: they cost until
 * somebody removes them.
 *
 * @module
 */

import { shellWord } from "../../app/typed_path.ts";
import type { ObjectPlace, OpenUpload, Upload, UploadNews } from "../../aws/s3.ts";
import { s3Uri } from "../../contract/addresses.ts";

/** Says something, and what to do about it. */
export type Warn = (message: string, hint: string) => void;

/** Who hears of such parts. */
export interface PartsNews extends UploadNews {
  /** Those of an upload could not be taken back. */
  readonly leftBehind: (upload: Upload) => void;
}

/** Says each in words. */
export function partsNews(warn: Warn): PartsNews {
  return {
    leftBehind: (upload) =>
      warn(
        `Parts of ${s3Uri(upload)} could not be taken back`,
        `They cost until they are removed: ${removal(upload)}`,
      ),
    earlier: (upload) =>
      warn(
        `Parts of ${s3Uri(upload)} are left of an upload that began ${timeOf(upload)}`,
        `They cost until they are removed. Where nothing sends them any more: ${removal(upload)}`,
      ),
    unknown: (place) =>
      warn(
        `Whether an upload of ${s3Uri(place)} has begun is not known`,
        `This shows it: aws s3api list-multipart-uploads ${placeOf(place, "--prefix")}`,
      ),
  };
}

function removal(upload: Upload): string {
  return `aws s3api abort-multipart-upload ${placeOf(upload, "--key")} ` +
    `--upload-id ${shellWord(upload.id)}`;
}

function placeOf({ bucket, key }: ObjectPlace, option: string): string {
  return `--bucket ${bucket} ${option} ${shellWord(key)}`;
}

/** To the second, as the service counts: `2026-03-01T09:30:00Z`. */
function timeOf({ begun }: OpenUpload): string {
  return begun.toISOString().replace(/\.\d+/, "");
}
