/**
 * Packages for npm: one with the binary for each system, which works alone, and one that depends on
 * all of them, of which npm installs the one that fits, and starts it.
 *
 * Their scope is the owner of the repository: nobody holds a name on npm for this project, and
 * whoever holds the name of a dependency decides what runs.
 */

import { fromFileUrl, join } from "@std/path";
import {
  type Binary,
  homeOf,
  programOf,
  type Release,
  SUMMARY,
  type System,
  SYSTEMS,
} from "./kinds.ts";
import { make, makeTree, type Packing } from "./tree.ts";

const LAUNCHER = fromFileUrl(new URL("./launcher.js", import.meta.url));

/** What package.json says of the package with a system's binary; of that with all, without one. */
export function packageJson(
  release: Release,
  system?: System,
): Readonly<Record<string, unknown>> {
  const { owner, homepage } = homeOf(release);
  const name = `@${owner.toLowerCase()}/mlcli`;
  const version = release.version.semver;
  const common = { version, description: SUMMARY, license: "MIT", homepage };
  if (system === undefined) {
    const names = Object.values(SYSTEMS).map(([, , os, cpu]) => `${name}-${os}-${cpu}`);
    return {
      ...{ name, ...common, bin: { mlcli: "bin/mlcli.js" }, engines: { node: ">=18" } },
      optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
    };
  }
  const [, , os, cpu] = system;
  return {
    ...{ name: `${name}-${os}-${cpu}`, ...common, bin: { mlcli: `bin/${programOf(system)}` } },
    ...{ os: [os], cpu: [cpu], ...os === "linux" ? { libc: ["glibc"] } : {} },
    preferUnplugged: true,
  };
}

export async function makeNpmPackage(
  binary: Binary | undefined,
  packing: Packing,
): Promise<void> {
  const { release, made, level } = packing;
  const name = ["mlcli-npm", ...binary?.system.slice(2) ?? []].join("-");
  const program = binary ? programOf(binary.system) : "mlcli.js";
  const tree = await makeTree(name, {
    "package/package.json": `${JSON.stringify(packageJson(release, binary?.system), null, 2)}\n`,
    "package/LICENSE": release.license,
    [`package/bin/${program}`]: { program: binary?.path ?? LAUNCHER },
  }, packing);
  const file = join(made, `${name}-${release.version.semver}.tgz`);
  const anybodys = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
  const gzip = `--use-compress-program=gzip -n -${level}`;
  await make(["tar", ...anybodys, gzip, "-cf", file, "package"], packing, tree);
}
