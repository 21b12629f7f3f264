/**
 * Docker Compose, which other programs run: `ensureCompose`. Where the `docker` command has none, Go
 * builds it from its module, once: Debian's is a version that ended, and starts slower.
 */

import { statIfThere } from "../../runtime/files.ts";
import { run } from "../process.ts";
import { step } from "../script.ts";
import { cacheDirectory, withLock } from "./cache.ts";
import { findGo } from "./docker29/programs.ts";

const MODULE = "github.com/docker/compose/v2";
/** The last of version 2: SageMaker's SDK v2 takes no other. */
const VERSION = "v2.40.3";

/** Five minutes on two cores that did something else, too. In ms. */
const BUILD_TIMEOUT = 1_200_000;
const VERSION_TIMEOUT = 10_000;

/**
 * @returns the variables with which `docker compose` is version 2.
 * @throws MlcliError where it is not there and cannot be built.
 */
export async function ensureCompose(
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const options = { timeout: VERSION_TIMEOUT, hint: "", signal };
  const known = await run(["docker", "compose", "version"], options).catch(() => "");
  if (known.includes("v2")) return {};
  const directory = `${await cacheDirectory()}/compose-${VERSION}`;
  const plugin = `${directory}/cli-plugins/docker-compose`;
  await withLock(`${directory}.lock`, { timeout: 2 * BUILD_TIMEOUT, signal }, async () => {
    if (await statIfThere(plugin)) return;
    const go = await findGo(signal, "Docker Compose");
    await step("Building Docker Compose", () => build(go, plugin, signal));
  });
  return { DOCKER_CONFIG: directory };
}

async function build(go: string, plugin: string, signal: AbortSignal): Promise<void> {
  const options = {
    timeout: BUILD_TIMEOUT,
    signal,
    env: { CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" },
    hint: "It needs Go 1.21 or later, and its module proxy or a mirror of it (GOPROXY).",
  };
  // Not `go install`: it refuses a module that excludes versions of others.
  const downloaded = await run([go, "mod", "download", "-json", `${MODULE}@${VERSION}`], options);
  const version = `-s -w -X ${MODULE}/internal.Version=${VERSION}`;
  const unfinished = `${plugin}.unfinished`;
  await run([go, "build", "-trimpath", "-ldflags", version, "-o", unfinished, "./cmd"], {
    ...options,
    cwd: JSON.parse(downloaded).Dir,
  });
  await Deno.rename(unfinished, plugin);
}
