/** A release to make packages of. */

import { join } from "@std/path";
import { checksums } from "../../scripts/compile/checksums.ts";
import { binaryName, type Target } from "../../scripts/compile/targets.ts";
import { type Release, versionOf } from "../../scripts/release/packages/kinds.ts";
import { addressOf } from "../../scripts/release/stamp.ts";
import { makePackages } from "../../scripts/tasks/packages.ts";
import { VERSION } from "../../runtime/version.ts";

export const RELEASE: Release = {
  version: versionOf(VERSION),
  address: addressOf("https://git.example.org", "Some-one/some.thing"),
  license: "MIT\n",
};

/** Writes SHA256SUMS of the binaries in a directory. */
export async function writeSums(dist: string, targets: readonly Target[]): Promise<void> {
  const sums = await checksums(dist, targets.map(binaryName));
  await Deno.writeTextFile(join(dist, "SHA256SUMS"), sums);
}

/** Makes the packages of binaries in a directory, beside them. */
export async function packaged(
  dist: string,
  targets: readonly Target[],
  release: Release = RELEASE,
): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  await makePackages(dist, targets, { release, time: 1_800_000_000, level: 1, signal });
}
