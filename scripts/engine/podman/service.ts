/**
 * Podman's service, for as long as something uses it: `withPodman`. On Debian and its relatives as
 * root; installs Podman where it is missing.
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { canInstallPackages, currentSystem, ensurePrograms } from "../debian.ts";
import { type Service, withService } from "../service.ts";

/** Debian's names. Podman only recommends its network; `ip` and `iptables` are for that. */
const PACKAGES = ["podman", "runc", "containernetworking-plugins", "iptables", "iproute2"];
const SCRIPT = fromFileUrl(new URL("service.sh", import.meta.url));

/** @throws MlcliError where there is no Podman and it cannot be installed, or not be used. */
export async function ensurePodman(signal: AbortSignal): Promise<void> {
  if (!canInstallPackages(await currentSystem(), Deno.uid())) {
    throw new MlcliError("The tests on Podman run as root on Debian or Ubuntu only", {
      hint: "deno task test runs the same tests on Docker.",
    });
  }
  await ensurePrograms(["podman", "runc", "iptables"], PACKAGES, signal);
}

/** Runs the service while `work` uses it; afterwards, nothing of it is left. */
export async function withPodman<T>(
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return await withService({ name: "Podman's service", script: SCRIPT }, signal, work);
}
