/** A package for Debian, Ubuntu and their relatives, with manual pages and completions. */

import { gzipSync } from "node:zlib";
import { join } from "@std/path";
import { SCRIPTS } from "../../../commands/completions/scripts.ts";
import { manualPages } from "../../tasks/man.ts";
import { type Binary, GLIBC, homeOf, type Release, SUMMARY } from "./kinds.ts";
import { make, makeTree, type Packing } from "./tree.ts";

export async function makeDebianPackage({ path, system }: Binary, packing: Packing): Promise<void> {
  const { release, time, level, made } = packing;
  const architecture = system[3] === "x64" ? "amd64" : system[3];
  const day = new Date(time * 1_000).toISOString().slice(0, 10);
  const pages = Object.entries(await manualPages(day)).map(([name, text]) =>
    [`usr/share/man/man1/${name}.gz`, gzipSync(`${text}\n`, { level: 9 })] as const
  );
  const { size } = await Deno.stat(path);
  const tree = await makeTree(`debian-${architecture}`, {
    "DEBIAN/control": control(architecture, Math.ceil(size / 1_024), release),
    "usr/bin/mlcli": { program: path },
    ...Object.fromEntries(pages),
    "usr/share/bash-completion/completions/mlcli": SCRIPTS.bash,
    // zsh loads it at the first Tab, as the function that it defines if it does nothing else.
    "usr/share/zsh/vendor-completions/_mlcli": SCRIPTS.zsh.replace(/^compdef .*\n/m, ""),
    "usr/share/fish/vendor_completions.d/mlcli.fish": SCRIPTS.fish,
    "usr/share/doc/mlcli/copyright": release.license,
  }, packing);
  const file = join(made, `mlcli_${release.version.semver}_${architecture}.deb`);
  // gzip, since xz takes several times as long.
  const options = ["--root-owner-group", "-Zgzip", `-z${level}`, "--build"];
  await make(["dpkg-deb", ...options, tree, file], packing);
}

/** It depends on what the program loads, by `readelf -d`. @param size in KiB. */
function control(architecture: string, size: number, release: Release): string {
  const { owner, homepage } = homeOf(release);
  return `Package: mlcli
Version: ${release.version.debian}
Architecture: ${architecture}
Maintainer: ${owner} <${owner}@users.noreply.${new URL(homepage).hostname}>
Installed-Size: ${size}
Depends: libc6 (>= 2.${GLIBC}), libgcc-s1 | libgcc1
Section: utils
Priority: optional
Homepage: ${homepage}
Description: ${SUMMARY}
`;
}
