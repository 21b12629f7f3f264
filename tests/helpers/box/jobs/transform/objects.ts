/** Which objects a transform reads, on which host, and where their outputs go. */

import type { S3Store } from "../../s3_store.ts";
import { placed } from "../channel.ts";
import { parseS3Uri } from "../platform.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** An object of the input. */
export interface InputObject {
  readonly bucket: string;
  readonly key: string;
  /** Key of its output. */
  readonly output: string;
}

/** Whole objects by their keys: each host gets each so-manieth. */
export function inputObjects(
  { TransformInput, TransformOutput }: Request,
  s3: S3Store,
  share: { readonly host: number; readonly hosts: number },
): readonly InputObject[] {
  const { bucket, key } = parseS3Uri(TransformInput.DataSource.S3DataSource.S3Uri);
  const { key: prefix } = parseS3Uri(TransformOutput.S3OutputPath);
  const folder = prefix.replace(/\/*$/, prefix === "" ? "" : "/");
  return placed(s3.keys(bucket, key), key, { isSharded: true, ...share }).map((one) => ({
    ...{ bucket, key: one.key, output: `${folder}${one.path}.out` },
  }));
}
