/** The version of mlcli, as in deno.json. */
import configuration from "../deno.json" with { type: "json" };
import { COMMIT } from "./build_info.ts";

export const VERSION: string = configuration.version;

/** The same and more, for a program; `commit` is null when it runs from source. */
export function versionFacts(): Readonly<Record<string, string | null>> {
  const { os, arch } = Deno.build;
  const { deno } = Deno.version;
  return { name: "mlcli", version: VERSION, commit: COMMIT ?? null, deno, os, arch };
}

/** Version, commit and Deno, in a line: what a report of a defect should have. */
export function versionText(): string {
  const origin = COMMIT === undefined ? "from source" : `commit ${COMMIT}`;
  return `mlcli ${VERSION} (${origin}, Deno ${Deno.version.deno})`;
}
