/** Jobs, endpoints and models on SageMaker that an app is made of. */

import type { AwsOptions } from "../../aws/settings.ts";
import type { Resource } from "../../contract/console.ts";
import type { Origin } from "../../origin/origin.ts";
import type { CloudHost } from "../connection.ts";

export interface CloudOriginRequest extends AwsOptions {
  readonly resource: Resource;
  /** Of the app, as typed. */
  readonly name: string | undefined;
  /** Bytes of each channel to fetch; `undefined`: none. */
  readonly data: number | undefined;
}

/**
 * What an app is made of from a thing on SageMaker.
 *
 * @param note is told what could not be asked.
 * @throws AwsError where there is no such thing, or it may not be described.
 */
export function cloudOrigin(
  { resource }: CloudOriginRequest,
  _host: CloudHost,
  _note: (text: string) => void,
): Promise<Origin> {
  return Promise.reject(new Error(`not built yet: ${resource.kind}`));
}
