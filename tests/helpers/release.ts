/** A release to make packages of. */

import { join } from "@std/path";
import { checksums } from "../../scripts/compile/checksums.ts";
import { binaryName, type Target } from "../../scripts/compile/targets.ts";
import { makePackages } from "../../scripts/tasks/packages.ts";

/** Writes SHA256SUMS of the binaries in a directory. */
export async function writeSums(dist: string, targets: readonly Target[]): Promise<void> {
  const sums = await checksums(dist, targets.map(binaryName));
  await Deno.writeTextFile(join(dist, "SHA256SUMS"), sums);
}

/** Makes the packages of binaries in a directory, beside them. */
export async function packaged(
  dist: string,
  targets: readonly Target[],
  version: string,
): Promise<void> {
  const homepage = "https://git.example.org/Some-one/some.thing";
  const release = { version, owner: "Some-one", homepage, license: "MIT\n", time: 1_800_000_000 };
  await makePackages(dist, targets, release, AbortSignal.timeout(300_000));
}
