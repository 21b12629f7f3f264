import { assertEquals, assertThrows } from "@std/assert";
import { TARGETS } from "../../../../scripts/compile/targets.ts";
import { SYSTEMS, versionOf } from "../../../../scripts/release/packages/kinds.ts";
import { platformPackage } from "../../../../scripts/release/packages/npm.ts";
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

suite("the systems of packages", () => {
  const SYSTEM_OF: Readonly<Record<string, readonly string[]>> = {
    "x86_64-unknown-linux-gnu": ["manylinux_2_27_x86_64", "linux", "x64", "glibc"],
    "aarch64-unknown-linux-gnu": ["manylinux_2_27_aarch64", "linux", "arm64", "glibc"],
    "x86_64-apple-darwin": ["macosx_12_0_x86_64", "darwin", "x64"],
    "aarch64-apple-darwin": ["macosx_12_0_arm64", "darwin", "arm64"],
    "x86_64-pc-windows-msvc": ["win_amd64", "win32", "x64"],
  };
  for (const target of TARGETS) {
    it(`are those of ${target}`, () => {
      const { os, cpu, libc = [], bin } = platformPackage(SYSTEMS[target], RELEASE) as {
        readonly [name: string]: readonly string[];
      };
      const [wheel, ...npm] = SYSTEM_OF[target]!;
      assertEquals(SYSTEMS[target].wheel, wheel);
      assertEquals([...os!, ...cpu!, ...libc], npm);
      const program = target.includes("windows") ? "bin/mlcli.exe" : "bin/mlcli";
      assertEquals(Object.entries(bin!), [["mlcli", program]]);
    });
  }
});
