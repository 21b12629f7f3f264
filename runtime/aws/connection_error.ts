import { messageOf } from "../errors.ts";

export type ConnectionFailure =
  /** The host's name leads nowhere. */
  | "no such host"
  | "refused"
  | "no route"
  /** The other side closed the connection before the answer was whole. */
  | "broken off"
  | "time limit"
  | "certificate not trusted"
  | "certificate expired"
  | "certificate not valid yet"
  | "certificate of another name"
  /** What answers does not speak TLS, or no version of it that Deno knows. */
  | "no encryption"
  | "proxy wants a password"
  | "proxy refuses"
  | "other";

/**
 * Node's codes, by which the SDK decides to retry. Failures that are not listed would only happen again.
 */
const CODES: Partial<Record<ConnectionFailure, string>> = {
  "no such host": "ENOTFOUND",
  "refused": "ECONNREFUSED",
  "no route": "EHOSTUNREACH",
  "broken off": "ECONNRESET",
  "time limit": "ETIMEDOUT",
};

/** A request that got no whole answer. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: string | undefined;

  /** @param host the one that was asked, with its port where that is not the usual one. */
  constructor(
    readonly failure: ConnectionFailure,
    readonly host: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = CODES[failure];
  }
}

/** Numbers of errors on Linux, macOS and Windows; none of these numbers has two meanings. */
const NUMBERS: readonly (readonly [readonly number[], ConnectionFailure])[] = [
  [[111, 61, 10061], "refused"],
  [[104, 54, 10054, 10053, 32], "broken off"],
  [[101, 51, 10051, 113, 65, 10065], "no route"],
  [[110, 60, 10060], "time limit"],
];

/** Words of rustls (`certificate ...`), hyper and Deno's own proxy code, in this order. */
const WORDS: readonly (readonly [RegExp, ConnectionFailure])[] = [
  [/\(Connect\): dns error/, "no such host"],
  [
    /invalid peer certificate: (certificate not valid yet|NotValidYet)/,
    "certificate not valid yet",
  ],
  [/invalid peer certificate: (certificate expired|Expired)/, "certificate expired"],
  [
    /invalid peer certificate: (certificate not valid for name|NotValidForName)/,
    "certificate of another name",
  ],
  [/invalid peer certificate/, "certificate not trusted"],
  [
    /received corrupt message|tls handshake eof|received fatal alert|HandshakeFail/,
    "no encryption",
  ],
  [/proxy authentication required/, "proxy wants a password"],
  [/unsuccessful tunnel|eof while tunneling|headers too long for tunnel/, "proxy refuses"],
  [/Proxy server unreachable|Invalid response version|\bsocks/i, "proxy refuses"],
  [
    /connection closed before|error reading a body|unexpected (eof|end of file)|\bEOF\b/i,
    "broken off",
  ],
];

/**
 * Explains what fetch threw. It has one kind of error for everything; the reason is in the words of the
 * Rust libraries below it, in the message (Deno 2.6) or in that of the cause (2.9).
 */
export function connectionError(error: unknown, host: string): ConnectionError {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const words = [messageOf(error), cause === undefined ? "" : messageOf(cause)].join(": ");
  const number = Number(/\(os error (\d+)\)/.exec(words)?.[1]);
  const failure = NUMBERS.find(([numbers]) => numbers.includes(number))?.[1] ??
    WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "other";
  // What follows hyper's own `client error (Connect): `.
  const reason = words.replace(/^.*client error \(\w+\): /, "").replace(/: $/, "");
  return new ConnectionError(failure, host, reason, { cause: error });
}
