/**
 * Podman's service, for as long as something uses it: `withPodman`.
 *
 * On Debian and its relatives as root; installs Podman where it is missing. The service and its
 * containers have namespaces of their own and keep everything in a directory of their own, so that
 * neither the engine nor the network of the machine notices, and nothing remains.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { removeTreeIfThere } from "../../../runtime/files.ts";
import { lastLines, start } from "../../process.ts";
import { step } from "../../script.ts";
import { cacheDirectory } from "../cache.ts";
import { canInstallPackages, currentSystem, ensurePrograms } from "../debian.ts";
import { untilItAnswers } from "../until_it_answers.ts";

/** Debian's names. Podman only recommends its network; `ip` and `iptables` are for that. */
const PACKAGES = ["podman", "runc", "containernetworking-plugins", "iptables", "iproute2"];
/** Makes the namespaces and starts the service in them. */
const SERVICE = fromFileUrl(new URL("service.sh", import.meta.url));

/** The service answers within a second. In ms. */
const START_TIMEOUT = 30_000;

const HINT = "Its service needs root with the right to make namespaces and mounts: a container " +
  "without --privileged has not. deno task test runs the same tests on Docker.";

/** A service that answers. */
export interface PodmanService {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  /** A process in its network. */
  readonly pid: number;
}

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
  work: (service: PodmanService) => Promise<T>,
): Promise<T> {
  const directory = await Deno.makeTempDir({ dir: await cacheDirectory(), prefix: "podman-" });
  const ending = new AbortController();
  const child = start(["unshare", ...NAMESPACES, "sh", SERVICE, directory], {
    signal: ending.signal,
    killSignal: "SIGKILL", // unshare ignores the others
    hint: HINT,
  });
  const outputs = Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
  try {
    const host = `unix://${join(directory, "podman.sock")}`;
    await step("Starting Podman's service", () => untilReady(host, child, signal));
    return await work({ host, pid: child.pid });
  } catch (error) {
    signal.throwIfAborted();
    ending.abort();
    const said = lastLines((await outputs).join(""));
    if (error instanceof MlcliError && error.quote === undefined && said !== "") {
      throw new MlcliError(error.message, { quote: said, hint: error.hint ?? HINT });
    }
    throw error;
  } finally {
    ending.abort();
    await child.status;
    await outputs;
    await removeTreeIfThere(directory);
  }
}

/** With the first process of its process namespace, all that Podman has started ends. */
const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];

async function untilReady(
  host: string,
  child: Deno.ChildProcess,
  signal: AbortSignal,
): Promise<void> {
  let ended: Deno.CommandStatus | undefined;
  child.status.then((status) => ended = status);
  const engine = await untilItAnswers({
    env: (name) => name === "DOCKER_HOST" ? host : undefined,
    timeout: START_TIMEOUT,
    ending: () => Promise.resolve(ended && `ended with ${ended.code}`),
    failure: (what, reason) =>
      Promise.resolve(new MlcliError(`Podman's service ${what}: ${reason}`)),
  }, signal);
  engine.close();
}
