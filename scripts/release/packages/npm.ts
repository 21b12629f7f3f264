/**
 * Packages for npm: one with the binary for each system, which works alone, and one that depends on
 * all of them, of which npm installs the one that fits, and starts it.
 *
 * Their scope is the owner of the repository: nobody holds a name on npm for this project, and
 * whoever holds the name of a dependency decides what runs.
 */

import { fromFileUrl, join } from "@std/path";
import { type Binary, programOf, SUMMARY, SYSTEMS } from "./kinds.ts";
import { make, makeTree, type Packing } from "./tree.ts";

const LAUNCHER = fromFileUrl(new URL("./launcher.js", import.meta.url));

/** The package that starts the right one. */
export async function makeNpmLauncher(packing: Packing): Promise<void> {
  const names = Object.values(SYSTEMS).map(({ os, cpu }) => `${nameOf(packing)}-${os}-${cpu}`);
  await pack(packing, "", "mlcli.js", await Deno.readFile(LAUNCHER), {
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, packing.version])),
  });
}

export async function makeNpmPackage({ bytes, system }: Binary, packing: Packing): Promise<void> {
  const { os, cpu } = system;
  const libc = os === "linux" ? { libc: ["glibc"] } : {};
  const fields = { os: [os], cpu: [cpu], ...libc };
  await pack(packing, `-${os}-${cpu}`, programOf(system), bytes, fields);
}

function nameOf({ owner }: Packing): string {
  return `@${owner.toLowerCase()}/mlcli`;
}

/** @param fields of package.json that other packages do not have. */
async function pack(
  packing: Packing,
  suffix: string,
  program: string,
  bytes: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { version, homepage, license, made } = packing;
  const packageJson = {
    name: `${nameOf(packing)}${suffix}`,
    version,
    description: SUMMARY,
    license: "MIT",
    homepage,
    bin: { mlcli: `bin/${program}` },
    ...fields,
  };
  const tree = await makeTree(`npm${suffix}`, {
    "package/package.json": `${JSON.stringify(packageJson, null, 2)}\n`,
    "package/LICENSE": license,
    [`package/bin/${program}`]: bytes,
  }, packing);
  const file = join(made, `mlcli-npm${suffix}-${version}.tgz`);
  const anybodys = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
  await make(["tar", ...anybodys, "-I", "gzip -n", "-cf", file, "package"], packing, tree);
}
