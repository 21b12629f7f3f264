/** What packages say of mlcli, and of the systems that the binaries are for. */

import type { Target } from "../../compile/targets.ts";

export const SUMMARY =
  "Trains and serves machine-learning models in containers, here as on Amazon SageMaker";

/** The newest glibc that the Linux binaries ask for, as `readelf -V` has it: 2.N. */
export const GLIBC = 27;

/** How the formats call the system that a binary is for. */
export interface System {
  /** Platform tag of a wheel. macOS: the oldest that the runtime base names (LC_BUILD_VERSION). */
  readonly wheel: string;
  /** As npm and Node call them. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
}

export const SYSTEMS: Readonly<Record<Target, System>> = {
  "x86_64-unknown-linux-gnu": { wheel: `manylinux_2_${GLIBC}_x86_64`, os: "linux", cpu: "x64" },
  "aarch64-unknown-linux-gnu": { wheel: `manylinux_2_${GLIBC}_aarch64`, os: "linux", cpu: "arm64" },
  "x86_64-apple-darwin": { wheel: "macosx_12_0_x86_64", os: "darwin", cpu: "x64" },
  "aarch64-apple-darwin": { wheel: "macosx_12_0_arm64", os: "darwin", cpu: "arm64" },
  "x86_64-pc-windows-msvc": { wheel: "win_amd64", os: "win32", cpu: "x64" },
};

/** A binary to pack. */
export interface Binary {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly system: System;
}

/** Name of the program in a package. */
export function programOf({ os }: System): string {
  return os === "win32" ? "mlcli.exe" : "mlcli";
}
