/**
 * Makes packages of the binaries in dist/, beside them: `deno task packages [TARGET...]`, for all
 * targets or those named. Wheels, packages for npm, and for Debian; with all targets what Homebrew,
 * winget and scoop need, too. SHA256SUMS names them as well.
 *
 * They name the repository whose release they belong to, as `scripts/release/stamp.ts` does: by
 * GITHUB_SERVER_URL and GITHUB_REPOSITORY. SOURCE_DATE_EPOCH, or else the commit, gives the time of
 * their files, so that the same binaries make the same packages.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere, statIfThere } from "../../runtime/files.ts";
import { sha256 } from "../../runtime/text.ts";
import { VERSION } from "../../runtime/version.ts";
import { checksums, sumsOf } from "../compile/checksums.ts";
import { binaryName, chooseTargets, DIST, type Target, TARGETS } from "../compile/targets.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { run } from "../process.ts";
import { makeDebianPackage } from "../release/packages/debian.ts";
import { GLIBC, SYSTEMS, versionOf } from "../release/packages/kinds.ts";
import { manifest, MANIFESTS } from "../release/packages/manifests.ts";
import { makeNpmPackage } from "../release/packages/npm.ts";
import type { Packing } from "../release/packages/tree.ts";
import { makeWheel } from "../release/packages/wheel.ts";
import { addressOf } from "../release/stamp.ts";
import { runScript, step } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Makes the packages in the directory of the binaries and their SHA256SUMS.
 * @throws MlcliError for a binary that is missing, or is not what it should be.
 */
export async function makePackages(
  dist: string,
  targets: readonly Target[],
  settings: Omit<Packing, "work" | "made">,
): Promise<void> {
  const { release, signal } = settings;
  if (!await ensurePrograms(["zip", "tar", "dpkg-deb"], ["zip"], signal)) {
    throw new MlcliError("Packages are made with zip, tar and dpkg-deb", {
      hint: "Run this on Debian or Ubuntu, and install zip.",
    });
  }
  const sums = sumsOf(await Deno.readTextFile(join(dist, "SHA256SUMS")).catch(() => ""));
  for (const target of targets) await checkBinary(dist, target, sums, signal);
  const work = await Deno.makeTempDir({ prefix: "mlcli-packages-" });
  try {
    const made = join(work, "made");
    await Deno.mkdir(made);
    const packing = { ...settings, work, made };
    await makeNpmPackage(undefined, packing);
    for (const target of targets) {
      const binary = { path: join(dist, binaryName(target)), system: SYSTEMS[target] };
      const kinds = target.includes("linux") ? [makeDebianPackage] : [];
      await step(
        `Packing ${target}`,
        () =>
          Promise.all([makeWheel, makeNpmPackage, ...kinds].map((kind) => kind(binary, packing))),
      );
    }
    for (const name of targets.length === TARGETS.length ? MANIFESTS : []) {
      await Deno.writeTextFile(join(made, name), await manifest(name, release, sums));
    }
    const names = (await Array.fromAsync(Deno.readDir(made), ({ name }) => name)).sort();
    for (const name of names) await Deno.copyFile(join(made, name), join(dist, name));
    const binaries = TARGETS.map(binaryName).filter((name) => sums.has(name));
    const lines = binaries.map((name) => `${sums.get(name)}  ${name}\n`).join("");
    await Deno.writeTextFile(join(dist, "SHA256SUMS"), lines + await checksums(made, names));
  } finally {
    await removeTreeIfThere(work);
  }
}

/** Checks that a binary is the one that SHA256SUMS names, for its system. */
async function checkBinary(
  dist: string,
  target: Target,
  sums: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const name = binaryName(target);
  const path = join(dist, name);
  const hint = `deno task compile ${target} makes it.`;
  if (!await statIfThere(path)) throw new MlcliError(`There is no ${path}`, { hint });
  const bytes = await Deno.readFile(path);
  if (sums.get(name) !== await sha256(bytes)) {
    throw new MlcliError(`${path} is not the file that SHA256SUMS names`, { hint });
  }
  const [header, , os] = SYSTEMS[target];
  if (!header.test(bytes.subarray(0, 20).toHex())) {
    throw new MlcliError(`${path} is no program for ${target}`, { hint });
  }
  if (os !== "linux") return;
  const grep = ["grep", "-aoE", "GLIBC_2\\.[0-9]+", path];
  const found = await run(grep, { timeout: 60_000, hint, signal });
  const newest = Math.max(...[...found.matchAll(/\d+$/gm)].map(Number));
  if (newest > GLIBC) {
    throw new MlcliError(`${path} needs glibc 2.${newest}`, {
      hint: `The packages say 2.${GLIBC}: GLIBC in scripts/release/packages/kinds.ts.`,
    });
  }
}

async function main(signal: AbortSignal): Promise<number> {
  const targets = chooseTargets(Deno.args, undefined);
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, SOURCE_DATE_EPOCH } = Deno.env.toObject();
  const release = {
    version: versionOf(VERSION),
    address: addressOf(GITHUB_SERVER_URL, GITHUB_REPOSITORY),
    license: await Deno.readTextFile(join(ROOT, "LICENSE")),
  };
  const options = { cwd: ROOT, timeout: 10_000, hint: "SOURCE_DATE_EPOCH gives it.", signal };
  const time = SOURCE_DATE_EPOCH ?? await run(["git", "log", "-1", "--format=%ct"], options);
  await makePackages(DIST, targets, { release, time: Number(time), level: 6, signal });
  return 0;
}

if (import.meta.main) runScript(main);
