/**
 * Views by the fragment of the page's address: `#TOKEN/runs/NAME`. A browser sends a fragment to nobody, so
 * the token stays here.
 *
 * @module
 */

import { percentDecoded } from "../text.ts";

/** `runs`, `runs NAME`, `comparison A B` or `servers`. */
export type View = readonly [name: string, ...runs: readonly string[]];

export interface Address {
  /** Empty in a report. */
  readonly token: string;
  readonly view: View;
}

export function addressOf(hash: string): Address {
  const [token = "", name, ...runs] = hash.replace(/^#/, "").split("/").map(percentDecoded);
  const isView = name === "servers" || name === "comparison";
  return { token, view: [isView ? name : "runs", ...runs] };
}

/** The fragment, for a link. */
export function hashOf({ token, view }: Address): string {
  return `#${[token, ...view].map(encodeURIComponent).join("/")}`;
}
