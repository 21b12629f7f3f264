/**
 * What an image's details say.
 *
 * @module
 */

import type { ImageDetails } from "./engine.ts";

/** What an image runs on: `linux/amd64`. */
export function platformOf({ Os, Architecture }: ImageDetails): string {
  return `${Os}/${Architecture}`;
}

/** When it was last built: a build that only uses the cache does not change `Created`. */
export function builtAt({ Created, Metadata }: ImageDetails): Date {
  const tagged = Date.parse(Metadata?.LastTagTime ?? "");
  return new Date(Math.max(Date.parse(Created), Number.isNaN(tagged) ? 0 : tagged));
}
