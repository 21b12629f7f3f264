import { assertEquals, assertThrows } from "@std/assert";
import { TARGETS } from "../../../../scripts/compile/targets.ts";
import { SYSTEMS, versionOf } from "../../../../scripts/release/packages/kinds.ts";
import { packageJson } from "../../../../scripts/release/packages/npm.ts";
import { RELEASE } from "../../../helpers/release.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("the versions of packages", () => {
  const rows: readonly (readonly [semver: string, python: string, debian: string])[] = [
    ["0.1.0", "0.1.0", "0.1.0"],
    ["1.12.3-rc.1", "1.12.3rc1", "1.12.3~rc.1"],
    ["2.0.0-beta.12", "2.0.0b12", "2.0.0~beta.12"],
    ["2.0.0-alpha.0", "2.0.0a0", "2.0.0~alpha.0"],
  ];
  for (const [semver, python, debian] of rows) {
    it(`are ${python} and ${debian} of ${semver}`, () => {
      assertEquals(versionOf(semver), { semver, python, debian });
    });
  }

  for (const version of ["1.2", "1.2.3-next.1", "1.2.3-rc1", "1.2.3+abc", "v1.2.3", "1.2.3\n"]) {
    it(`are none of ${JSON.stringify(version)}`, () => {
      assertThrows(() => versionOf(version), Error, "No package can have this version");
    });
  }
});

suite("the packages for npm", () => {
  const rows: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    "x86_64-unknown-linux-gnu": { os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
    "aarch64-unknown-linux-gnu": { os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
    "x86_64-apple-darwin": { os: ["darwin"], cpu: ["x64"], libc: undefined },
    "aarch64-apple-darwin": { os: ["darwin"], cpu: ["arm64"], libc: undefined },
    "x86_64-pc-windows-msvc": { os: ["win32"], cpu: ["x64"], libc: undefined },
  };
  for (const target of TARGETS) {
    it(`are for the system of ${target}`, () => {
      const { name, os, cpu, libc, bin } = packageJson(RELEASE, SYSTEMS[target]);
      assertEquals({ os, cpu, libc }, rows[target]);
      assertEquals(name, `@some-one/mlcli-${os}-${cpu}`);
      assertEquals(bin, { mlcli: target.includes("windows") ? "bin/mlcli.exe" : "bin/mlcli" });
    });
  }
});
