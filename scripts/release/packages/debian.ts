/** A package for Debian, Ubuntu and their relatives, with manual pages and completions. */

import { gzipSync } from "node:zlib";
import { join } from "@std/path";
import { SCRIPTS } from "../../../commands/completions/scripts.ts";
import { manualPages } from "../../tasks/man.ts";
import { type Binary, GLIBC, SUMMARY } from "./kinds.ts";
import { make, makeTree, type Packing } from "./tree.ts";

export async function makeDebianPackage(
  { bytes, system }: Binary,
  packing: Packing,
): Promise<void> {
  const { version, owner, homepage, license, time, made } = packing;
  const architecture = system.cpu === "x64" ? "amd64" : system.cpu;
  const day = new Date(time * 1_000).toISOString().slice(0, 10);
  const pages = Object.entries(await manualPages(day)).map(([name, text]) =>
    [`usr/share/man/man1/${name}.gz`, gzipSync(`${text}\n`, { level: 9 })] as const
  );
  const tree = await makeTree(`debian-${architecture}`, {
    // A tilde comes before everything, the end included. It depends on what `readelf -d` says.
    "DEBIAN/control": `Package: mlcli
Version: ${version.replace("-", "~")}
Architecture: ${architecture}
Maintainer: ${owner} <${owner}@users.noreply.${new URL(homepage).hostname}>
Installed-Size: ${Math.ceil(bytes.length / 1_024)}
Depends: libc6 (>= 2.${GLIBC}), libgcc-s1 | libgcc1
Section: utils
Priority: optional
Homepage: ${homepage}
Description: ${SUMMARY}
`,
    "usr/bin/mlcli": bytes,
    ...Object.fromEntries(pages),
    "usr/share/bash-completion/completions/mlcli": SCRIPTS.bash,
    // zsh loads it at the first Tab, as the function that it defines if it does nothing else.
    "usr/share/zsh/vendor-completions/_mlcli": SCRIPTS.zsh.replace(/^compdef .*\n/m, ""),
    "usr/share/fish/vendor_completions.d/mlcli.fish": SCRIPTS.fish,
    "usr/share/doc/mlcli/copyright": license,
  }, packing);
  const file = join(made, `mlcli_${version}_${architecture}.deb`);
  // gzip, since xz takes several times as long.
  await make(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z6", "--build", tree, file], packing);
}
