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
export async function inputObjects(
  { TransformInput, TransformOutput }: Request,
  s3: S3Store,
  { host, hosts }: { readonly host: number; readonly hosts: number },
): Promise<readonly InputObject[]> {
  const { S3DataType, S3Uri } = TransformInput.DataSource.S3DataSource;
  const { bucket, key } = parseS3Uri(S3Uri);
  const { key: prefix } = parseS3Uri(TransformOutput.S3OutputPath);
  const folder = prefix.replace(/\/*$/, prefix === "" ? "" : "/");
  const share = { isSharded: true, host, hosts };
  if (S3DataType === "S3Prefix") {
    return placed(s3.keys(bucket, key), key, share).map((one) => ({
      ...{ bucket, key: one.key, output: `${folder}${one.path}.out` },
    }));
  }
  const [{ prefix: from }, ...paths] = JSON.parse(await s3.text(bucket, key));
  return paths.sort().filter((_: string, index: number) => index % hosts === host)
    .map((path: string) => ({
      ...parseS3Uri(`${from}${path}`),
      output: `${folder}${path}.out`,
    }));
}
