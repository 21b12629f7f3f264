/**
 * Views by the fragment of the page's address: `#TOKEN/runs/NAME`. A browser sends a fragment to nobody, so
 * the token stays here.
 *
 * @module
 */

import { percentDecoded } from "../text.ts";

export type View =
  | { readonly name: "runs" }
  | { readonly name: "run"; readonly run: string }
  | { readonly name: "comparison"; readonly runs: readonly [string, string] }
  | { readonly name: "servers" };

export interface Address {
  readonly token: string;
  /** What is asked for and is not there is the list of runs. */
  readonly view: View;
}

export function addressOf(hash: string): Address {
  const [token = "", view, one, other] = hash.replace(/^#/, "").split("/").map(percentDecoded);
  return { token, view: viewOf(view, one, other) };
}

function viewOf(name: string | undefined, one?: string, other?: string): View {
  if (name === "servers") return { name };
  if (name === "comparison" && one && other) return { name, runs: [one, other] };
  return name === "runs" && one ? { name: "run", run: one } : { name: "runs" };
}

/** The fragment of a view, for a link to it. */
export function hashOf({ token, view }: Address): string {
  const parts = view.name === "run"
    ? ["runs", view.run]
    : view.name === "comparison"
    ? [view.name, ...view.runs]
    : [view.name];
  return `#${[token, ...parts].map(encodeURIComponent).join("/")}`;
}
