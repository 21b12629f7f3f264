import { assertEquals } from "@std/assert";
import {
  canonicalRequest,
  decoded,
  encoded,
  parseAuthorization,
  sha256,
  signatureOf,
} from "../helpers/sigv4.ts";
import { it, suite } from "../helpers/suite.ts";

/** The key of AWS's examples ('Signature calculations for the Authorization header', S3 API). */
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/** What each example asks for, and the signature that AWS prints. */
const EXAMPLES: readonly (readonly [
  method: string,
  target: string,
  headers: Record<string, string>,
  body: string,
  signature: string,
])[] = [
  [
    ...["GET", "/test.txt"] as const,
    { range: "bytes=0-9" },
    ...["", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"] as const,
  ],
  [
    // Signed as `%24`, once.
    ...["PUT", "/test$file.text"] as const,
    { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    ...[
      "Welcome to Amazon S3.",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ] as const,
  ],
  [
    ...["GET", "/?lifecycle"] as const,
    {},
    ...["", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"] as const,
  ],
  [
    ...["GET", "/?prefix=J&max-keys=2"] as const,
    {},
    ...["", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"] as const,
  ],
];

suite("signatures", () => {
  for (const [method, target, more, body, signature] of EXAMPLES) {
    it(`are AWS's own for ${method} ${target}`, () => {
      const headers = new Headers({
        host: "examplebucket.s3.amazonaws.com",
        "x-amz-content-sha256": sha256(body),
        "x-amz-date": "20130524T000000Z",
        ...more,
      });
      const authorization = {
        ...{ accessKeyId: "AKIAIOSFODNN7EXAMPLE", date: "20130524", signature: "" },
        ...{ region: "us-east-1", service: "s3", signedHeaders: [...headers.keys()].sort() },
      };
      assertEquals(
        signatureOf(authorization, SECRET, { method, target, headers, body }),
        signature,
      );
    });
  }

  it("are of an encoded path twice where the service is not S3", () => {
    const headers = new Headers({ host: "h" });
    const path = (service: string, target: string): string => {
      const request = { method: "GET", target, headers, body: "" };
      return canonicalRequest({ service, signedHeaders: ["host"] }, request).split("\n")[1]!;
    };
    assertEquals(path("s3", "/a%20b+c/"), "/a%20b%2Bc/");
    assertEquals(path("logs", "/a%20b+c/"), "/a%2520b%252Bc/");
  });

  it("come in a header", () => {
    const headers = new Headers({
      authorization: "AWS4-HMAC-SHA256 Credential=AKID/20260301/eu-west-1/sts/aws4_request," +
        `SignedHeaders=host;x-amz-date,Signature=${"0".repeat(64)}`,
    });
    assertEquals(parseAuthorization(headers), {
      ...{ accessKeyId: "AKID", date: "20260301", region: "eu-west-1", service: "sts" },
      ...{ signedHeaders: ["host", "x-amz-date"], signature: "0".repeat(64) },
    });
    assertEquals(parseAuthorization(new Headers()), undefined);
    assertEquals(parseAuthorization(new Headers({ authorization: "Basic eA==" })), undefined);
  });
});

suite("addresses", () => {
  const table = [
    ["a/b c", "/", "a/b%20c"],
    ["a/b", "", "a%2Fb"],
    ["-._~!'()*", "", "-._~%21%27%28%29%2A"],
    ["ü💥+&", "", "%C3%BC%F0%9F%92%A5%2B%26"],
  ] as const;
  for (const [text, kept, expected] of table) {
    it(`${text} is ${expected}`, () => {
      assertEquals(encoded(text, kept), expected);
      assertEquals(decoded(expected), text);
    });
  }

  it("with a broken escape stay as they are", () => {
    assertEquals(decoded("100%"), "100%");
  });
});
