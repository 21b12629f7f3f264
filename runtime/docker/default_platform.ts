/** The platform that the docker command builds and pulls for if it is not told another one. */

import { PLATFORM } from "../contract/images.ts";
import { MlcliError } from "../errors.ts";
import { printable } from "../text.ts";

const VARIABLE = "DOCKER_DEFAULT_PLATFORM";

/**
 * Other names of architectures that the docker command accepts. The engine names an image's
 * architecture in one way only, which other names would never equal.
 *
 * Source: `normalizeArch` in github.com/containerd/platforms
 */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["x86-64", "amd64"],
  ["aarch64", "arm64"],
  ["i386", "386"],
]);

/** Architectures that the docker command accepts without an operating system. */
const BARE: readonly string[] = [
  ...OTHER_NAMES.keys(),
  ...["amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64"],
];

/**
 * Returns the platform in `DOCKER_DEFAULT_PLATFORM`; undefined if the variable is unset or empty.
 *
 * @throws MlcliError if the value is not one platform.
 */
export function defaultPlatform(env: (name: string) => string | undefined): string | undefined {
  const value = env(VARIABLE);
  if (!value) return undefined;
  const given = value.toLowerCase();
  const platform = BARE.includes(given) ? `linux/${given}` : given;
  if (!PLATFORM.test(platform)) {
    throw new MlcliError(
      `${VARIABLE} must be one platform, such as linux/amd64, but is "${printable(value)}"`,
      {
        hint: "Change the variable, or set the platform with mlcli build --platform PLATFORM or " +
          "platform in NAME.json",
      },
    );
  }
  const [system, architecture = "", ...variant] = platform.split("/");
  return [system, OTHER_NAMES.get(architecture) ?? architecture, ...variant].join("/");
}
