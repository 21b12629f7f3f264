/** A registry for images, for the tests: Debian's `docker-registry`, a single program. */

import { run } from "../process.ts";
import { say, step } from "../script.ts";
import { cacheDirectory, withLock } from "./cache.ts";
import { canInstallPackages, currentSystem } from "./debian.ts";

const PACKAGE = "docker-registry";
/** A program that is there says its version within this time, in ms. */
const VERSION_TIMEOUT = 10_000;
/** Longest time for apt, in ms: another apt (120 s), and a slow mirror. */
const APT_TIMEOUT = 300_000;
/** Another process may be at it: two commands of apt and one more, in ms. */
const LOCK_TIMEOUT = 720_000;

/**
 * The path of the program: where it is installed, or of a copy of its own that is taken out of
 * Debian's package. The package is not installed, for that would start a service on port 5000.
 *
 * @returns `undefined` where there is none and none can be had; said in a line.
 */
export async function ensureRegistry(signal: AbortSignal): Promise<string | undefined> {
  if (await answers(PACKAGE, signal)) return PACKAGE;
  const directory = `${await cacheDirectory()}/${PACKAGE}`;
  const program = `${directory}/usr/bin/${PACKAGE}`;
  if (await answers(program, signal)) return program;
  if (!canInstallPackages(await currentSystem(), Deno.uid())) {
    say(
      `${PACKAGE} is not there: tests that push images will fail. Install it (on Debian and ` +
        `Ubuntu: apt-get install ${PACKAGE}); as root there, this script does without.`,
    );
    return undefined;
  }
  await withLock(`${directory}.lock`, { timeout: LOCK_TIMEOUT, signal }, async () => {
    if (await answers(program, signal)) return;
    await step(`Getting ${PACKAGE}`, () => unpack(directory, signal));
  });
  return program;
}

async function unpack(directory: string, signal: AbortSignal): Promise<void> {
  const hint = "See that `apt-get update` works on this machine, then run this again.";
  const work = await Deno.makeTempDir({ prefix: "mlcli-registry-" });
  try {
    // apt drops root's rights for downloads, and `_apt` has to write here.
    await Deno.chmod(work, 0o777);
    const options = { timeout: APT_TIMEOUT, signal, hint, cwd: work };
    await run(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", "update"], options);
    await run(["apt-get", "-q", "download", PACKAGE], options);
    for await (const { name } of Deno.readDir(work)) {
      if (name.endsWith(".deb")) await run(["dpkg-deb", "-x", name, directory], options);
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function answers(program: string, signal: AbortSignal): Promise<boolean> {
  const version = run([program, "--version"], { timeout: VERSION_TIMEOUT, hint: "", signal });
  const isThere = await version.then(() => true, () => false);
  signal.throwIfAborted();
  return isThere;
}
