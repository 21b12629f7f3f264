/** What Homebrew, winget and scoop need to install a binary of the release. Nobody has tried them. */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { homeOf, type Release, SUMMARY } from "./kinds.ts";

const HERE = fromFileUrl(new URL("./", import.meta.url));

export const MANIFESTS = ["mlcli.rb", "mlcli.scoop.json", "mlcli.winget.yaml"] as const;

/**
 * A manifest with what it leaves open: `@VERSION@` and the like, and a binary's checksum by its name.
 * @throws MlcliError where the release has no such binary.
 */
export async function manifest(
  name: typeof MANIFESTS[number],
  release: Release,
  sums: ReadonlyMap<string, string>,
): Promise<string> {
  const { owner, homepage } = homeOf(release);
  const values = new Map([
    ...sums,
    ["VERSION", release.version.semver],
    ["RELEASES", release.address.releases],
    ["HOMEPAGE", homepage],
    ["OWNER", owner],
    ["SUMMARY", SUMMARY],
  ]);
  const text = await Deno.readTextFile(join(HERE, name));
  return text.replace(/@([\w.-]+)@/g, (_, key) => {
    const value = values.get(key);
    if (value === undefined) throw new MlcliError(`There is nothing for @${key}@ in ${name}`);
    return value;
  });
}
