/**
 * Puts mlcli on the PATH of who has a checkout: `deno task install [--to DIR]`. The launcher that it
 * writes there runs this checkout. `deno task uninstall [--to DIR]` removes it.
 */

import { parseArgs } from "node:util";
import { DELIMITER, fromFileUrl, join, resolve } from "@std/path";
import {
  cannotCreate,
  LARGEST_TEXT,
  lstatIfThere,
  readTextFile,
  removeIfThere,
} from "../../runtime/files.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { launcherText, MARK } from "../launcher.ts";
import { run } from "../process.ts";
import { runScript } from "../script.ts";

const isWindows = Deno.build.os === "windows";

/** The first run fetches packages. In ms. */
const TIMEOUT = 300_000;

const ELSEWHERE = "--to DIR names another directory.";

async function main(signal: AbortSignal): Promise<number> {
  const options = { to: { type: "string" }, remove: { type: "boolean" } } as const;
  const { values: { to, remove } } = parseArgs({ options });
  const directory = directoryOf(to, Deno.env.toObject());
  const path = join(directory, isWindows ? "mlcli.cmd" : "mlcli");
  const said = remove ? await uninstall(path) : await install(directory, path, signal);
  Deno.stdout.writeSync(new TextEncoder().encode(said.map((line) => `${line}\n`).join("")));
  return 0;
}

/** `deno task` starts a script in the checkout; INIT_CWD is where the person typed the command. */
function directoryOf(to: string | undefined, env: Readonly<Record<string, string>>): string {
  const { INIT_CWD = Deno.cwd(), LOCALAPPDATA, HOME } = env;
  if (to === "") throw new UsageError("--to names no directory");
  if (to !== undefined) return resolve(INIT_CWD, to);
  // Where install.ps1 and install.sh put the program of a release.
  if (isWindows && LOCALAPPDATA) return join(LOCALAPPDATA, "Programs", "mlcli");
  if (!isWindows && HOME) return join(HOME, ".local", "bin");
  throw new UsageError("No variable says where your home directory is", { hint: ELSEWHERE });
}

async function install(
  directory: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await isOwn(path);
  // Of two, Windows would start this one.
  if (isWindows) await isOwn(join(directory, "mlcli.exe"));
  const text = launcherText({
    isWindows,
    directory,
    root: resolve(fromFileUrl(new URL("../../", import.meta.url))),
    deno: Deno.execPath(),
    version: Deno.version.deno,
  });
  const part = join(directory, `.mlcli-${crypto.randomUUID()}${isWindows ? ".cmd" : ""}`);
  try {
    await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(part, text, { mode: 0o755, createNew: true });
  } catch (cause) {
    throw cannotCreate(path, cause);
  }
  try {
    // Tried before it takes the place of one that works.
    const hint = "Nothing was installed.";
    const version = await run([part, "--version"], { timeout: TIMEOUT, hint, signal });
    await Deno.rename(part, path);
    return [`Installed ${version.trim()} as ${path}`, ...pathLines(directory)];
  } finally {
    await removeIfThere(part);
  }
}

async function uninstall(path: string): Promise<readonly string[]> {
  if (!await isOwn(path)) return [`Nothing to remove: ${path} is not there`];
  await removeIfThere(path);
  return [`Removed ${path}`];
}

/**
 * Whether a launcher is there; false where nothing is.
 * @throws MlcliError where something else is.
 */
async function isOwn(path: string): Promise<boolean> {
  const info = await lstatIfThere(path);
  if (info === undefined) return false;
  const text = info.isFile ? await readTextFile(path, LARGEST_TEXT).catch(() => "") : "";
  if (text.split("\n")[1]?.includes(MARK)) return true;
  throw new MlcliError(`${path} is no launcher that this task made, so it stays as it is`, {
    hint: `Move it away yourself, or use another directory: ${ELSEWHERE}`,
  });
}

/** What to do where a shell does not find what is in a directory. */
function pathLines(directory: string): readonly string[] {
  const folders = (Deno.env.get("PATH") ?? "").split(DELIMITER);
  if (folders.some((folder) => folder !== "" && resolve(folder) === directory)) return [];
  return isWindows
    ? [
      "Add its directory to your PATH, in PowerShell, and open a new terminal:",
      `[Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';${
        directory.replaceAll("'", "''")
      }', 'User')`,
    ]
    : [`Add it to your PATH: export PATH="${directory.replace(/["$`\\]/g, "\\$&")}:$PATH"`];
}

if (import.meta.main) runScript(main);
