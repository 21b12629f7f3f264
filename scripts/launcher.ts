/** The launcher that `deno task install` puts on the PATH: it runs mlcli from this checkout. */

import { join } from "@std/path";
import { shellWord } from "../runtime/text.ts";

/** What no other program has in its second line. */
export const MARK = "Made by mlcli's `deno task install`; `deno task uninstall` removes it.";

export interface Launcher {
  readonly isWindows: boolean;
  /** The directory that it lies in. */
  readonly directory: string;
  /** The checkout's directory. */
  readonly root: string;
  /** The path of the Deno that runs it: `npx` would run what the current directory has. */
  readonly deno: string;
  readonly version: string;
}

/**
 * Its text. With `--config`, Deno reads neither configuration nor `.npmrc` of the current directory.
 * `MLCLI_LAUNCHER` tells `mlcli upgrade` where the launcher is.
 */
export function launcherText(launcher: Launcher): string {
  const { isWindows, directory, root, deno, version } = launcher;
  const [main, configuration] = [join(root, "main.ts"), join(root, "deno.json")];
  const again = `npx -y deno@${version} task install --to`;
  return isWindows ? cmdText(launcher, main, configuration, again) : `#!/bin/sh
# ${MARK}
export DENO_NO_UPDATE_CHECK=1 MLCLI_LAUNCHER=${shellWord(directory)}
fail() {
  printf 'error: %s\\nhint: %s\\n' "$1" "$2" >&2
  exit 1
}
[ -f ${shellWord(main)} ] || fail ${shellWord(`There is no checkout of mlcli any more: ${root}`)} \\
  "Install mlcli again, from another checkout, or remove this file: $0"
[ -x ${shellWord(deno)} ] || fail ${shellWord(`There is no Deno any more to run mlcli: ${deno}`)} \\
  ${shellWord(`cd ${shellWord(root)} && ${again} ${shellWord(directory)}`)}
exec ${shellWord(deno)} run -A --quiet --config ${shellWord(configuration)} ${shellWord(main)} "$@"
`;
}

/** For cmd.exe. It obeys `%` in quotes, too; and what is not ASCII, it reads in the console's code page. */
function cmdText(
  { directory, root, deno }: Launcher,
  main: string,
  configuration: string,
  again: string,
): string {
  const lines = [
    "@echo off",
    `rem ${MARK}`,
    "setlocal",
    '"%SystemRoot%\\System32\\chcp.com" 65001 >nul',
    "set DENO_NO_UPDATE_CHECK=1",
    `set "MLCLI_LAUNCHER=${escaped(directory)}"`,
    `if not exist ${quoted(main)} (`,
    `  echo error: There is no checkout of mlcli any more: ${quoted(root)} 1>&2`,
    `  echo hint: Install mlcli again, from another checkout, or remove this file: "%~f0" 1>&2`,
    "  exit /b 1",
    ")",
    `if not exist ${quoted(deno)} (`,
    `  echo error: There is no Deno any more to run mlcli: ${quoted(deno)} 1>&2`,
    `  echo hint: In ${quoted(root)}, run: ${again} ${quoted(directory)} 1>&2`,
    "  exit /b 1",
    ")",
    `${quoted(deno)} run -A --quiet --config ${quoted(configuration)} ${quoted(main)} %*`,
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** A path in a batch file. It cannot hold a quote. */
function quoted(path: string): string {
  return `"${escaped(path)}"`;
}

function escaped(path: string): string {
  return path.replaceAll("%", "%%");
}
