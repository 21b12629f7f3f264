/** What packages say of mlcli: for which system each binary is, and its version in each spelling. */

import { MlcliError } from "../../../runtime/errors.ts";
import type { Target } from "../../compile/targets.ts";
import type { Address } from "../stamp.ts";

export const SUMMARY =
  "Trains and serves machine-learning models in containers, here as on Amazon SageMaker";

/** The newest glibc that the Linux binaries ask for, as `readelf -V` has it: 2.N. */
export const GLIBC = 27;

/** How the formats call the system that a binary is for. */
export type System = readonly [
  /** What its binaries begin with, in hexadecimal. */
  header: RegExp,
  /** Platform tag of a wheel. macOS: the oldest that the runtime base names (LC_BUILD_VERSION). */
  wheel: string,
  /** As npm and Node call them. */
  os: "linux" | "darwin" | "win32",
  cpu: "x64" | "arm64",
];

export const SYSTEMS: Readonly<Record<Target, System>> = {
  // ELF's machine is at byte 18.
  "x86_64-unknown-linux-gnu": [/^7f454c46.{28}3e00/, `manylinux_2_${GLIBC}_x86_64`, "linux", "x64"],
  "aarch64-unknown-linux-gnu": [
    /^7f454c46.{28}b700/,
    `manylinux_2_${GLIBC}_aarch64`,
    ...["linux", "arm64"] as const,
  ],
  "x86_64-apple-darwin": [/^cffaedfe07000001/, "macosx_12_0_x86_64", "darwin", "x64"],
  "aarch64-apple-darwin": [/^cffaedfe0c000001/, "macosx_12_0_arm64", "darwin", "arm64"],
  "x86_64-pc-windows-msvc": [/^4d5a/, "win_amd64", "win32", "x64"],
};

/** A binary to pack. */
export interface Binary {
  readonly path: string;
  readonly system: System;
}

/** Name of the program in a package. */
export function programOf([, , os]: System): string {
  return os === "win32" ? "mlcli.exe" : "mlcli";
}

/** What all packages of a release say. */
export interface Release {
  readonly version: Version;
  readonly address: Address;
  /** Text of the licence. */
  readonly license: string;
}

/** Who has its repository, and the page of that. */
export function homeOf(
  { address }: Release,
): { readonly owner: string; readonly homepage: string } {
  const [owner = ""] = address.repository.split("/");
  return { owner, homepage: address.releases.replace(/\/releases$/, "") };
}

/** A version, as deno.json has it and npm takes it, and for Python and Debian. */
export interface Version {
  readonly semver: string;
  readonly python: string;
  readonly debian: string;
}

/** @throws MlcliError for a version that Python has no name for. */
export function versionOf(semver: string): Version {
  if (!/^\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/.test(semver)) {
    throw new MlcliError(`No package can have this version: ${semver}`, {
      hint: "A version is 1.2.3, 1.2.3-alpha.1, 1.2.3-beta.1 or 1.2.3-rc.1, in deno.json.",
    });
  }
  const python = semver.replace(/-(a|b|rc)[a-z]*\./, "$1");
  // A tilde comes before everything, the end included.
  return { semver, python, debian: semver.replace("-", "~") };
}
