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
  /** From source; `launcher` is the directory of the one that `deno task install` made. */
  readonly checkout?: Readonly<{ root: string; launcher?: string }>;
  /** What installed the wheel, and the Python to tell it; `isFromFile`: from no index of packages. */
  readonly wheel?: Readonly<{ by: keyof typeof WHEELS; python: string; isFromFile: boolean }>;
  /** The package with the program, and where its `node_modules` is. */
  readonly npm?: Readonly<{ name: string; root: string; isGlobal: boolean }>;
  readonly isOfDebian: boolean;
}

export interface Installation {
  readonly how: string;
  /** What to do before the lines are run. */
  readonly first?: string;
  readonly lines: readonly string[];
}

/** What upgrades a wheel by an index, and by a file. */
const WHEELS = {
  pip: (what: string, python: string) => `${python} -m pip install --upgrade ${what}`,
  uv: (what: string, python: string) => `uv pip install --python ${python} --upgrade ${what}`,
  pipx: (what: string) => `pipx ${what === "FILE" ? "install --force" : "upgrade"} ${what}`,
  "uv tool": (what: string) => `uv tool ${what === "FILE" ? "install --force" : "upgrade"} ${what}`,
} as const;

/** Where package managers put a program, and how they upgrade it. */
const MANAGERS: readonly (readonly [name: string, place: RegExp, line: string])[] = [
  ["Homebrew", /[\\/]Cellar[\\/](mlcli)[\\/]/, "brew upgrade"],
  ["Scoop", /[\\/]scoop[\\/]apps[\\/](mlcli)[\\/]/i, "scoop update"],
  ["winget", /[\\/]WinGet[\\/]Packages[\\/]([\w.-]+?)_[^\\/]*[\\/]/i, "winget upgrade --id"],
];

export function installationOf(facts: Facts): Installation {
  const { isWindows, program, checkout, wheel, npm, isOfDebian } = facts;
  const word = isWindows ? (path: string) => `"${path}"` : shellWord;
  const withFile = (what: string): string =>
    `Download the ${what} of the new release, and give its path in place of FILE.`;
  if (checkout !== undefined) {
    const { root, launcher } = checkout;
    const task = launcher === undefined ? "setup" : `install --to ${word(launcher)}`;
    const lines = [`cd ${word(root)}`, "git pull", `npx -y deno@${Deno.version.deno} task ${task}`];
    return { how: `from source, in ${root}`, lines };
  }
  if (wheel !== undefined) {
    const { by, python, isFromFile } = wheel;
    const lines = [WHEELS[by](isFromFile ? "FILE" : "mlcli", word(python))];
    return { how: `by ${by}`, first: isFromFile ? withFile("wheel") : undefined, lines };
  }
  if (npm !== undefined) {
    const { name, root, isGlobal } = npm;
    const place = isGlobal ? "--global" : `--prefix ${word(root)}`;
    const first = `If you gave npm a file of a release, give it the new one, not ${name}@latest.`;
    return { how: `by npm, in ${root}`, first, lines: [`npm install ${place} ${name}@latest`] };
  }
  for (const [manager, place, line] of MANAGERS) {
    const [, name] = place.exec(program) ?? [];
    if (name !== undefined) return { how: `by ${manager}`, lines: [`${line} ${name}`] };
  }
  if (isOfDebian) {
    const lines = ["sudo dpkg --install FILE"];
    return { how: "as a Debian package", first: withFile(".deb file"), lines };
  }
  const folder = word(program.replace(/[\\/][^\\/]*$/, ""));
  const [script, line] = isWindows
    ? ["ps1", `$env:MLCLI_INSTALL = ${folder}; Get-Content -Raw install.ps1 | Invoke-Expression`]
    : ["sh", `MLCLI_INSTALL=${folder} sh install.sh`];
  const first = `Download install.${script} of the new release.`;
  return { how: `as the file ${program}`, first, lines: [line] };
}

/** Looks at what is there. */
export async function installation(
  { env, system }: Pick<Context, "env" | "system">,
  executable: string = Deno.execPath(),
): Promise<Installation> {
  const program = await Deno.realPath(executable);
  const isFromSource = COMMIT === undefined && executable === Deno.execPath();
  const checkout = { root: dirname(import.meta.dirname!), launcher: env("MLCLI_LAUNCHER") };
  const ofDebian = await textOf(join(system.root, "var/lib/dpkg/info/mlcli.list"));
  return installationOf({
    isWindows: system.os === "windows",
    program,
    checkout: isFromSource ? checkout : undefined,
    wheel: await wheelOf(program),
    npm: await npmOf(program),
    isOfDebian: ofDebian.split("\n").includes(program),
  });
}

/** A wheel's program lies in `bin` or `Scripts` of an environment, and its RECORD names it. */
async function wheelOf(program: string): Promise<Facts["wheel"]> {
  const [directory, own] = [dirname(dirname(program)), join(dirname(program), "python")];
  const versions = (await namesIn(join(directory, "lib"))).map((name) => join("lib", name));
  for (const parent of ["", "Lib", ...versions]) {
    for (const kind of ["site-packages", "dist-packages"]) {
      const folder = join(directory, parent, kind);
      const name = (await namesIn(folder)).find((name) => /^mlcli-.*\.dist-info$/.test(name));
      const of = (file: string): string => join(folder, name ?? "", file);
      if (!/\bmlcli(\.exe)?,/.test(await textOf(of("RECORD")))) continue;
      const isOfUv = (await textOf(of("INSTALLER"))).trim() === "uv";
      const isTool = await isFile(join(directory, "uv-receipt.toml"));
      const isOfPipx = await isFile(join(directory, "pipx_metadata.json"));
      const hasPython = await isFile(own) || await isFile(`${own}.exe`);
      return {
        by: isOfPipx ? "pipx" : isTool ? "uv tool" : isOfUv ? "uv" : "pip",
        python: hasPython ? own : basename(parent),
        isFromFile: await isFile(of("direct_url.json")),
      };
    }
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
