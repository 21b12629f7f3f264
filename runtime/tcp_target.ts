/**
 * Where a URL's host listens.
 *
 * @module
 */

/** What `Deno.connect` takes: in a URL, an IPv6 address stands in brackets, and a port may be left out. */
export function tcpTarget(
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
): { readonly hostname: string; readonly port: number } {
  return {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
