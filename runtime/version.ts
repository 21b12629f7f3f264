/** The version of mlcli, as in deno.json. */
import configuration from "../deno.json" with { type: "json" };
import { COMMIT } from "./build_info.ts";

export const VERSION: string = configuration.version;

/** Version, commit and Deno, in a line: what a report of a defect should have. */
export function versionText(): string {
  const origin = COMMIT === undefined ? "from source" : `commit ${COMMIT}`;
  return `mlcli ${VERSION} (${origin}, Deno ${Deno.version.deno})`;
}
