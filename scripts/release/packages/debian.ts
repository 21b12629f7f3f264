/** A package for Debian, Ubuntu and their relatives, with manual pages and completions. */

import { gzipSync } from "node:zlib";
import { join } from "@std/path";
import { SCRIPTS } from "../../../commands/completions/scripts.ts";
import { manualPages } from "../../tasks/man.ts";
import { GLIBC, homepageOf, type Release, SUMMARY } from "./kinds.ts";
import { make, type Maker, makeTree } from "./tree.ts";

/** Makes the package of a binary in a directory. */
export async function makeDebianPackage(
  program: string,
  architecture: string,
  release: Release,
  directory: string,
  maker: Maker,
): Promise<void> {
  const day = new Date(maker.time * 1_000).toISOString().slice(0, 10);
  const pages = Object.entries(await manualPages(day));
  const { size } = await Deno.stat(program);
  const tree = await makeTree(`debian-${architecture}`, {
    "DEBIAN/control": control(architecture, size, release),
    "usr/bin/mlcli": { program },
    ...Object.fromEntries(
      pages.map(([name, text]) => [
        `usr/share/man/man1/${name}.gz`,
        gzipSync(`${text}\n`, { level: 9 }),
      ]),
    ),
    "usr/share/bash-completion/completions/mlcli": SCRIPTS.bash,
    // zsh loads it at the first Tab, as the function that it defines if it does nothing else.
    "usr/share/zsh/vendor-completions/_mlcli": SCRIPTS.zsh.replace(/^compdef .*\n/m, ""),
    "usr/share/fish/vendor_completions.d/mlcli.fish": SCRIPTS.fish,
    "usr/share/doc/mlcli/copyright": release.license,
  }, maker);
  const file = join(directory, `mlcli_${release.version.semver}_${architecture}.deb`);
  // gzip, since xz takes several times as long.
  const options = ["--root-owner-group", "-Zgzip", `-z${maker.level}`];
  await make(["dpkg-deb", ...options, "--build", tree, file], maker);
}

/** @param size of the program, in bytes. */
function control(architecture: string, size: number, release: Release): string {
  const [owner] = release.address.repository.split("/");
  const { hostname } = new URL(release.address.releases);
  return [
    "Package: mlcli",
    `Version: ${release.version.debian}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${owner} <${owner}@users.noreply.${hostname}>`,
    `Installed-Size: ${Math.ceil(size / 1_024)}`,
    // What the program loads, by `readelf -d`.
    `Depends: libc6 (>= 2.${GLIBC}), libgcc-s1 | libgcc1`,
    "Section: utils",
    "Priority: optional",
    `Homepage: ${homepageOf(release)}`,
    `Description: ${SUMMARY}`,
    "",
  ].join("\n");
}
