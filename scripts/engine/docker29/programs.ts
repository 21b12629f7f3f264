/**
 * The programs of today's Docker Engine, built from their source: `ensureDocker29`.
 *
 * Distributions are years behind, and not every network reaches Docker's own packages; Go's module
 * proxy is reached by more. Each module is named by its version, and Go checks its content against
 * the public log of checksums.
 */

import { MlcliError } from "../../../runtime/errors.ts";
import { statIfThere } from "../../../runtime/files.ts";
import { run } from "../../process.ts";
import { step } from "../../script.ts";
import { cacheDirectory, withLock } from "../cache.ts";
import { canInstallPackages, currentSystem, installPackages } from "../debian.ts";

/** The engine: the newest that the module proxy has a version of. It speaks API 1.56. */
const MOBY = "v2.0.0-beta.24";
/** What that engine's go.mod asks for. */
const CONTAINERD = "v2.3.5";
/** Debian's does not know the namespaces that this engine asks for. */
const RUNC = "v1.5.2";

const VERSION_VARIABLE = "github.com/moby/moby/v2/dockerversion.Version";

/** A call of `go install`; what no test uses is left out by tags. */
interface Build {
  readonly packages: readonly string[];
  readonly tags: string;
  /** Whether it contains C. */
  readonly cgo: "0" | "1";
}

const BUILDS: readonly Build[] = [
  {
    packages: ["dockerd", "docker-proxy"].map((name) =>
      `github.com/moby/moby/v2/cmd/${name}@${MOBY}`
    ),
    tags: "exclude_graphdriver_btrfs,no_systemd",
    cgo: "0",
  },
  {
    packages: ["containerd", "containerd-shim-runc-v2"].map((name) =>
      `github.com/containerd/containerd/v2/cmd/${name}@${CONTAINERD}`
    ),
    tags: "no_btrfs,no_devmapper,no_zfs,no_cri",
    cgo: "0",
  },
  { packages: [`github.com/opencontainers/runc@${RUNC}`], tags: "seccomp", cgo: "1" },
];

/** Four minutes on two cores, and the downloads (200 MB). In ms. */
const BUILD_TIMEOUT = 1_200_000;
const VERSION_TIMEOUT = 10_000;

/** Debian's names: what the engine runs and does not contain, and what runc is built with. */
const PACKAGES = [
  ...["iptables", "nftables", "iproute2", "tini"],
  ...["gcc", "libc6-dev", "pkg-config", "libseccomp-dev"],
];

/**
 * Builds the programs, unless an earlier run has.
 * @returns the directory that they lie in.
 * @throws MlcliError where they can neither be built nor run.
 */
export async function ensureDocker29(signal: AbortSignal): Promise<string> {
  if (!canInstallPackages(await currentSystem(), Deno.uid())) {
    throw new MlcliError(
      "The tests on today's Docker Engine run as root on Debian or Ubuntu only",
      {
        hint: "deno task test runs the same tests on the Docker Engine that is there.",
      },
    );
  }
  const directory = `${await cacheDirectory()}/docker29-${MOBY}-${CONTAINERD}-${RUNC}`;
  await withLock(`${directory}.lock`, { timeout: 2 * BUILD_TIMEOUT, signal }, async () => {
    if (await statIfThere(directory)) return;
    const go = await findGo(signal, "today's Docker Engine");
    const unfinished = await Deno.makeTempDir({ dir: await cacheDirectory(), prefix: "docker29-" });
    try {
      await step(
        `Installing ${PACKAGES.join(", ")}`,
        () => installPackages(PACKAGES, signal),
      );
      await step("Building the Docker Engine", () => build(go, unfinished, signal));
      // As dockerd calls it. Debian's docker.io has one, and its tini is the same program.
      await Deno.symlink("/usr/bin/tini", `${unfinished}/docker-init`);
      await Deno.rename(unfinished, directory);
    } catch (error) {
      await Deno.remove(unfinished, { recursive: true });
      throw error;
    }
  });
  return directory;
}

async function build(go: string, directory: string, signal: AbortSignal): Promise<void> {
  for (const { packages, tags, cgo } of BUILDS) {
    const flags = ["-trimpath", "-tags", tags, "-ldflags", `-s -w -X ${VERSION_VARIABLE}=${MOBY}`];
    await run([go, "install", ...flags, ...packages], {
      timeout: BUILD_TIMEOUT,
      signal,
      env: { GOBIN: directory, CGO_ENABLED: cgo, GOFLAGS: "" },
      hint: "It needs Go 1.21 or later, and its module proxy or a mirror of it (GOPROXY).",
    });
  }
}

/**
 * Go as the shell finds it, or where its own packages put it.
 * @param built what needs it.
 */
export async function findGo(signal: AbortSignal, built: string): Promise<string> {
  for (const go of ["go", "/usr/local/go/bin/go"]) {
    const version = run([go, "version"], { timeout: VERSION_TIMEOUT, hint: "", signal });
    if (await version.then(() => true, () => false)) return go;
  }
  signal.throwIfAborted();
  throw new MlcliError(`Go is not there, and ${built} is built by it`, {
    hint: "Install Go 1.21 or later (go.dev/dl): it gets the version that is asked for.",
  });
}
