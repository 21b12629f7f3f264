/**
 * Addresses of package indexes and proxies, and the proxies of this machine. They are in environment
 * variables, or else in docker's configuration file (`proxies`, docs.docker.com/engine/cli/proxy).
 */

import type { Context } from "../../context.ts";
import { percentDecoded } from "../../text.ts";
import { dockerProxies, eitherCase, isException } from "../../docker/proxies.ts";

/** A value, and who set it: `PIP_INDEX_URL`, `/etc/pip.conf`. */
export interface Setting {
  readonly value: string;
  readonly source: string;
}

/** The part of an address with a name or a password before its host. */
const LOGIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#\s]*)@/i;

/** Whether one of the addresses, apart by white space, holds a name, a token or a password. */
export function holdsLogin(addresses: string): boolean {
  return addresses.split(/\s+/).some((address) => LOGIN.test(address));
}

/** The passwords in addresses, as written. A name without a password is a token, and counts as one. */
export function passwordsOf(addresses: string): readonly string[] {
  return addresses.split(/\s+/).flatMap((address) => {
    const login = LOGIN.exec(address)?.[1];
    return login ? [login.slice(login.indexOf(":") + 1)] : [];
  });
}

/** Shorter passwords are not hidden: they would be found in ordinary words. */
const SHORTEST = 4;

/** Returns text in which `[secret]` replaces passwords, encoded for an address or plain. */
export function withoutPasswords(text: string, passwords: readonly string[]): string {
  return passwords.flatMap((password) => [password, percentDecoded(password)])
    .filter(({ length }) => length >= SHORTEST)
    .reduce((text, password) => text.replaceAll(password, "[secret]"), text);
}

/** The hosts of addresses, apart by white space, without ports. */
export function hostsOf(addresses: string): readonly string[] {
  return addresses.split(/\s+/).flatMap((address) => {
    const url = URL.parse(address.includes("://") ? address : `http://${address}`);
    return url?.hostname ? [url.hostname] : [];
  });
}

/** Whether a host is the machine itself: in a container, that is the container. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host);
}

/** What to do about a proxy on this machine. */
export const REACHABLE_PROXY =
  "Configure the proxy to listen on an address that containers can reach (usually 172.17.0.1, the " +
  "engine's bridge), and use that address";

/** A proxy, and the variable that programs read it from. */
export interface Proxy extends Setting {
  readonly name: string;
}

/** Some programs read the upper-case name, others the lower-case one. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap(eitherCase);
const NO_PROXY_VARIABLES = eitherCase("NO_PROXY");

interface Proxies {
  readonly proxies: readonly Proxy[];
  readonly exceptions: readonly Proxy[];
}

/** Docker's file counts only where no variable names a proxy. */
export function proxiesOf(env: Context["env"]): Proxies {
  const variables = {
    proxies: named(PROXY_VARIABLES, env),
    exceptions: named(NO_PROXY_VARIABLES, env),
  };
  return variables.proxies.length > 0 ? variables : proxiesOfDocker(env);
}

function named(names: readonly string[], env: Context["env"]): readonly Proxy[] {
  return names.map((name) => ({ name, value: env(name)?.trim() ?? "", source: name }))
    .filter(({ value }) => value !== "");
}

function proxiesOfDocker(env: Context["env"]): Proxies {
  const { source, variables } = dockerProxies(env);
  const all = Object.entries(variables).map(([name, value]) => ({ name, value, source }));
  return {
    proxies: all.filter(({ name }) => !isException(name)),
    exceptions: all.filter(({ name }) => isException(name)),
  };
}
