/**
 * The proxy between this machine and SageMaker. Deno's fetch reads the variables by itself, but
 * says nothing when a value is not the address of a proxy. This module does.
 *
 * @module
 */

import { AwsError } from "./errors.ts";

type Environment = (name: string) => string | undefined;

/** The variables that Deno's fetch reads. Of two spellings, capital letters count first. */
const PROXIES = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
] as const;

/** The schemes that Deno's fetch knows. It uses no proxy when an address has another one. */
const SCHEME = /^(https?|socks5h?):\/\//i;

/**
 * Checks the addresses that the environment names.
 * @throws AwsError when one is not valid; its value is not shown, since a password may be in it.
 */
export function checkProxies(env: Environment): void {
  for (const name of PROXIES) {
    const value = env(name);
    if (!value || proxyAddress(value)) continue;
    throw new AwsError("unreachable", `${name} is not the address of a proxy`, {
      hint: "It should be like http://proxy:3128.",
    });
  }
}

/** Whether the environment names a proxy for anything. */
export function namesProxy(env: Environment): boolean {
  return PROXIES.some((name) => env(name));
}

/** A name and a password for a proxy. */
export interface ProxyLogin {
  readonly name: string;
  readonly password: string;
}

/** The names and passwords in the addresses of proxies: these must not be printed. */
export function proxyLogins(env: Environment): readonly ProxyLogin[] {
  return PROXIES.flatMap((variable) => {
    const address = proxyAddress(env(variable) ?? "");
    if (!address?.password) return [];
    return [{ name: decoded(address.username), password: decoded(address.password) }];
  });
}

function proxyAddress(value: string): URL | undefined {
  // Other programs accept `proxy:3128`, too.
  const address = value.includes("://") ? value : `http://${value}`;
  if (!SCHEME.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.hostname ? url : undefined;
}

/** A `%` in a password may also stand for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
