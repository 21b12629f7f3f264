/**
 * The artifact of a model, as an instance gets it before its container starts.
 *
 * @module
 */

import { type Entry, unpacked } from "../../engine/archive.ts";
import { download } from "../../jobs/channel.ts";
import { parseS3Uri } from "../../jobs/platform.ts";
import type { S3Store } from "../../s3_store.ts";
import type { Request } from "../resource.ts";
import { noArchive, noModelData } from "../failures.ts";
import { HostingFailure } from "./settings.ts";

/**
 * Fetches it, and unpacks it.
 * @param container `PrimaryContainer`
 * @returns what lies in `/opt/ml/model`; `undefined` where the model has no artifact.
 * @throws HostingFailure where it is not there, or no archive.
 */
export async function modelData(
  container: Request,
  s3: S3Store,
): Promise<readonly Entry[] | undefined> {
  const source = container.ModelDataSource?.S3DataSource;
  const url: string | undefined = source?.S3Uri ?? container.ModelDataUrl;
  if (url === undefined) return undefined;
  const { bucket, key } = parseS3Uri(url);
  if (!s3.buckets.has(bucket)) throw new HostingFailure(noModelData(url));
  if (source?.CompressionType === "None") {
    const files = await download(s3, { uri: url, isSharded: false }, {
      ...{ directory: "", host: 0, hosts: 1 },
    });
    if (files.length === 0) throw new HostingFailure(noModelData(url));
    return files.map((file) => ({ ...file, name: file.name.replace(/^\/+/, "") }));
  }
  if (!s3.object(bucket, key)) throw new HostingFailure(noModelData(url));
  return await extracted(url, await s3.bytes(bucket, key));
}

/** The entries of `model.tar.gz`. */
async function extracted(url: string, archive: Uint8Array): Promise<readonly Entry[]> {
  try {
    const stream = new Blob([archive.slice()]).stream()
      .pipeThrough(new DecompressionStream("gzip"));
    const entries = await unpacked(new Uint8Array(await new Response(stream).arrayBuffer()));
    return entries.flatMap((entry) => {
      const name = entry.name.replace(/^(?:\.?\/)+/, "").replace(/^\.$/, "");
      // AWS's knowledge center on endpoints that fail: no symbolic links in an artifact.
      if (entry.type === "symlink" || name.split("/").includes("..")) {
        throw new HostingFailure(noArchive(url));
      }
      return name === "" ? [] : [{ ...entry, name }];
    });
  } catch {
    throw new HostingFailure(noArchive(url));
  }
}
