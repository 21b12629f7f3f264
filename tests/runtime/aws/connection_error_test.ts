import { assertEquals } from "@std/assert";
import { connectionError, type ConnectionFailure } from "../../../runtime/aws/connection_error.ts";
import { it, suite } from "../../helpers/suite.ts";

/** As Deno 2.6 and 2.9 say it on Linux; the numbers of macOS and Windows. */
const WORDS: readonly (readonly [words: string, ConnectionFailure, code: string | undefined])[] = [
  [
    "client error (Connect): dns error: failed to lookup address information: Name or service not known",
    "no such host",
    "ENOTFOUND",
  ],
  [
    "client error (Connect): tcp connect error: Connection refused (os error 111)",
    "refused",
    "ECONNREFUSED",
  ],
  ["client error (Connect): tcp connect error: (os error 61)", "refused", "ECONNREFUSED"],
  ["client error (Connect): tcp connect error: (os error 10061)", "refused", "ECONNREFUSED"],
  ["client error (Connect): tcp connect error: (os error 113)", "no route", "EHOSTUNREACH"],
  ["client error (Connect): tcp connect error: (os error 101)", "no route", "EHOSTUNREACH"],
  ["client error (Connect): tcp connect error: (os error 110)", "time limit", "ETIMEDOUT"],
  ["Connection reset by peer (os error 104)", "broken off", "ECONNRESET"],
  [
    "client error (SendRequest): connection error: Connection reset by peer (os error 104)",
    "broken off",
    "ECONNRESET",
  ],
  [
    "client error (SendRequest): connection closed before message completed",
    "broken off",
    "ECONNRESET",
  ],
  ["error reading a body from connection", "broken off", "ECONNRESET"],
  [
    "client error (Connect): invalid peer certificate: UnknownIssuer",
    "certificate not trusted",
    undefined,
  ],
  [
    "client error (Connect): invalid peer certificate: certificate expired: verification time 1 (UNIX)",
    "certificate expired",
    undefined,
  ],
  ["client error (Connect): invalid peer certificate: Expired", "certificate expired", undefined],
  [
    'client error (Connect): invalid peer certificate: certificate not valid for name "localhost"',
    "certificate of another name",
    undefined,
  ],
  [
    "client error (Connect): invalid peer certificate: certificate not valid yet: verification time",
    "certificate not valid yet",
    undefined,
  ],
  [
    "client error (Connect): received corrupt message of type InvalidContentType",
    "no encryption",
    undefined,
  ],
  [
    "client error (Connect): proxy authentication required",
    "proxy wants a password",
    undefined,
  ],
  ["client error (Connect): unsuccessful tunnel", "proxy refuses", undefined],
  ["client error (Connect): Proxy server unreachable", "proxy refuses", undefined],
  ["something new", "other", undefined],
];

suite("connectionError", () => {
  const start = "error sending request for url (http://h.test/): ";

  for (const [words, failure, code] of WORDS) {
    it(`knows ${failure}: ${words}`, () => {
      for (
        const thrown of [
          new TypeError(start + words),
          new TypeError("fetch failed", { cause: new Error(start + words) }),
        ]
      ) {
        const error = connectionError(thrown, "h.test");
        assertEquals([error.failure, error.code, error.host], [failure, code, "h.test"]);
        assertEquals(error.cause, thrown);
      }
    });
  }

  it("leaves out the addresses", () => {
    const cause = new Error(`${start}client error (Connect): tcp connect error: (os error 111)`);
    const error = connectionError(new TypeError("fetch failed", { cause }), "h.test");
    assertEquals(error.message, "tcp connect error: (os error 111)");
  });
});
