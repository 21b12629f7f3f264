/**
 * The proxy between this machine and the platform.
 *
 * @module
 */

import { PlatformError } from "./errors.ts";

/** As `aws`, `curl` and others read them: small letters come first. */
const PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const;
const EXCEPTIONS = ["no_proxy", "NO_PROXY"] as const;

/** What the SDK's connections need to know; agents of Node before Deno 2.9 ignore it. */
export interface ProxyOptions {
  readonly proxyEnv: Record<string, string>;
}

/**
 * The proxies that the environment names, and the hosts to ask without them.
 * @throws PlatformError when an address is none; it is not shown, since a password may be in it.
 */
export function proxyOptions(env: (name: string) => string | undefined): ProxyOptions {
  const proxyEnv: Record<string, string> = {};
  for (const name of PROXIES) {
    const value = env(name);
    if (value) proxyEnv[name] = proxyAddress(name, value);
  }
  for (const name of EXCEPTIONS) {
    const value = env(name);
    if (value) proxyEnv[name] = value;
  }
  return { proxyEnv };
}

function proxyAddress(name: string, value: string): string {
  // The others take `proxy:3128`, too.
  const address = value.includes("://") ? value : `http://${value}`;
  if (/^https?:/i.test(address) && URL.canParse(address)) return address;
  throw new PlatformError("unreachable", `${name} is not the address of a proxy`, {
    hint: `It should be like http://proxy:3128.`,
  });
}
