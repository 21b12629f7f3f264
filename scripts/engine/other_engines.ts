/**
 * Docker with user namespaces, rootless Docker and rootless Podman, for as long as something uses
 * them: `withOtherEngine`. On Debian and its relatives as root; installs what is missing.
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { statIfThere } from "../../runtime/files.ts";
import { step } from "../script.ts";
import { canInstallPackages, currentSystem, ensurePrograms, installPackages } from "./debian.ts";
import { type Service, type ServiceScript, withService } from "./service.ts";

/** An engine that is not as most are. */
export interface OtherEngine {
  readonly service: ServiceScript;
  /** Programs that it consists of, and Debian's packages that have them. */
  readonly programs: readonly string[];
  readonly packages: readonly string[];
  /** Whose engine it is, and who runs the tests on it; undefined: root. */
  readonly uid?: number;
  /** How many test files at once; undefined: as many as Deno likes. */
  readonly jobs?: number;
}

/** No user of the machine, so that nothing there belongs to them. */
const UID = 54_320;

/** Where another user than root can look, and what is as large as images may lie. */
const FOR_ALL = "/var/tmp";

const ROOTLESS = {
  programs: ["slirp4netns"],
  packages: ["uidmap", "slirp4netns", "iproute2"],
} as const;

/** By the names that `deno task test:engine` takes. */
export const OTHER_ENGINES: Readonly<Record<string, OtherEngine>> = {
  userns: {
    service: {
      name: "Docker with user namespaces",
      script: script("userns/service.sh"),
      parent: FOR_ALL,
    },
    programs: ["dockerd"],
    packages: ["docker.io", "iproute2"],
  },
  rootless: {
    service: {
      name: "rootless Docker",
      script: script("rootless/service.sh"),
      arguments: [`${UID}`, "docker"],
      parent: FOR_ALL,
    },
    programs: ["dockerd", "rootlesskit", ...ROOTLESS.programs],
    packages: ["docker.io", "rootlesskit", ...ROOTLESS.packages],
    uid: UID,
  },
  "rootless-podman": {
    service: {
      name: "rootless Podman",
      script: script("rootless/service.sh"),
      arguments: [`${UID}`, "podman"],
      parent: FOR_ALL,
    },
    programs: ["podman", "runc", ...ROOTLESS.programs],
    packages: ["podman", "runc", "containernetworking-plugins", ...ROOTLESS.packages],
    uid: UID,
    // Of two builds of one image at once, Podman 4.3 may take away the layers of the other.
    jobs: 1,
  },
};

function script(path: string): string {
  return fromFileUrl(new URL(path, import.meta.url));
}

/** @throws MlcliError where a program is missing and cannot be installed. */
export async function ensureOtherEngine(
  { service, programs, packages, uid }: OtherEngine,
  signal: AbortSignal,
): Promise<void> {
  if (!canInstallPackages(await currentSystem(), Deno.uid())) {
    throw new MlcliError(`The tests on ${service.name} run as root on Debian or Ubuntu only`, {
      hint: "deno task test runs the same tests on Docker.",
    });
  }
  await ensurePrograms(programs, packages, signal);
  // The one program that does not say its version.
  if (uid === undefined || await statIfThere("/usr/bin/newuidmap")) return;
  await step("Installing uidmap", () => installPackages(["uidmap"], signal));
}

/** A program, and its options, that runs the command behind it where the engine's callers are. */
export function withinOf(
  { uid }: OtherEngine,
  { pid, directory }: Service,
  sources: string,
  packages: string,
): readonly string[] {
  const inNetwork = ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
  if (uid === undefined) return inNetwork;
  const asUser = [script("rootless/as_user.sh"), directory, `${uid}`, sources, packages];
  return [...inNetwork, "unshare", "--mount", "--", "sh", ...asUser];
}

/** Runs the engine while `work` uses it; afterwards, nothing of it is left. */
export async function withOtherEngine<T>(
  { service }: OtherEngine,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return await withService(service, signal, work);
}
