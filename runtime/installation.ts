/**
 * How this mlcli was installed, and what upgrades it: told by where the program lies and by what
 * installers leave beside it, without a connection.
 */

import { globSync } from "node:fs";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { COMMIT } from "./build_info.ts";
import type { Context } from "./context.ts";
import { isFile, LARGEST_TEXT, readTextFile } from "./files.ts";
import { shellWord } from "./text.ts";

export interface Installation {
  readonly how: string;
  /** What to do before the lines are run. */
  readonly first?: string;
  readonly lines: readonly string[];
}

/** Writes a path as the shell takes it. */
type Quote = (path: string) => string;

/** Where package managers put a program, and how they upgrade it. */
const MANAGERS: readonly (readonly [name: string, place: RegExp, line: string])[] = [
  ["Homebrew", /[\\/]Cellar[\\/]mlcli[\\/]/, "brew upgrade mlcli"],
  ["Scoop", /[\\/]scoop[\\/]apps[\\/]mlcli[\\/]/i, "scoop update mlcli"],
  ["winget", /[\\/]WinGet[\\/]Packages[\\/]/i, "winget upgrade mlcli"],
];

export async function installation(
  { env, system }: Pick<Context, "env" | "system">,
  executable: string = Deno.execPath(),
): Promise<Installation> {
  const quote: Quote = system.os === "windows" ? (path) => `"${path}"` : shellWord;
  const isFromSource = COMMIT === undefined && executable === Deno.execPath();
  if (isFromSource) return fromSource(env("MLCLI_LAUNCHER"), quote);
  // Links followed.
  const program = await Deno.realPath(executable);
  const found = await asWheel(program, quote) ?? await asNpmPackage(program, quote);
  if (found !== undefined) return found;
  const manager = MANAGERS.find(([, place]) => place.test(program));
  if (manager !== undefined) return { how: `by ${manager[0]}`, lines: [manager[2]] };
  const filesOfDebian = await textOf(join(system.root, "var/lib/dpkg/info/mlcli.list"));
  if (filesOfDebian.split("\n").includes(program)) {
    return { how: "as a Debian package", ...byFile("sudo dpkg --install", ".deb file") };
  }
  const folder = quote(dirname(program));
  const [script, line] = system.os === "windows"
    ? ["ps1", `$env:MLCLI_INSTALL = ${folder}; Get-Content -Raw install.ps1 | Invoke-Expression`]
    : ["sh", `MLCLI_INSTALL=${folder} sh install.sh`];
  const first = `Download install.${script} of the new release.`;
  return { how: `as the file ${program}`, first, lines: [line] };
}

/** @param launcher the directory of the one that `deno task install` made, where there is one. */
function fromSource(launcher: string | undefined, quote: Quote): Installation {
  const root = dirname(import.meta.dirname!);
  const task = launcher === undefined ? "setup" : `install --to ${quote(launcher)}`;
  const lines = [`cd ${quote(root)}`, "git pull", `npx -y deno@${Deno.version.deno} task ${task}`];
  return { how: `from source, in ${root}`, lines };
}

/** A package, which public indexes may have of somebody else by the same name. */
function byFile(command: string, what: string): Pick<Installation, "first" | "lines"> {
  const first = `Download the ${what} of the new release, and give its path in place of FILE.`;
  return { first, lines: [`${command} FILE`] };
}

/** A wheel's program lies in `bin` or `Scripts` of an environment, and its RECORD names it. */
async function asWheel(program: string, quote: Quote): Promise<Installation | undefined> {
  const [folder, environment] = [dirname(program), dirname(dirname(program))];
  const pattern = "{lib/python*/,Lib/,}{site,dist}-packages/mlcli-*.dist-info";
  const [info] = globSync(pattern, { cwd: environment });
  const record = await textOf(join(environment, info ?? "", "RECORD"));
  if (info === undefined || !/\bmlcli(\.exe)?,/.test(record)) return undefined;
  const by = (installer: string, command: string): Installation => {
    return { how: `by ${installer}`, ...byFile(command, "wheel") };
  };
  const isBeside = (name: string): Promise<boolean> => isFile(join(environment, name));
  if (await isBeside("pipx_metadata.json")) return by("pipx", "pipx install --force");
  if (await isBeside("uv-receipt.toml")) return by("uv tool", "uv tool install --force");
  const own = join(folder, "python");
  const hasPython = await isFile(own) || await isFile(`${own}.exe`);
  const python = hasPython ? quote(own) : /python[\d.]+/.exec(info)?.[0] ?? "python";
  const installer = await textOf(join(environment, info, "INSTALLER"));
  if (installer.trim() === "uv") return by("uv", `uv pip install --python ${python} --upgrade`);
  return by("pip", `${python} -m pip install --upgrade`);
}

/** Global packages lie in a `node_modules` without a package.json beside it. */
async function asNpmPackage(program: string, quote: Quote): Promise<Installation | undefined> {
  const [, root] = /^(.*?)[\\/]node_modules[\\/].*mlcli/.exec(program) ?? [];
  if (root === undefined) return undefined;
  const isLocal = await isFile(join(root, "package.json"));
  const command = `npm install ${isLocal ? `--prefix ${quote(root)}` : "--global"}`;
  return { how: `by npm, in ${root}`, ...byFile(command, "npm package") };
}

async function textOf(path: string): Promise<string> {
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}
