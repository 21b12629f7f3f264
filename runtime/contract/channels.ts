/** The input channels of a training: directories with data, each with a name. */

import { CHANNEL_NAME } from "./limits.ts";
import { parseS3Uri, type S3Address } from "./addresses.ts";

export interface Channel {
  readonly name: string;
  /** Absolute path of its directory on this machine. */
  readonly source: string;
}

/** Whether SageMaker would take a channel of this name, and a path can end in it. */
export function isChannelName(name: string): boolean {
  return CHANNEL_NAME.test(name) && name !== "." && name !== "..";
}

/** Takes `NAME=DIRECTORY` apart; `undefined` where the text does not have that form. */
export function parseChannel(
  text: string,
): { readonly name: string; readonly directory: string } | undefined {
  const end = text.indexOf("=");
  const [name, directory] = [text.slice(0, Math.max(0, end)), text.slice(end + 1)];
  return isChannelName(name) && directory !== "" ? { name, directory } : undefined;
}

/** The channel of data without a name. */
const DEFAULT_CHANNEL = "training";

/** A channel of a job on SageMaker, and where its data lies. */
export interface RemoteChannel {
  readonly name: string;
  readonly address: S3Address;
}

/**
 * Takes `[CHANNEL=]s3://BUCKET/KEY` apart; `undefined` where the text does not have that form. Only
 * what stands before `s3://` is the channel: a key may hold `=`, too.
 */
export function parseRemoteChannel(text: string): RemoteChannel | undefined {
  const [, name = DEFAULT_CHANNEL, uri = ""] = /^(?:([^=/]*)=)?(s3:\/\/.*)$/s.exec(text) ?? [];
  const address = parseS3Uri(uri);
  return address !== undefined && isChannelName(name) ? { name, address } : undefined;
}

/** The channels in the layout, and those that the user named, which win; sorted by name. */
export function mergedChannels(
  found: readonly Channel[],
  named: readonly Channel[],
): readonly Channel[] {
  const others = found.filter(({ name }) => !named.some((channel) => channel.name === name));
  return [...others, ...named].sort((a, b) => a.name < b.name ? -1 : 1);
}
