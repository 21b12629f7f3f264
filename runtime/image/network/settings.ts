/** How this machine reaches package indexes, for pip in a build. */

import type { App } from "../../app/app.ts";
import type { Context } from "../../context.ts";
import { fileErrorReason, isMissing } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import { holdsLogin, hostsOf, isLoopback, proxiesOf, REACHABLE_PROXY } from "./addresses.ts";
import { findCertificates } from "./certificates.ts";
import {
  netrcOfIndexes,
  type PipFile,
  pipFilePaths,
  type PipOption,
  type PipSettings,
  pipSettings,
  pipVariable,
} from "./pip_settings.ts";

export interface NetworkSettings {
  /** Variables for pip, and for the programs that it starts. */
  readonly variables: Readonly<Record<string, string>>;
  /** As PEM, trusted in addition to those of the base image; empty: none. */
  readonly certificates: string;
  readonly netrc: string;
  /** The variables and files that they come from, for messages: `PIP_INDEX_URL`, `/etc/pip.conf`. */
  readonly sources: readonly string[];
  /** Sources with a user name, a token or a password. */
  readonly secret: readonly string[];
  /** Of settings that do not work in a container. */
  readonly warnings: readonly Message[];
}

/** Options of pip that a build gets as they are. */
const PASSED_ON = [
  "index-url",
  "extra-index-url",
  "trusted-host",
] as const satisfies readonly PipOption[];

/** Optional settings: pip works without them, so they alone cause no warning. */
const TIME_LIMITS = ["timeout", "retries"] as const satisfies readonly PipOption[];

class FoundSettings {
  readonly variables: Record<string, string> = {};
  readonly sources = new Set<string>();
  readonly secret = new Set<string>();
  readonly warnings: Message[] = [];

  add(variable: string, value: string, source: string): void {
    this.variables[variable] = value;
    this.sources.add(source);
    if (holdsLogin(value)) this.secret.add(source);
  }
}

/**
 * Finds the settings. A problem of this machine's settings is a warning, because the build might not need
 * them.
 *
 * @throws MlcliError if the app's own `certificate_file` does not exist, or is outside the repository.
 */
export async function networkSettings(
  app: App,
  host: Pick<Context, "env" | "system">,
): Promise<NetworkSettings> {
  const found = new FoundSettings();
  const pip = pipSettings(await pipFiles(host, found), host.env);
  addIndexes(pip, found);
  addProxies(pip, host.env, found);
  const { pem, source, unusable } = await findCertificates(app, pip.cert, host);
  if (pem !== "") found.sources.add(source);
  if (unusable) {
    const { path, error } = unusable;
    found.warnings.push(unreadable(path, `set by ${pip.cert?.source}`, error));
  }
  const logins = await netrcOfIndexes(pip, host.env);
  if (logins) {
    found.sources.add(logins.path);
    found.secret.add(logins.path);
  }
  return {
    variables: found.variables,
    certificates: pem,
    netrc: logins?.text ?? "",
    sources: [...found.sources],
    secret: [...found.secret],
    warnings: found.warnings,
  };
}

async function pipFiles(
  { env, system }: Pick<Context, "env" | "system">,
  found: FoundSettings,
): Promise<readonly PipFile[]> {
  const { global, user, site, own } = pipFilePaths(env, system);
  const read = async (paths: readonly string[]): Promise<readonly PipFile[]> => {
    const files = await Promise.all(paths.map(async (path) => {
      try {
        return [{ path, text: await readTextFile(path, LARGEST_TEXT) }];
      } catch (error) {
        if (!isMissing(error)) found.warnings.push(unreadable(path, "pip reads it", error));
        return [];
      }
    }));
    return files.flat();
  };
  const named = await read(own);
  return [
    ...await read(global),
    ...(named.length > 0 ? [] : await read(user)),
    ...await read(site),
    ...named,
  ];
}

function addIndexes(pip: PipSettings, found: FoundSettings): void {
  for (const option of PASSED_ON) {
    const setting = pip[option];
    if (setting) found.add(pipVariable(option), setting.value, setting.source);
  }
  for (const option of TIME_LIMITS) {
    const setting = pip[option];
    if (setting) found.variables[pipVariable(option)] = setting.value;
  }
  // A build does not have the directories of this machine.
  const links = pip["find-links"];
  const addresses = (links?.value ?? "").split(" ").filter((link) => /^https?:/i.test(link));
  if (links && addresses.length > 0) {
    found.add("PIP_FIND_LINKS", addresses.join(" "), links.source);
    const noIndex = pip["no-index"];
    if (noIndex) found.add("PIP_NO_INDEX", noIndex.value, noIndex.source);
  }
  for (const option of ["index-url", "extra-index-url"] as const) {
    const setting = pip[option];
    const host = setting && hostsOf(setting.value).find(isLoopback);
    if (host === undefined) continue;
    found.warnings.push(warning(
      `The build container cannot reach the package index on this machine, ${host} ` +
        `(${option} from ${setting?.source})`,
      "Serve the index at an address that containers can reach, and use that address",
    ));
  }
}

function addProxies(pip: PipSettings, env: Context["env"], found: FoundSettings): void {
  const machine = proxiesOf(env);
  const proxies = pip.proxy
    ? [...machine.proxies, { name: "PIP_PROXY", ...pip.proxy }]
    : machine.proxies;
  const here = proxies.filter(({ value }) => hostsOf(value).some(isLoopback));
  const reachable = proxies.filter((proxy) => !here.includes(proxy));
  const exceptions = reachable.length > 0 ? machine.exceptions : [];
  for (const { name, value, source } of [...reachable, ...exceptions]) {
    found.add(name, value, source);
  }
  const [first] = here;
  if (first === undefined) return;
  found.warnings.push(warning(
    `The build container cannot reach the proxy on this machine, ${hostsOf(first.value)[0]} ` +
      `(from ${first.source}), so pip does not use it`,
    REACHABLE_PROXY,
  ));
}

function unreadable(path: string, why: string, error: unknown): Message {
  return warning(
    `Cannot use ${path}, so the build ignores it: ${fileErrorReason(error)}`,
    `Fix the file if the build needs it (${why})`,
  );
}
