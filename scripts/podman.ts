/**
 * The tests of the local workflow on Podman instead of Docker: `deno task test:podman`, with
 * arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * On Debian and its relatives as root; installs Podman where it is missing. Its service and its
 * containers have namespaces of their own and keep everything in a directory of their own, so that
 * neither the engine nor the network of the machine notices, and nothing remains.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { connectToEngine } from "../runtime/docker/connect.ts";
import { messageOf, MlcliError } from "../runtime/errors.ts";
import { ensureBaseImage } from "./base_image.ts";
import { canInstallPackages, currentSystem, ensurePrograms } from "./debian.ts";
import { denoTest, reportResults } from "./deno_test.ts";
import { ensureEngine } from "./engine.ts";
import { copyImage } from "./podman/copy_image.ts";
import {
  cacheDirectory,
  durationText,
  lastLines,
  pause,
  removeTree,
  runScript,
  start,
  step,
} from "./script.ts";
import type { TestResults } from "./test_results.ts";

/** Debian's names. Podman only recommends its network; `ip` and `iptables` are for that. */
const PACKAGES = ["podman", "runc", "containernetworking-plugins", "iptables", "iproute2"];
/** The tests of everything that runs a container. */
const TESTS = ["train", "process", "deploy", "errors", "interrupt", "privileges"]
  .map((name) => fromFileUrl(new URL(`../tests/e2e/${name}_test.ts`, import.meta.url)));
/** Makes the namespaces and starts the service in them. */
const SERVICE = fromFileUrl(new URL("podman/service.sh", import.meta.url));

/** The service answers within a second. In ms. */
const START_TIMEOUT = 30_000;
/** All together, the installation (300 s for each command of apt) aside. In ms. */
const TIMEOUT = 480_000;
/** In ms. */
const POLL_INTERVAL = 50;

const HINT = "Its service needs root with the right to make namespaces and mounts: a container " +
  "without --privileged has not. deno task test runs the same tests on Docker.";

/** A service that answers. */
interface Service {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  /** A process in its network. */
  readonly pid: number;
}

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  await ensurePodman(signal);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
  return await withService(limit, async ({ host, pid }) => {
    const image = await step("Copying the base image", () => baseImage(host, limit));
    const env = { DOCKER_HOST: host, MLCLI_TEST_BASE_IMAGE: image };
    const within = ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
    return await denoTest(args.length > 0 ? args : TESTS, { env, within }, limit);
  });
}

/** @throws MlcliError where there is no Podman and it cannot be installed, or not be used. */
async function ensurePodman(signal: AbortSignal): Promise<void> {
  if (!canInstallPackages(await currentSystem(), Deno.uid())) {
    throw new MlcliError("The tests on Podman run as root on Debian or Ubuntu only", {
      hint: "deno task test runs the same tests on Docker.",
    });
  }
  await ensurePrograms(["podman", "runc", "iptables"], PACKAGES, signal);
}

/** Runs the service while `work` uses it; afterwards, nothing of it is left. */
async function withService<T>(
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
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
    await step("Starting Podman's service", () => untilItAnswers(host, child, signal));
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
    await removeTree(directory);
  }
}

/** With the first process of its process namespace, all that Podman has started ends. */
const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];

async function untilItAnswers(
  host: string,
  child: Deno.ChildProcess,
  signal: AbortSignal,
): Promise<void> {
  const env = (name: string): string | undefined => name === "DOCKER_HOST" ? host : undefined;
  let ended: Deno.CommandStatus | undefined;
  child.status.then((status) => ended = status);
  const deadline = performance.now() + START_TIMEOUT;
  let failure = "";
  while (performance.now() < deadline) {
    try {
      return (await connectToEngine({ env }, { signal })).close();
    } catch (error) {
      signal.throwIfAborted();
      failure = messageOf(error);
    }
    if (ended) throw new MlcliError(`Podman's service ended with ${ended.code}`);
    await pause(POLL_INTERVAL);
  }
  throw new MlcliError(
    `Podman's service does not answer after ${durationText(START_TIMEOUT)}: ${failure}`,
  );
}

/** The image that the tests on Docker use, brought from there. Returns its name on Podman. */
async function baseImage(host: string, signal: AbortSignal): Promise<string> {
  const engine = await ensureEngine(signal);
  try {
    const image = await ensureBaseImage("plain", engine, signal);
    return await copyImage(image, engine.address, host, signal);
  } finally {
    engine.close();
  }
}

if (import.meta.main) runScript(main);
