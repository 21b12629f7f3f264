/**
 * Addresses of package indexes and proxies.
 *
 * @module
 */

/** The part of an address with a name or a password before its host. */
const LOGIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#\s]*)@/i;

/** Whether one of the addresses, apart by white space, holds a name, a token or a password. */
export function holdsLogin(addresses: string): boolean {
  return addresses.split(/\s+/).some((address) => LOGIN.test(address));
}

/** The passwords in addresses, as they stand there; of a name alone, which is a token, the name. */
export function passwordsOf(addresses: string): readonly string[] {
  return addresses.split(/\s+/).flatMap((address) => {
    const login = LOGIN.exec(address)?.[1];
    return login ? [login.slice(login.indexOf(":") + 1)] : [];
  });
}

/** The hosts of addresses, apart by white space, without ports. */
export function hostsOf(addresses: string): readonly string[] {
  return addresses.split(/\s+/).flatMap((address) => {
    const url = URL.parse(address.includes("://") ? address : `http://${address}`);
    return url?.hostname ? [url.hostname] : [];
  });
}

/** Whether a host is this machine, which a container has another one of. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(host);
}
