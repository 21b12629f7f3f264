/**
 * pip's network settings on this machine: its variables, its configuration files in its own order
 * (pip, `_internal/configuration.py` and `_internal/utils/appdirs.py`), and the `.netrc` with names
 * and passwords for indexes whose address has none.
 */

import { join } from "@std/path/join";
import type { Context, System } from "../../context.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { holdsLogin, hostsOf, type Setting } from "./addresses.ts";

/** A configuration file of pip. */
export interface PipFile {
  readonly path: string;
  readonly text: string;
}

/** Options of `pip install` that concern the network, by their long names. */
const PIP_OPTIONS = [
  "index-url",
  "extra-index-url",
  "find-links",
  "no-index",
  "trusted-host",
  "proxy",
  "timeout",
  "retries",
  "cert",
] as const;

export type PipOption = typeof PIP_OPTIONS[number];

export type PipSettings = Readonly<Partial<Record<PipOption, Setting>>>;

/** Other long names of the same options. */
const ALIASES: Readonly<Record<string, PipOption>> = {
  "pypi-url": "index-url",
  "default-timeout": "timeout",
};

/** uv's variables for indexes, which count where pip has none. */
const UV_VARIABLES: Readonly<Partial<Record<PipOption, readonly string[]>>> = {
  "index-url": ["UV_DEFAULT_INDEX", "UV_INDEX_URL"],
  "extra-index-url": ["UV_INDEX", "UV_EXTRA_INDEX_URL"],
};

/** Where pip looks for configuration files; a later file wins. */
interface PipFilePaths {
  readonly global: readonly string[];
  /** Not read where `PIP_CONFIG_FILE` names a file that is there. */
  readonly user: readonly string[];
  /** Of the virtual environment that is active. */
  readonly site: readonly string[];
  /** The one that `PIP_CONFIG_FILE` names. */
  readonly own: readonly string[];
}

/** The paths on a system; none where `PIP_CONFIG_FILE` is the null device, as pip has it. */
export function pipFilePaths(env: Context["env"], { os, root }: System): PipFilePaths {
  const own = env("PIP_CONFIG_FILE") || undefined;
  if (own === "/dev/null" || own?.toLowerCase() === "nul") {
    return { global: [], user: [], site: [], own: [] };
  }
  const [separator, name] = os === "windows" ? ["\\", "pip.ini"] : ["/", "pip.conf"];
  const below = (folder: string | undefined, ...parts: readonly string[]): string[] =>
    folder ? [[folder.replace(/[\\/]$/, ""), ...parts, name].join(separator)] : [];
  const home = env("HOME") || env("USERPROFILE");
  const rest = {
    site: below(env("VIRTUAL_ENV") || env("CONDA_PREFIX")),
    own: own === undefined ? [] : [own],
  };
  if (os === "windows") {
    return {
      global: below(env("ProgramData") || "C:\\ProgramData", "pip"),
      user: [...below(home, "pip"), ...below(env("APPDATA"), "pip")],
      ...rest,
    };
  }
  if (os === "darwin") {
    const support = ["Library", "Application Support", "pip"];
    return {
      global: below(root, ...support),
      // The last two are one place for pip, which takes the second where it is there.
      user: [
        ...below(home, ".pip"),
        ...below(home, ".config", "pip"),
        ...below(home, ...support),
      ],
      ...rest,
    };
  }
  const shared = env("XDG_CONFIG_DIRS") || `${root.replace(/\/$/, "")}/etc/xdg`;
  const configuration = env("XDG_CONFIG_HOME");
  return {
    global: [
      ...shared.split(":").flatMap((folder) => below(folder, "pip")),
      ...below(root, "etc"),
    ],
    user: [
      ...below(home, ".pip"),
      ...(configuration ? below(configuration, "pip") : below(home, ".config", "pip")),
    ],
    ...rest,
  };
}

/**
 * What pip would use for `pip install`: of the files, the section `install` before `global`, and a
 * later file before an earlier one; variables before files.
 *
 * @param files in the order in which pip reads them.
 */
export function pipSettings(files: readonly PipFile[], env: Context["env"]): PipSettings {
  const found: Partial<Record<PipOption, Setting>> = {};
  for (const section of ["global", "install"]) {
    for (const { path, text } of files) {
      for (const { name, value } of optionsIn(text, section)) {
        const option = optionNamed(name);
        if (option && value) found[option] = { value, source: path };
      }
    }
  }
  for (const name of [...Object.keys(ALIASES), ...PIP_OPTIONS]) {
    const variable = pipVariable(name);
    const value = oneLine(env(variable) ?? "");
    const option = optionNamed(name);
    if (option && value) found[option] = { value, source: variable };
  }
  for (const [option, variables] of Object.entries(UV_VARIABLES)) {
    for (const variable of variables) {
      // uv takes `name=address`, too.
      const value = oneLine((env(variable) ?? "").replaceAll(/(^|\s)[\w-]+=(?=https?:)/g, "$1"));
      if (value) found[option as PipOption] ??= { value, source: variable };
    }
  }
  return found;
}

export function pipVariable(option: string): string {
  return `PIP_${option.toUpperCase().replaceAll("-", "_")}`;
}

function optionNamed(name: string): PipOption | undefined {
  const normal = name.toLowerCase().replaceAll("_", "-").replace(/^--/, "");
  return ALIASES[normal] ?? PIP_OPTIONS.find((option) => option === normal);
}

/** The options of a section, as Python's `RawConfigParser` reads them. */
function optionsIn(text: string, section: string): { name: string; value: string }[] {
  const options: { name: string; value: string }[] = [];
  let current = "";
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line);
    if (header) {
      current = header[1]!;
      continue;
    }
    if (current !== section) continue;
    const last = options.at(-1);
    if (/^\s/.test(line) && last) {
      // The next line of a value.
      last.value = oneLine(`${last.value} ${line}`);
      continue;
    }
    const [, name, value] = /^\s*([^=:]+?)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) options.push({ name, value: oneLine(value!) });
  }
  return options;
}

/** pip splits lists at any white space. */
function oneLine(value: string): string {
  return value.trim().replaceAll(/\s+/g, " ");
}

/** A word of a `.netrc`, quoted or not. */
const WORD = /"(?:[^"\\]|\\.)*"|\S+/g;

/** The entries of a `.netrc` for some hosts. Others, `default` and macros are none of pip's business. */
export function netrcFor(text: string, hosts: readonly string[]): string {
  let kept = "";
  // A macro goes on to the next blank line.
  const words = text.replaceAll(/^\s*macdef\b[\s\S]*?(\n\s*\n|$(?![\s\S]))/gm, "\n")
    .replaceAll(/^\s*#.*$/gm, "").match(WORD) ?? [];
  let isWanted = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === "machine") {
      const host = words[++index] ?? "";
      isWanted = hosts.includes(host);
      if (isWanted) kept += `machine ${host}\n`;
    } else if (word === "default") {
      isWanted = false;
    } else if (/^(login|user|account|password)$/.test(word)) {
      const value = words[++index];
      if (isWanted && value !== undefined) kept += `  ${word} ${value}\n`;
    }
  }
  return kept;
}

/** The entries of the user's `.netrc` for the hosts of pip's indexes; undefined where there are none. */
export async function netrcOfIndexes(
  pip: PipSettings,
  env: Context["env"],
): Promise<{ readonly text: string; readonly path: string } | undefined> {
  const hosts = [pip["index-url"], pip["extra-index-url"], pip["find-links"]]
    .flatMap((setting) => setting?.value.split(" ") ?? [])
    .filter((address) => address.includes("://") && !holdsLogin(address))
    .flatMap(hostsOf);
  if (hosts.length === 0) return undefined;
  const home = env("HOME") || env("USERPROFILE");
  const named = env("NETRC");
  const paths = named ? [named] : home ? [join(home, ".netrc"), join(home, "_netrc")] : [];
  for (const path of paths) {
    const content = await readTextFile(path, LARGEST_TEXT).catch(() => undefined);
    if (content === undefined) continue;
    const text = netrcFor(content, hosts);
    return text === "" ? undefined : { text, path };
  }
  return undefined;
}
