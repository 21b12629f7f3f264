/**
 * What the scripts know of Debian and its relatives: whether this is one, how to install a package,
 * and which mirror apt takes packages from.
 */

import { run } from "../process.ts";
import { step } from "../script.ts";

/** apt waits this long for another apt, such as the nightly upgrades of a fresh machine. In s. */
const LOCK_TIMEOUT = 120;
/** Longest time an apt command may take, in ms: the lock and a slow mirror. */
const APT_TIMEOUT = 300_000;

/** What `/etc/os-release` says. */
export interface System {
  /** `debian`, `ubuntu`, `fedora`, ...; empty where it is not known. */
  readonly id: string;
  /** Systems that this one is derived from. */
  readonly like: readonly string[];
  /** Code name of the release: `bookworm`, `noble`, ...; empty where it has none. */
  readonly codename: string;
}

/** Reads the text of `/etc/os-release`: shell assignments, quoted or not. */
export function parseSystem(text: string): System {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const assignment = /^([A-Z_]+)=(["']?)(.*)\2$/.exec(line.trim());
    if (assignment) values.set(assignment[1]!, assignment[3]!);
  }
  return {
    id: values.get("ID") ?? "",
    like: (values.get("ID_LIKE") ?? "").split(" ").filter((id) => id !== ""),
    codename: values.get("VERSION_CODENAME") ?? "",
  };
}

/** The system that this process runs on. */
export async function currentSystem(): Promise<System> {
  try {
    return parseSystem(await Deno.readTextFile("/etc/os-release"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return parseSystem("");
    throw error;
  }
}

/** Whether packages can be installed here by apt: Debian, Ubuntu or a relative, as root. */
export function canInstallPackages(system: System, uid: number | null): boolean {
  return uid === 0 && [system.id, ...system.like].includes("debian");
}

/**
 * Installs packages by apt, nothing beyond what they need.
 * @throws MlcliError when apt fails.
 */
export async function installPackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const options = {
    timeout: APT_TIMEOUT,
    signal,
    env: { DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_MODE: "a" },
    hint: "See that `apt-get update` works on this machine, then run this again.",
  };
  const get = ["apt-get", "-y", "-q", "-o", `DPkg::Lock::Timeout=${LOCK_TIMEOUT}`];
  await run([...get, "update"], options);
  await run([...get, "install", "--no-install-recommends", ...names], options);
}

/** A program that is there says its version within this time, in ms. */
const VERSION_TIMEOUT = 10_000;

/**
 * Checks that programs can be run; if one cannot, installs the packages that have them.
 * @returns false where one is missing and nothing can be installed here.
 */
export async function ensurePrograms(
  programs: readonly string[],
  packages: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = (program: string): Promise<boolean> =>
    run([program, "--version"], { timeout: VERSION_TIMEOUT, hint: "", signal }).then(
      () => true,
      () => false,
    );
  const answers = await Promise.all(programs.map(isThere));
  signal.throwIfAborted();
  if (answers.every((answer) => answer)) return true;
  if (!canInstallPackages(await currentSystem(), Deno.uid())) return false;
  await step(`Installing ${packages[0]}`, () => installPackages(packages, signal));
  return true;
}

/** What `apt-get indextargets` shall print of each package index, for `parseMirror`. */
export const INDEX_FORMAT = "$(CREATED_BY) $(COMPONENT) $(CODENAME) $(RELEASE) $(REPO_URI)";

/**
 * The mirror of a release, of those that apt knows.
 * @param targets lines of `INDEX_FORMAT`.
 * @returns its address, or `undefined` where apt has none that debootstrap can read.
 */
export function parseMirror(targets: string, codename: string): string | undefined {
  for (const line of targets.split("\n")) {
    const [kind, component, name, release, address = ""] = line.trim().split(" ");
    if (kind !== "Packages" || component !== "main") continue;
    if (name !== codename && release !== codename) continue;
    if (/^https?:\/\//.test(address)) return address;
  }
  return undefined;
}

/** Where apt takes a release from: the mirror, and the proxy in between; each only if there is one. */
export async function aptSource(
  codename: string,
  signal: AbortSignal,
): Promise<{ mirror: string | undefined; proxy: string | undefined }> {
  const options = { timeout: 30_000, signal, hint: "Is apt set up on this machine?" };
  const targets = await run(["apt-get", "indextargets", "--format", INDEX_FORMAT], options);
  const proxy = await run(
    ["apt-config", "dump", "--format", "%v", "Acquire::http::Proxy"],
    options,
  );
  return { mirror: parseMirror(targets, codename), proxy: proxy.trim() || undefined };
}
