import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openAws } from "../../../runtime/aws/aws.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { leaveContentUnsigned, type S3 } from "../../../runtime/aws/s3.ts";
import type { AwsSettings } from "../../../runtime/aws/settings.ts";
import { environmentOf, USER_KEY } from "../../helpers/box/account.ts";
import { rawServer, say } from "../../helpers/raw_server.ts";
import { typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

const { signal } = new AbortController();
const SETTINGS: AwsSettings = {
  region: typed("eu-west-1", "a test"),
  profile: undefined,
  keys: "used",
  role: undefined,
};
const LEFT = { earlier: () => {}, unknown: () => {}, notAborted: () => {} };

/** All requests that name a key in their path. */
const REQUESTS: Readonly<Record<string, (s3: S3, key: string) => Promise<unknown>>> = {
  HEAD: (s3, key) => s3.describeObject({ bucket: "bucket", key }),
  GET: (s3, key) => s3.getBytes({ bucket: "bucket", key }, '"1"', 0, 1),
  PUT: (s3, key) => s3.putObject({ bucket: "bucket", key }, new Uint8Array(1)),
  POST: (s3, key) => s3.createUpload({ bucket: "bucket", key }, signal, LEFT),
  "PUT of a part": (s3, key) =>
    s3.uploadPart({ bucket: "bucket", key, id: "1" }, 1, new Uint8Array(1)),
  "POST of parts": (s3, key) => s3.completeUpload({ bucket: "bucket", key, id: "1" }, [], 0),
  "DELETE of parts": (s3, key) => s3.abortUpload({ bucket: "bucket", key, id: "1" }, signal),
};

/** Sends a request to a server that refuses all; returns the paths with a key that it saw. */
async function sent(request: (s3: S3) => Promise<unknown>): Promise<readonly string[]> {
  await using server = rawServer((connection) =>
    say(connection, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
  );
  const env = {
    ...environmentOf(`http://127.0.0.1:${server.port}`, USER_KEY),
    AWS_MAX_ATTEMPTS: "1",
  };
  const aws = await openAws(SETTINGS, {
    env: (name) => env[name as keyof typeof env],
    signal,
  });
  try {
    await request(await aws.s3());
  } finally {
    aws.close();
  }
  return server.calls.map((call) => call.split(" ")[1]!).filter((path) =>
    !/^\/bucket\/?$/.test(path)
  );
}

suite("a key arrives as it is, in", () => {
  for (const [what, request] of Object.entries(REQUESTS)) {
    it(what, async () => {
      const keys = [
        "p//x",
        "/x",
        "p/",
        "p/\x01\n\x7f",
        "p/..x/.y.",
        "p/%2e%2e/x",
        "a\\..\\b",
        "ü?#&=+ '",
      ];
      for (const key of keys) {
        const paths = await sent((s3) => request(s3, key).catch(() => {}));
        const escaped = encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("'", "%27");
        assert(paths.length > 0);
        assertEquals(new Set(paths), new Set([`/bucket/${escaped}`]));
      }
    });
  }
});

suite("a key that would lead elsewhere is refused by its name, in", () => {
  for (const [what, request] of Object.entries(REQUESTS)) {
    it(what, async () => {
      for (const key of ["p/\x01/../../other/precious", "p/./x", "../x", "p/..", "."]) {
        const paths = await sent(async (s3) => {
          const error = await assertRejects(() => request(s3, key), AwsError);
          assert(error.message.includes(key), error.message);
        });
        assertEquals(paths, []);
      }
    });
  }
});

/** SHA-256 of `1`. */
const HASH = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";

/** What the signature of a small object at this address says of the content. */
async function signed(endpoint: string, checksums: "WHEN_SUPPORTED" | "WHEN_REQUIRED") {
  const seen: Record<string, string>[] = [];
  const client = new S3Client({
    region: "eu-west-1",
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    requestChecksumCalculation: checksums,
    requestHandler: {
      handle(request: { readonly headers: Record<string, string> }) {
        seen.push(request.headers);
        const response = { statusCode: 200, headers: {}, body: new Uint8Array() };
        return Promise.resolve({ response });
      },
      updateHttpClientConfig() {},
      httpHandlerConfigs: () => ({}),
    },
  });
  leaveContentUnsigned(client);
  const body = new TextEncoder().encode("1");
  await client.send(new PutObjectCommand({ Bucket: "b", Key: "k", Body: body }));
  return seen.map((headers) => headers["x-amz-content-sha256"]);
}

suite("the content of an object is", () => {
  for (
    const [endpoint, checksums, expected] of [
      ["https://s3.eu-west-1.amazonaws.com", "WHEN_SUPPORTED", "UNSIGNED-PAYLOAD"],
      ["http://127.0.0.1:9000", "WHEN_SUPPORTED", "UNSIGNED-PAYLOAD"],
      ["http://localhost:9000", "WHEN_SUPPORTED", "UNSIGNED-PAYLOAD"],
      ["http://emulator:9000", "WHEN_SUPPORTED", HASH],
      ["http://127.example.com", "WHEN_SUPPORTED", HASH],
      ["https://s3.eu-west-1.amazonaws.com", "WHEN_REQUIRED", HASH],
    ] as const
  ) {
    const words = expected === HASH ? "signed" : "not signed";
    it(`${words}: ${endpoint}, checksums ${checksums.toLowerCase()}`, async () => {
      assertEquals(await signed(endpoint, checksums), [expected]);
    });
  }
});
