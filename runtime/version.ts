/** The version of mlcli, as in deno.json. */
import configuration from "../deno.json" with { type: "json" };
import { COMMIT } from "./build_info.ts";

export const VERSION: string = configuration.version;

/** Returns version, commit, Deno and system as data; `commit` is null if mlcli runs from source. */
export function versionFacts(): Readonly<Record<string, string | null>> {
  const { os, arch } = Deno.build;
  const { deno } = Deno.version;
  return { name: "mlcli", version: VERSION, commit: COMMIT ?? null, deno, os, arch };
}

/** Returns version, commit and Deno in a line, for reports of defects. */
export function versionText(): string {
  const origin = COMMIT === undefined ? "from source" : `commit ${COMMIT}`;
  return `mlcli ${VERSION} (${origin}, Deno ${Deno.version.deno})`;
}
