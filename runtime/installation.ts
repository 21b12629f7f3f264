/**
 * How this mlcli was installed, and what upgrades it: told by where the program lies and by what
 * installers leave beside it, without a connection.
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { COMMIT } from "./build_info.ts";
import type { Context } from "./context.ts";
import { isFile, LARGEST_TEXT, readTextFile } from "./files.ts";
import { shellWord } from "./text.ts";

export interface Facts {
  readonly isWindows: boolean;
  /** The program, links followed. */
  readonly program: string;
  /** From source; `launcher` is the directory that `deno task install` put its launcher into. */
  readonly checkout?: {
    readonly root: string;
    readonly isGit: boolean;
    readonly launcher?: string;
  };
  /** The environment whose wheel holds the program; `isFromFile`: that came from no index. */
  readonly python?: {
    readonly directory: string;
    readonly python: string;
    readonly by: "pip" | "uv" | "pipx" | "uv tool";
    readonly isFromFile: boolean;
  };
  /** The package that holds the program, and where its `node_modules` is. */
  readonly npm?: { readonly name: string; readonly root: string; readonly isGlobal: boolean };
  readonly isOfDebian: boolean;
}

export interface Installation {
  readonly how: string;
  /** What to do before the lines are run. */
  readonly first?: string;
  readonly lines: readonly string[];
}

/** Where package managers put a program, and how they upgrade it. */
const MANAGERS: readonly (readonly [how: string, place: RegExp, line: string])[] = [
  ["by Homebrew", /[\\/]Cellar[\\/](mlcli)[\\/]/, "brew upgrade"],
  ["by Scoop", /[\\/]scoop[\\/]apps[\\/](mlcli)[\\/]/i, "scoop update"],
  ["by winget", /[\\/]WinGet[\\/]Packages[\\/]([\w.-]+?)_[^\\/]*[\\/]/i, "winget upgrade --id"],
];

const downloaded = (what: string): string =>
  `Download the ${what} of the new release, and give its path in place of FILE.`;

export function installationOf(facts: Facts): Installation {
  const { isWindows, program, checkout, python, npm, isOfDebian } = facts;
  const word = isWindows ? (path: string) => `"${path}"` : shellWord;
  if (checkout !== undefined) {
    const { root, isGit, launcher } = checkout;
    const task = launcher === undefined ? "setup" : `install --to ${word(launcher)}`;
    return {
      how: `from source, in ${root}`,
      first: isGit ? undefined : "That is no clone of a repository: put the new source there.",
      lines: [
        `cd ${word(root)}`,
        ...isGit ? ["git pull"] : [],
        `npx -y deno@${Deno.version.deno} task ${task}`,
      ],
    };
  }
  if (python !== undefined) {
    const { directory, by, isFromFile } = python;
    const what = isFromFile ? "FILE" : "mlcli";
    const line = {
      pip: `${word(python.python)} -m pip install --upgrade ${what}`,
      uv: `uv pip install --python ${word(directory)} --upgrade ${what}`,
      pipx: `pipx ${isFromFile ? "install --force" : "upgrade"} ${what}`,
      "uv tool": `uv tool ${isFromFile ? "install --force" : "upgrade"} ${what}`,
    }[by];
    const first = isFromFile ? downloaded("wheel") : undefined;
    return { how: `by ${by}, in ${directory}`, first, lines: [line] };
  }
  if (npm !== undefined) {
    const { name, root, isGlobal } = npm;
    const first =
      `If you gave npm files of a release, give it those of the new one, not ${name}@latest.`;
    const line = `npm install ${isGlobal ? "--global" : `--prefix ${word(root)}`} ${name}@latest`;
    return { how: `by npm, in ${root}`, first, lines: [line] };
  }
  for (const [how, place, line] of MANAGERS) {
    const [, name] = place.exec(program) ?? [];
    if (name !== undefined) return { how, lines: [`${line} ${name}`] };
  }
  if (isOfDebian) {
    return {
      how: "as a Debian package",
      first: downloaded(".deb file"),
      lines: ["sudo dpkg --install FILE"],
    };
  }
  const [, folder = "", name = ""] = /^(.*)[\\/]([^\\/]*)$/.exec(program) ?? [];
  if (!/^mlcli(\.exe)?$/i.test(name)) {
    const first = "Put the program of the new release in the place of this file.";
    return { how: `as the file ${program}`, first, lines: [] };
  }
  return {
    how: `as the file ${program}`,
    first: `Download install.${
      isWindows ? "ps1" : "sh"
    } of the new release: it replaces this file.`,
    lines: isWindows
      ? [`$env:MLCLI_INSTALL = ${word(folder)}; Get-Content -Raw install.ps1 | Invoke-Expression`]
      : [`MLCLI_INSTALL=${word(folder)} sh install.sh`],
  };
}

/** Looks at what is there. */
export async function installation(
  { env, system }: Pick<Context, "env" | "system">,
  executable: string = Deno.execPath(),
): Promise<Installation> {
  const program = await Deno.realPath(executable);
  const owned = await textOf(join(system.root, "var/lib/dpkg/info/mlcli.list"));
  const root = dirname(import.meta.dirname!);
  const isGit = await Deno.lstat(join(root, ".git")).then(() => true, () => false);
  const isFromSource = COMMIT === undefined && executable === Deno.execPath();
  return installationOf({
    isWindows: system.os === "windows",
    program,
    checkout: isFromSource ? { root, isGit, launcher: env("MLCLI_LAUNCHER") } : undefined,
    python: await pythonOf(program),
    npm: await npmOf(program),
    isOfDebian: owned.split("\n").includes(program),
  });
}

/** A wheel's program lies in `bin` or `Scripts` of an environment, and its RECORD names it. */
async function pythonOf(program: string): Promise<Facts["python"]> {
  const directory = dirname(dirname(program));
  const folders = ["site-packages", "Lib/site-packages"];
  for (const version of await namesIn(join(directory, "lib"))) {
    folders.push(`lib/${version}/site-packages`, `lib/${version}/dist-packages`);
  }
  for (const folder of folders.map((folder) => join(directory, folder))) {
    const name = (await namesIn(folder)).find((name) => /^mlcli-.*\.dist-info$/.test(name));
    const of = (file: string): string => join(folder, name ?? "", file);
    if (!/\bmlcli(\.exe)?,/.test(await textOf(of("RECORD")))) continue;
    const own = join(dirname(program), "python");
    const isThere = await isFile(own) || await isFile(`${own}.exe`);
    const by = await isFile(join(directory, "pipx_metadata.json"))
      ? "pipx"
      : await isFile(join(directory, "uv-receipt.toml"))
      ? "uv tool"
      : (await textOf(of("INSTALLER"))).trim() === "uv"
      ? "uv"
      : "pip";
    const isFromFile = await isFile(of("direct_url.json"));
    return { directory, python: isThere ? own : basename(dirname(folder)), by, isFromFile };
  }
  return undefined;
}

/** The program's package, or the one beside it that has the same name without a system. */
async function npmOf(program: string): Promise<Facts["npm"]> {
  const [, root = "", found] =
    /^(.*?)[\\/]node_modules[\\/]((?:@[\w.-]+[\\/])?mlcli[\w-]*)[\\/]/.exec(program) ?? [];
  if (found === undefined) return undefined;
  const main = found.replace(/-\w+-\w+$/, "");
  const isThere = await isFile(join(root, "node_modules", main, "package.json"));
  const isGlobal = !await isFile(join(root, "package.json"));
  return { name: (isThere ? main : found).replace("\\", "/"), root, isGlobal };
}

async function namesIn(path: string): Promise<readonly string[]> {
  return await Array.fromAsync(Deno.readDir(path), ({ name }) => name).catch(() => []);
}

async function textOf(path: string): Promise<string> {
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}
