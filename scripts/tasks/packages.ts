/**
 * Makes packages of the binaries in dist/, beside them: `deno task packages [TARGET...]`, for all
 * targets or those named. Wheels, packages for npm, and for Debian; with all targets what Homebrew,
 * winget and scoop need, too. SHA256SUMS names them as well.
 *
 * They name the repository whose release they belong to, as `scripts/release/stamp.ts` does: by
 * GITHUB_SERVER_URL and GITHUB_REPOSITORY. Their files have the time of the commit, so that the same
 * binaries make the same packages.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { sha256 } from "../../runtime/text.ts";
import { VERSION } from "../../runtime/version.ts";
import { checksums, sumsOf } from "../compile/checksums.ts";
import { binaryName, chooseTargets, DIST, type Target, TARGETS } from "../compile/targets.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { copy } from "../files.ts";
import { run } from "../process.ts";
import { makeDebianPackage } from "../release/packages/debian.ts";
import { type Binary, GLIBC, SUMMARY, SYSTEMS } from "../release/packages/kinds.ts";
import { makeNpmLauncher, makeNpmPackage } from "../release/packages/npm.ts";
import type { Packing, Release } from "../release/packages/tree.ts";
import { makeWheel } from "../release/packages/wheel.ts";
import { addressOf } from "../release/stamp.ts";
import { runScript, step } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const MANIFESTS = ["mlcli.rb", "mlcli.scoop.json", "mlcli.winget.yaml"];

/**
 * Makes the packages in the directory of the binaries and their SHA256SUMS.
 * @throws Error for a binary that is missing, or is not what it should be.
 */
export async function makePackages(
  dist: string,
  targets: readonly Target[],
  release: Release,
  signal: AbortSignal,
): Promise<void> {
  await ensurePrograms(["zip"], ["zip"], signal);
  const sums = sumsOf(await Deno.readTextFile(join(dist, "SHA256SUMS")));
  const work = await Deno.makeTempDir({ prefix: "mlcli-packages-" });
  const packing: Packing = { ...release, work, made: join(work, "made"), signal };
  try {
    await Deno.mkdir(packing.made);
    for (const target of targets) {
      const binary = await readBinary(dist, target, sums);
      await step(`Packing ${target}`, () => pack(binary, packing));
    }
    await makeNpmLauncher(packing);
    for (const name of targets.length === TARGETS.length ? MANIFESTS : []) {
      await Deno.writeTextFile(join(packing.made, name), await manifest(name, release, sums));
    }
    // Once all are there.
    await copy(packing.made, dist);
  } finally {
    await removeTreeIfThere(work);
  }
  const names = (await Array.fromAsync(Deno.readDir(dist), ({ name }) => name)).sort();
  const all = names.filter((name) => name.startsWith("mlcli"));
  await Deno.writeTextFile(join(dist, "SHA256SUMS"), await checksums(dist, all));
}

async function pack(binary: Binary, packing: Packing): Promise<void> {
  const kinds = [makeWheel, makeNpmPackage];
  if (binary.system.os === "linux") kinds.push(makeDebianPackage);
  await Promise.all(kinds.map((kind) => kind(binary, packing)));
}

/** A file of Homebrew's, winget's or scoop's, with the release's facts and sums in it. */
async function manifest(
  name: string,
  release: Release,
  sums: ReadonlyMap<string, string>,
): Promise<string> {
  const values = new Map([...Object.entries({ ...release, summary: SUMMARY }), ...sums]);
  const text = await Deno.readTextFile(join(ROOT, "scripts/release/packages", name));
  return text.replace(/@([\w.-]+)@/g, (_, key) => `${values.get(key)}`);
}

/** Reads a binary, if it is the one that SHA256SUMS names. */
async function readBinary(
  dist: string,
  target: Target,
  sums: ReadonlyMap<string, string>,
): Promise<Binary> {
  const name = binaryName(target);
  const path = join(dist, name);
  const bytes = await Deno.readFile(path);
  if (sums.get(name) !== await sha256(bytes)) {
    throw new MlcliError(`${path} is not the file that SHA256SUMS names`, {
      hint: `deno task compile ${target} makes it.`,
    });
  }
  const versions = new TextDecoder("latin1").decode(bytes).matchAll(/GLIBC_2\.(\d+)/g);
  const newest = Math.max(...[...versions].map(([, minor]) => Number(minor)));
  if (newest > GLIBC) {
    throw new MlcliError(`${path} needs glibc 2.${newest}`, {
      hint: `The packages say 2.${GLIBC}: GLIBC in scripts/release/packages/kinds.ts.`,
    });
  }
  return { bytes, system: SYSTEMS[target] };
}

async function main(signal: AbortSignal): Promise<number> {
  const targets = chooseTargets(Deno.args, undefined);
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = Deno.env.toObject();
  const { repository, releases } = addressOf(GITHUB_SERVER_URL, GITHUB_REPOSITORY);
  const options = { cwd: ROOT, timeout: 10_000, hint: "Packages are made from a clone.", signal };
  const release = {
    version: VERSION,
    owner: repository.split("/")[0]!,
    homepage: releases.replace(/\/releases$/, ""),
    license: await Deno.readTextFile(join(ROOT, "LICENSE")),
    time: Number(await run(["git", "log", "-1", "--format=%ct"], options)),
  };
  await makePackages(DIST, targets, release, signal);
  return 0;
}

if (import.meta.main) runScript(main);
