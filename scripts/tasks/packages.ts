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
import { GLIBC, isFor, type Release, SYSTEMS, versionOf } from "../release/packages/kinds.ts";
import { manifest, MANIFESTS } from "../release/packages/manifests.ts";
import { makeNpmPackage } from "../release/packages/npm.ts";
import type { Maker } from "../release/packages/tree.ts";
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
  release: Release,
  settings: Omit<Maker, "work">,
): Promise<void> {
  const sums = sumsOf(await Deno.readTextFile(join(dist, "SHA256SUMS")).catch(() => ""));
  const binaries = TARGETS.map(binaryName).filter((name) => sums.has(name));
  for (const target of targets) await checkBinary(dist, target, sums, settings.signal);
  const work = await Deno.makeTempDir({ prefix: "mlcli-packages-" });
  const maker = { work, ...settings };
  const made = join(work, "made");
  try {
    await Deno.mkdir(made);
    await makeNpmPackage(undefined, release, made, maker);
    for (const target of targets) {
      const system = SYSTEMS[target];
      const program = join(dist, binaryName(target));
      await step(`Packing ${target}`, () =>
        Promise.all([
          makeWheel(program, system, release, made, maker),
          makeNpmPackage({ system, program }, release, made, maker),
          system.debian && makeDebianPackage(program, system.debian, release, made, maker),
        ]));
    }
    for (const name of targets.length === TARGETS.length ? MANIFESTS : []) {
      await Deno.writeTextFile(join(made, name), await manifest(name, release, sums));
    }
    const names = (await Array.fromAsync(Deno.readDir(made), ({ name }) => name)).sort();
    for (const name of names) await Deno.copyFile(join(made, name), join(dist, name));
    await Deno.writeTextFile(
      join(dist, "SHA256SUMS"),
      binaries.map((name) => `${sums.get(name)}  ${name}\n`).join("") +
        await checksums(made, names),
    );
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
  const system = SYSTEMS[target];
  if (!isFor(system, bytes)) throw new MlcliError(`${path} is no program for ${target}`, { hint });
  if (system.npm[0] !== "linux") return;
  const options = { timeout: 60_000, hint, signal };
  const found = await run(["grep", "-aoE", "GLIBC_2\\.[0-9]+", path], options);
  const newest = Math.max(...found.trim().split("\n").map((name) => Number(name.split(".")[1])));
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
  if (!await ensurePrograms(["zip", "gzip", "tar", "dpkg-deb"], ["zip"], signal)) {
    throw new MlcliError("Packages are made with zip, gzip, tar and dpkg-deb", {
      hint: "Run this on Debian or Ubuntu, and install zip.",
    });
  }
  const options = { cwd: ROOT, timeout: 10_000, hint: "SOURCE_DATE_EPOCH gives it.", signal };
  const time = SOURCE_DATE_EPOCH ?? await run(["git", "log", "-1", "--format=%ct"], options);
  await makePackages(DIST, targets, release, { time: Number(time), level: 6, signal });
  return 0;
}

if (import.meta.main) runScript(main);
