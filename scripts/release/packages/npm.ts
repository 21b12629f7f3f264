/**
 * Packages for npm: one with the binary for each system, and one that depends on all of them, of which
 * npm installs the one that fits, and starts it.
 *
 * Their scope is the owner of the repository: nobody holds a name on npm for this project, and
 * whoever holds the name of a dependency decides what runs.
 */

import { fromFileUrl, join } from "@std/path";
import { homepageOf, type Release, SUMMARY, type System, SYSTEMS } from "./kinds.ts";
import { type Content, make, type Maker, makeTree } from "./tree.ts";

const LAUNCHER = fromFileUrl(new URL("./launcher.js", import.meta.url));

/** `@OWNER/mlcli`, and the same with a system: `@OWNER/mlcli-linux-x64`. */
function nameOf({ address }: Release, system?: System): string {
  const owner = address.repository.split("/")[0]!.toLowerCase();
  return [`@${owner}/mlcli`, ...system?.npm ?? []].join("-");
}

/** What package.json says of the package with a system's binary. It works alone, too. */
export function platformPackage(system: System, release: Release): Record<string, unknown> {
  const [os, cpu] = system.npm;
  return {
    ...common(nameOf(release, system), release),
    os: [os],
    cpu: [cpu],
    ...os === "linux" ? { libc: ["glibc"] } : {},
    bin: { mlcli: `bin/mlcli${system.suffix}` },
    preferUnplugged: true,
  };
}

/** What it says of the package that people install from a registry. */
export function mainPackage(release: Release): Record<string, unknown> {
  const names = Object.values(SYSTEMS).map((system) => nameOf(release, system));
  return {
    ...common(nameOf(release), release),
    bin: { mlcli: "bin/mlcli.js" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, release.version.semver])),
  };
}

function common(name: string, release: Release): Record<string, unknown> {
  return {
    name,
    version: release.version.semver,
    description: SUMMARY,
    homepage: homepageOf(release),
    license: "MIT",
  };
}

/** Makes the package of a system's binary in a directory; that of all systems without one. */
export async function makeNpmPackage(
  binary: { readonly system: System; readonly program: string } | undefined,
  release: Release,
  directory: string,
  maker: Maker,
): Promise<void> {
  const name = ["mlcli-npm", ...binary?.system.npm ?? []].join("-");
  const description = binary ? platformPackage(binary.system, release) : mainPackage(release);
  const [, program = ""] = Object.entries(description.bin as Record<string, string>)[0]!;
  const files: Record<string, Content> = {
    "package/package.json": `${JSON.stringify(description, null, 2)}\n`,
    "package/LICENSE": release.license,
    [`package/${program}`]: { program: binary?.program ?? LAUNCHER },
  };
  const tree = await makeTree(name, files, maker);
  const tarball = join(directory, `${name}-${release.version.semver}.tgz`);
  const anybodys = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
  const tar = [
    "tar",
    ...anybodys,
    `--use-compress-program=gzip -n -${maker.level}`,
    "-cf",
    tarball,
    "package",
  ];
  await make(tar, maker, tree);
}
