/**
 * The proxies of docker's configuration file, which containers get by the rules of `docker run`
 * (docs.docker.com/engine/cli/proxy; docker/cli, ParseProxyConfig in cli/config/configfile).
 */

import { join } from "@std/path/join";
import type { Variables } from "../contract/variables.ts";
import { configFolder, field, readJson, type SearchEnvironment } from "./locate.ts";

/** Keys of docker's file, and the variables of the same meaning. */
const KEYS = {
  httpProxy: "HTTP_PROXY",
  httpsProxy: "HTTPS_PROXY",
  ftpProxy: "FTP_PROXY",
  allProxy: "ALL_PROXY",
  noProxy: "NO_PROXY",
} as const;

/** Names of the container and of this machine, which a proxy cannot reach. */
const LOCAL_NAMES = ["localhost", "127.0.0.1", "host.docker.internal"];

export interface DockerProxies {
  /** Path of docker's configuration file. */
  readonly source: string;
  /** In upper and in lower case, because programs read one or the other. */
  readonly variables: Variables;
  /** Whether the file has addresses directly in `proxies`, where docker does not look for them. */
  readonly isMisplaced: boolean;
  /** Whether the file may have others for another engine. */
  readonly dependOnEngine: boolean;
}

/**
 * Reads the proxies for an engine, and ignores values that are not text. A file that is not JSON counts
 * as empty, because the search for the engine reports it.
 *
 * @param address of the engine; the file may have proxies of its own for it, in place of `default`.
 */
export function dockerProxies(env: SearchEnvironment["env"], address = "default"): DockerProxies {
  const source = join(configFolder(env), "config.json");
  const proxies = field(contentOf(source), "proxies");
  const settings = field(proxies, address) ?? field(proxies, "default");
  const variables = Object.entries(KEYS).flatMap(([key, name]) => {
    const value = textOf(settings, key);
    return value === "" ? [] : eitherCase(name).map((spelling) => [spelling, value] as const);
  });
  return {
    source,
    variables: Object.fromEntries(variables),
    isMisplaced: Object.keys(KEYS).some((key) => textOf(proxies, key) !== ""),
    dependOnEngine: Object.keys(proxies ?? {}).some((key) => key !== "default"),
  };
}

/**
 * Returns the proxies that the user's variables do not replace. A variable replaces both spellings of
 * its name, so that no program in the container finds another value. `NO_PROXY` is always included,
 * perhaps empty, because `withoutProxy` completes its value.
 */
export function proxiesBeside(found: Variables, variables: Variables): Variables {
  if (Object.keys(found).length === 0) return {};
  const all = { NO_PROXY: "", no_proxy: "", ...found };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !isSet(name, variables)));
}

/**
 * Completes `NO_PROXY` with local names and hosts.
 *
 * @param ofRole other variables of the container, such as pip's. They override proxies, and their
 *   `NO_PROXY` is completed in place of docker's.
 */
export function withoutProxy(
  proxies: Variables,
  ofRole: Variables,
  hosts: readonly string[],
): Variables {
  const others = Object.entries(proxies).filter(([name]) => !isSet(name, ofRole));
  const exceptions = Object.entries(proxies).filter(([name]) => isException(name))
    .map(([name, value]) => {
      const given = eitherCase("NO_PROXY").map((spelling) => ofRole[spelling]).find(Boolean);
      return [name, withNames(given ?? value, [...LOCAL_NAMES, ...hosts])] as const;
    });
  return Object.fromEntries([...others, ...exceptions]);
}

/** Programs understand `*`, for all hosts, only if it stands alone. */
function withNames(exceptions: string, names: readonly string[]): string {
  const known = exceptions.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return known.includes("*") ? "*" : [...new Set([...known, ...names])].join(",");
}

export function isException(name: string): boolean {
  return name.toUpperCase() === "NO_PROXY";
}

function isSet(name: string, variables: Variables): boolean {
  return eitherCase(name).some((spelling) => Object.hasOwn(variables, spelling));
}

function textOf(settings: unknown, key: string): string {
  const value = field(settings, key);
  // The engine refuses a variable with a null character, and its message has the whole value.
  return typeof value === "string" && !value.includes("\0") ? value.trim() : "";
}

function contentOf(path: string): unknown {
  try {
    return readJson(path);
  } catch {
    return undefined;
  }
}

export function eitherCase(name: string): readonly string[] {
  return [name.toUpperCase(), name.toLowerCase()];
}
