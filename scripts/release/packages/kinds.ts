/** What packages say of mlcli: for which system each binary is, and its version in each spelling. */

import { MlcliError } from "../../../runtime/errors.ts";
import type { Target } from "../../compile/targets.ts";
import type { Address } from "../stamp.ts";

export const SUMMARY =
  "Trains and serves machine-learning models in containers, here as on Amazon SageMaker";

/** The newest glibc that the Linux binaries ask for, as `readelf -V` has it: 2.N. */
export const GLIBC = 27;

/** How the formats call the system that a binary is for. */
export interface System {
  /** Bytes that its binaries have, in hexadecimal, by their offset. */
  readonly header: Readonly<Record<number, string>>;
  /** Platform tag of a wheel. macOS: the oldest that the runtime base names (LC_BUILD_VERSION). */
  readonly wheel: string;
  /** Of its programs. */
  readonly suffix: "" | ".exe";
  /** `os` and `cpu` of a package on npm. */
  readonly npm: readonly [os: "linux" | "darwin" | "win32", cpu: "x64" | "arm64"];
  readonly debian?: "amd64" | "arm64";
}

const ELF = "7f454c46";
const MACH_O = "cffaedfe";

export const SYSTEMS: Readonly<Record<Target, System>> = {
  "x86_64-unknown-linux-gnu": {
    header: { 0: ELF, 18: "3e00" },
    wheel: `manylinux_2_${GLIBC}_x86_64`,
    suffix: "",
    npm: ["linux", "x64"],
    debian: "amd64",
  },
  "aarch64-unknown-linux-gnu": {
    header: { 0: ELF, 18: "b700" },
    wheel: `manylinux_2_${GLIBC}_aarch64`,
    suffix: "",
    npm: ["linux", "arm64"],
    debian: "arm64",
  },
  "x86_64-apple-darwin": {
    header: { 0: MACH_O, 4: "07000001" },
    wheel: "macosx_12_0_x86_64",
    suffix: "",
    npm: ["darwin", "x64"],
  },
  "aarch64-apple-darwin": {
    header: { 0: MACH_O, 4: "0c000001" },
    wheel: "macosx_12_0_arm64",
    suffix: "",
    npm: ["darwin", "arm64"],
  },
  "x86_64-pc-windows-msvc": {
    // "MZ"; nothing else is compiled for Windows.
    header: { 0: "4d5a" },
    wheel: "win_amd64",
    suffix: ".exe",
    npm: ["win32", "x64"],
  },
};

/** A version, as deno.json has it and npm takes it, and for Python and Debian. */
export interface Version {
  readonly semver: string;
  readonly python: string;
  readonly debian: string;
}

/** @throws MlcliError for a version that Python has no name for. */
export function versionOf(semver: string): Version {
  const [, number, stage, count] = /^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$/.exec(semver) ??
    [];
  if (number === undefined) {
    throw new MlcliError(`No package can have this version: ${semver}`, {
      hint: "A version is 1.2.3, 1.2.3-alpha.1, 1.2.3-beta.1 or 1.2.3-rc.1, in deno.json.",
    });
  }
  const python = { alpha: "a", beta: "b", rc: "rc" }[stage ?? ""];
  return {
    semver,
    python: python === undefined ? number : `${number}${python}${count}`,
    // A tilde comes before everything, the end included.
    debian: semver.replace("-", "~"),
  };
}

/** Whether a binary begins as those of a system do. */
export function isFor({ header }: System, binary: Uint8Array): boolean {
  return Object.entries(header).every(([offset, bytes]) =>
    binary.subarray(Number(offset), Number(offset) + bytes.length / 2).toHex() === bytes
  );
}

/** What all packages of a release say. */
export interface Release {
  readonly version: Version;
  readonly address: Address;
  /** Text of the licence. */
  readonly license: string;
}

/** Where it is at home: the repository's page. */
export function homepageOf({ address }: Release): string {
  return address.releases.replace(/\/releases$/, "");
}
