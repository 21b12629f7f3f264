import { assertEquals } from "@std/assert";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { leaveContentUnsigned } from "../../../runtime/aws/s3.ts";
import { it, suite } from "../../helpers/suite.ts";

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
