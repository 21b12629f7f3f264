/** Tells how mlcli was installed, by the program's path and by the files that installers leave beside it. */

import { globSync } from "node:fs";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { COMMIT } from "./build_info.ts";
import { isFile, LARGEST_TEXT, readTextFile } from "./files.ts";

/** Where package managers put a program. */
const MANAGERS: readonly (readonly [name: string, place: RegExp])[] = [
  ["npm", /[\\/]node_modules[\\/].*mlcli/],
  ["Homebrew", /[\\/]Cellar[\\/]mlcli[\\/]/],
  ["Scoop", /[\\/]scoop[\\/]apps[\\/]mlcli[\\/]/i],
  ["winget", /[\\/]WinGet[\\/]Packages[\\/]/i],
];

/**
 * Returns how mlcli was installed, such as `by pip`. It never fails, because `--version` prints it.
 *
 * @param root of the file system, with Debian's lists of files.
 */
export async function installation(
  root: string,
  executable: string = Deno.execPath(),
): Promise<string> {
  const isFromSource = COMMIT === undefined && executable === Deno.execPath();
  if (isFromSource) return `from source in ${dirname(import.meta.dirname!)}`;
  const program = await Deno.realPath(executable).catch(() => executable);
  const installer = await wheelInstaller(program).catch(() => undefined) ??
    MANAGERS.find(([, place]) => place.test(program))?.[0];
  if (installer !== undefined) return `by ${installer}`;
  const filesOfDebian = await textOf(join(root, "var/lib/dpkg/info/mlcli.list"));
  return filesOfDebian.split("\n").includes(program) ? "as a Debian package" : `as ${program}`;
}

/** Returns what installed a wheel: its program is in `bin` or `Scripts` of an environment, and in its RECORD. */
async function wheelInstaller(program: string): Promise<string | undefined> {
  const environment = dirname(dirname(program));
  const pattern = "{lib/python*/,Lib/,}{site,dist}-packages/mlcli-*.dist-info";
  const [info] = globSync(pattern, { cwd: environment });
  const record = await textOf(join(environment, info ?? "", "RECORD"));
  if (info === undefined || !/\bmlcli(\.exe)?,/.test(record)) return undefined;
  if (await isFile(join(environment, "pipx_metadata.json"))) return "pipx";
  if (await isFile(join(environment, "uv-receipt.toml"))) return "uv tool";
  const installer = await textOf(join(environment, info, "INSTALLER"));
  return installer.trim() === "uv" ? "uv pip" : "pip";
}

async function textOf(path: string): Promise<string> {
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}
