/**
 * Puts mlcli on the PATH of who has a checkout: `deno task install [--to DIR]` writes a launcher that
 * runs this checkout. `deno task uninstall [--to DIR]` removes it.
 */

import { parseArgs } from "node:util";
import { DELIMITER, fromFileUrl, join, resolve } from "@std/path";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import {
  LARGEST_TEXT,
  lstatIfThere,
  makeDirectory,
  readTextFile,
  removeIfThere,
} from "../../runtime/files.ts";
import { shellWord } from "../../runtime/text.ts";
import { run } from "../process.ts";
import { runScript } from "../script.ts";

/** What no other program has in its second line. */
export const MARK = "Made by mlcli's `deno task install`; `deno task uninstall` removes it.";

/** The first run fetches packages. In ms. */
const TIMEOUT = 300_000;

const isWindows = Deno.build.os === "windows";

export interface Launcher {
  /** The checkout. */
  readonly root: string;
  /** The path of Deno: `npx` would run what the current directory has in its `node_modules`. */
  readonly deno: string;
}

const GONE = "error: The checkout that mlcli runs from, or the Deno that it runs with, has gone";
const AGAIN = `hint: In a checkout, run: npx -y deno@${Deno.version.deno} task install`;

/** With `--config`, Deno looks for no configuration and no `.npmrc` in the current directory. */
export function launcherText(launcher: Launcher): string {
  const { root } = launcher;
  const paths = [launcher.deno, join(root, "main.ts"), join(root, "deno.json")];
  const [deno, main, configuration] = paths.map(shellWord);
  return `#!/bin/sh
# ${MARK}
export DENO_NO_UPDATE_CHECK=1
if [ ! -f ${main} ] || [ ! -f ${deno} ]; then
  printf '%s\\n' '${GONE}' '${AGAIN}' >&2
  exit 1
fi
exec ${deno} run -A --quiet --config ${configuration} ${main} "$@"
`;
}

/** The same for cmd.exe, which obeys `%` in quotes, too, and reads text in the console's code page. */
export function batchText(launcher: Launcher): string {
  const [deno, root] = [launcher.deno, launcher.root].map((path) => path.replaceAll("%", "%%"));
  return `@echo off
rem ${MARK}
setlocal
"%SystemRoot%\\System32\\chcp.com" 65001 >nul
set "DENO_NO_UPDATE_CHECK=1"
if exist "${root}\\main.ts" if exist "${deno}" goto run
>&2 echo ${GONE}
>&2 echo ${AGAIN}
exit /b 1
:run
"${deno}" run -A --quiet --config "${root}\\deno.json" "${root}\\main.ts" %*
`.replaceAll("\n", "\r\n");
}

async function main(signal: AbortSignal): Promise<number> {
  const options = { to: { type: "string" }, remove: { type: "boolean" } } as const;
  const { values: { to, remove } } = parseArgs({ options });
  const directory = directoryOf(to, Deno.env.toObject());
  const path = join(directory, isWindows ? "mlcli.cmd" : "mlcli");
  const said = remove ? await uninstall(path) : await install(directory, path, signal);
  Deno.stdout.writeSync(new TextEncoder().encode(`${said}\n`));
  return 0;
}

/** `deno task` starts a script in the checkout; INIT_CWD is where the person typed the command. */
function directoryOf(to: string | undefined, env: Readonly<Record<string, string>>): string {
  const { INIT_CWD = Deno.cwd(), LOCALAPPDATA, HOME } = env;
  if (to) return resolve(INIT_CWD, to);
  // Where install.ps1 and install.sh put the program of a release.
  const usual = isWindows
    ? LOCALAPPDATA && join(LOCALAPPDATA, "Programs", "mlcli")
    : HOME && join(HOME, ".local", "bin");
  if (to === undefined && usual) return usual;
  throw new UsageError("No directory to install into", { hint: "--to DIR names it." });
}

async function install(directory: string, path: string, signal: AbortSignal): Promise<string> {
  await isOwn(path);
  // Of two, Windows would start this one.
  if (isWindows) await isOwn(join(directory, "mlcli.exe"));
  const root = resolve(fromFileUrl(new URL("../../", import.meta.url)));
  const launcher = { root, deno: Deno.execPath() };
  const part = join(directory, `.mlcli-${crypto.randomUUID()}${isWindows ? ".cmd" : ""}`);
  await makeDirectory(directory, directory);
  try {
    await Deno.writeTextFile(part, (isWindows ? batchText : launcherText)(launcher), {
      mode: 0o755,
    });
    // Tried before it takes the place of one that works.
    const options = { timeout: TIMEOUT, hint: "Nothing was installed.", signal };
    const version = await run([part, "--version"], options);
    await Deno.rename(part, path);
    return `Installed ${version.split("\n")[0]} as ${path}${pathHint(directory)}`;
  } finally {
    await removeIfThere(part);
  }
}

async function uninstall(path: string): Promise<string> {
  if (!await isOwn(path)) return `Nothing to remove: ${path} is not there`;
  await removeIfThere(path);
  return `Removed ${path}`;
}

/**
 * Whether a launcher is there; false where nothing is.
 * @throws MlcliError where something else is.
 */
async function isOwn(path: string): Promise<boolean> {
  if (await lstatIfThere(path) === undefined) return false;
  const text = await readTextFile(path, LARGEST_TEXT).catch(() => "");
  if (text.split("\n")[1]?.includes(MARK)) return true;
  throw new MlcliError(`${path} is no launcher that this task made, so it stays as it is`, {
    hint: "Move it away yourself, or name another directory: --to DIR",
  });
}

/** What to do where a shell does not find what is in a directory. */
function pathHint(directory: string): string {
  if (Deno.env.get("PATH")?.split(DELIMITER).includes(directory)) return "";
  return isWindows
    ? "\nAdd its directory to your Path (Windows' settings, Environment variables)."
    : `\nAdd it to your PATH: export PATH=${shellWord(directory)}:"$PATH"`;
}

if (import.meta.main) runScript(main);
