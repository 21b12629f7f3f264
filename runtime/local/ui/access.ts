/**
 * Who may call the page's server. Any web page that is open on this machine can send requests to its
 * ports; so can other users of it. The rules for Host and Origin are those of a server in a container
 * (`mlcli_harness/serving/callers.py`); besides, the API wants the token.
 */

/** In the address's fragment, which no browser sends to a server, or as a referrer. */
export function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** In a time that says nothing of where they differ. */
export function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let at = 0; at < token.length; at++) {
    difference |= given.charCodeAt(at) ^ token.charCodeAt(at);
  }
  return difference === 0;
}

/**
 * Why a request is refused; `undefined` where it is not.
 *
 * @param host what the header says; `null`: it was not sent, so no browser is asking.
 * @param names of the server, besides localhost and addresses.
 */
export function objection(
  host: string | null,
  origin: string | null,
  names: readonly string[],
): string | undefined {
  const isOwn = (name: string): boolean =>
    name === "localhost" || name.endsWith(".localhost") ||
    names.some((one) => one.toLowerCase() === name);
  const called = host === null ? undefined : hostOf(host);
  if (host !== null && !(called !== undefined && (isOwn(called) || isAddress(called)))) {
    const hint = called === undefined ? "Open the address that mlcli printed." : letsIn(called);
    return `Refused: the host "${host}" is unknown. ${hint}`;
  }
  if (origin === null) return undefined;
  const page = hostOf(/^https?:\/\/(.*)$/.exec(origin)?.[1] ?? "");
  if (page !== undefined && (page === called || isOwn(page) || isThisMachine(page))) {
    return undefined;
  }
  // Without a host, the page is a file, or a frame that hides its origin, which any page can make.
  const hint = page === undefined ? "Open the address that mlcli printed." : letsIn(page);
  return `Refused: web pages of the origin "${origin}" are not allowed. ${hint}`;
}

function letsIn(name: string): string {
  return `To allow it: mlcli local ui --allow-host ${name}`;
}

/** The host as browsers spell it, without port and final dot; `undefined` where it is not valid. */
function hostOf(authority: string): string | undefined {
  const url = `http://${authority}`;
  if (!/^[\w.:[\]-]+$/.test(authority) || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/, "");
}

/** (Browsers take no name whose last part is a number.) */
function isAddress(host: string): boolean {
  return host.startsWith("[") || /\.\d+$/.test(host);
}

/** Only these addresses are this machine's own; any other may be a web page's. */
function isThisMachine(host: string): boolean {
  return isAddress(host) && /^(127\.|0\.0\.0\.0$|\[::1?\]$)/.test(host);
}
