import { assertEquals, assertMatch } from "@std/assert";
import { crc32 } from "node:zlib";
import { ask, askS3, type S3Answered, type S3Question } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { it, suite } from "../../helpers/suite.ts";

/** CRC32 as S3 writes it. */
function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(text));
  return btoa(String.fromCharCode(...bytes));
}

/** A content framed as the SDK frames a stream. */
function chunked(chunks: readonly string[], trailer: string): string {
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `${framed.join("")}0\r\n${trailer}\r\n\r\n`;
}

const FRAMING = {
  "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
  "content-encoding": "aws-chunked",
  "x-amz-decoded-content-length": "11",
  "x-amz-trailer": "x-amz-checksum-crc32",
};

const DELETE = "<Delete><Object><Key>old</Key></Object></Delete>";

const content = (headers: Record<string, string>, body = "new"): S3Question => ({ headers, body });
const framedContent = (trailer: string) => content(FRAMING, chunked(["hello ", "world"], trailer));
const listing = (more: Record<string, string>) => ({ query: { "list-type": "2", ...more } });

/** What is asked of a bucket `data` with an object `old`, and of buckets of others; the refusal. */
const OF_S3: readonly (readonly [asked: string, question: S3Question, code: string | number])[] = [
  ["GET none/x", {}, "NoSuchBucket"],
  ["GET data/none", {}, "NoSuchKey"],
  ["GET far", listing({}), "PermanentRedirect"],
  ["HEAD far", {}, 301],
  ["HEAD other", {}, 403],
  ["PUT other/x", { body: "x" }, "AccessDenied"],
  ["HEAD data", { headers: { "x-amz-expected-bucket-owner": "111111111111" } }, 403],
  ["GET data/old", { headers: { range: "bytes=10-" } }, "InvalidRange"],
  ["GET data/old", { headers: { "if-match": '"another"' } }, "PreconditionFailed"],
  ["PUT data/old", content({ "if-none-match": "*" }), "PreconditionFailed"],
  [
    "PUT data/old",
    content({ "x-amz-content-sha256": "0".repeat(64) }),
    "XAmzContentSHA256Mismatch",
  ],
  ["PUT data/old", content({ "x-amz-checksum-crc32": checksum("other") }), "BadDigest"],
  ["PUT data/old", content({ "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" }), "BadDigest"],
  ["PUT data/old", framedContent("x-amz-checksum-crc32:AAAAAA=="), "BadDigest"],
  ["PUT data/old", framedContent(""), "MalformedTrailerError"],
  ["POST data", { query: { delete: "" }, body: DELETE }, "InvalidRequest"],
  ["GET data", listing({ "continuation-token": "%" }), "InvalidArgument"],
  ["GET data", listing({ "max-keys": "-1" }), "InvalidArgument"],
  ["GET data", listing({ "encoding-type": "x" }), "InvalidArgument"],
];

suite("the box's S3 refuses", () => {
  for (const [asked, question, code] of OF_S3) {
    const [method, path] = asked.split(" ") as [string, string];
    const more = JSON.stringify(question.query ?? question.headers ?? "").slice(0, 60);
    it(`${asked} ${more}: ${code}`, async () => {
      await using box = await Box.open();
      box.s3.createBucket("data");
      box.s3.createBucket("far", { region: "eu-central-1" });
      box.s3.createBucket("other", { owner: "999999999999" });
      await box.s3.put("data", "old", "old");
      const { error, status } = await askS3(box, method, path, question);
      assertEquals(typeof code === "string" ? error : status, code);
      assertEquals(await box.s3.text("data", "old"), "old");
      assertEquals(box.s3.keys("data"), ["old"]);
    });
  }

  it("an upload with other parts, in another order, with small ones, or of another key", async () => {
    await using box = await Box.open();
    box.s3.createBucket("data");
    box.s3.smallestPart = 4;
    const { text } = await askS3(box, "POST", "data/x", { query: { uploads: "" } });
    const uploadId = /<UploadId>([^<]+)</.exec(text)![1]!;
    const part = (number: number | string, body: string, key = "x"): Promise<S3Answered> =>
      askS3(box, "PUT", `data/${key}`, { query: { uploadId, partNumber: `${number}` }, body });
    const complete = (parts: readonly (readonly [number, string | null])[]) => {
      const named = parts.map(([number, etag]) =>
        `<Part><ETag>${etag}</ETag><PartNumber>${number}</PartNumber></Part>`
      );
      const body = `<CompleteMultipartUpload>${named.join("")}</CompleteMultipartUpload>`;
      return askS3(box, "POST", "data/x", { query: { uploadId }, body });
    };
    const etags: (string | null)[] = [];
    for (const [index, body] of ["abcd", "abcd", "abc", "abc"].entries()) {
      etags.push((await part(index + 1, body)).headers.get("etag"));
    }
    const [first = "", second = "", third = "", fourth = ""] = etags;
    const codes = [
      await part(0, "x"),
      await part(10_001, "x"),
      await part(1, "x", "y"),
      await complete([[1, first], [5, first]]),
      await complete([[1, third]]),
      await complete([[2, second], [1, first]]),
      await complete([[1, first], [1, first]]),
      await complete([[3, third], [4, fourth]]),
      await complete([]),
    ].map(({ error }) => error);
    assertEquals(codes, [
      ...["InvalidArgument", "InvalidArgument", "NoSuchUpload", "InvalidPart", "InvalidPart"],
      ...["InvalidPartOrder", "InvalidPartOrder", "EntityTooSmall", "MalformedXML"],
    ]);
    assertEquals((await complete([[1, first], [3, third]])).status, 200);
    assertEquals((await complete([[1, first]])).error, "NoSuchUpload");
    assertEquals(await box.s3.text("data", "x"), "abcdabc");
  });

  it("an upload with checksums where one is missing or wrong", async () => {
    await using box = await Box.open();
    box.s3.createBucket("data");
    const headers = { "x-amz-checksum-algorithm": "CRC32" };
    const { text } = await askS3(box, "POST", "data/x", { query: { uploads: "" }, headers });
    const query = { uploadId: /<UploadId>([^<]+)</.exec(text)![1]!, partNumber: "1" };
    const put = (sent: Record<string, string>) =>
      askS3(box, "PUT", "data/x", { query, headers: sent, body: "part" });
    assertEquals((await put({})).error, "InvalidRequest");
    assertEquals((await put({ "x-amz-checksum-crc32": checksum("no") })).error, "BadDigest");
    assertEquals((await put({ "x-amz-checksum-crc32": checksum("part") })).error, undefined);
  });
});

const OCI = "application/vnd.oci.image.manifest.v1+json";
const NONE = `sha256:${"0".repeat(64)}`;

suite("the box's ECR refuses", () => {
  it("repositories and images that are wrong, there already, or not there", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    const digest = await putImage(box.ecr, app, { tag: "there" });
    const imageManifest = app.images.get(digest)!.manifest;
    const [{ digest: layer }] = JSON.parse(imageManifest).layers;
    const platform = { os: "linux", architecture: "amd64" };
    const list = await putIndex(box.ecr, app, [indexed(app, digest, platform)]);
    const put = { repositoryName: "app", imageTag: "x", imageManifest };
    for (
      const [operation, input, code, words] of [
        ["CreateRepository", { repositoryName: "app" }, "RepositoryAlreadyExistsException"],
        ["BatchGetImage", { repositoryName: "none", imageIds: [{}] }, "RepositoryNotFoundExcep", {
          message: "The repository with name 'none' does not exist in the registry with id " +
            "'123456789012'",
        }],
        ["CreateRepository", { repositoryName: "App" }, "InvalidParameterException"],
        ["CreateRepository", {}, "InvalidParameterException"],
        ["BatchGetImage", { repositoryName: "app", imageIds: [] }, "InvalidParameterException"],
        ["PutImage", { ...put, imageTag: undefined }, "ImageAlreadyExistsException"],
        ["PutImage", { ...put, imageTag: "there" }, "ImageAlreadyExistsException"],
        ["PutImage", { ...put, imageDigest: NONE }, "ImageDigestDoesNotMatchException"],
        ["PutImage", { ...put, imageManifestMediaType: OCI }, "InvalidParameterException"],
        ["PutImage", { ...put, imageManifest: "{}" }, "InvalidParameterException"],
        [
          "PutImage",
          { ...put, imageManifest: imageManifest.replace(layer, NONE) },
          "LayersNotFoundException",
        ],
        [
          "PutImage",
          { ...put, imageManifest: app.images.get(list)!.manifest.replace(digest, NONE) },
          "ReferencedImagesNotFoundException",
        ],
      ] as readonly (readonly [string, Record<string, unknown>, string, { message: string }?])[]
    ) {
      const { error = "", body } = await ask(box, "ecr", operation, input);
      assertMatch(error, new RegExp(`^${code}`), operation);
      if (words) assertEquals(body.message, words.message);
    }
    app.isImmutable = true;
    const another = await putImage(box.ecr, app, { architecture: "arm64" });
    const { error, body } = await ask(box, "ecr", "PutImage", {
      ...{ ...put, imageTag: "there", imageManifest: app.images.get(another)!.manifest },
    });
    assertEquals(error, "ImageTagAlreadyExistsException");
    assertMatch(body.message, /The image tag 'there' already exists in the 'app' repository/);
  });

  it("passwords that it did not give, or that are over", async () => {
    await using box = await Box.open();
    const address = `http://127.0.0.1:${box.ecr.front.host.split(":")[1]}/v2/`;
    const login = async (credentials?: string): Promise<number> => {
      const headers: HeadersInit = credentials ? { authorization: `Basic ${credentials}` } : {};
      const answer = await fetch(address, { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    assertEquals([await login(), await login(btoa("AWS:guessed"))], [401, 400]);
    const { body } = await ask(box, "ecr", "GetAuthorizationToken");
    const [{ authorizationToken }] = body.authorizationData;
    // Good, but there is no registry behind it.
    assertEquals(await login(authorizationToken), 501);
    box.ecr.store.expireTokens();
    assertEquals(await login(authorizationToken), 403);
  });
});

suite("the box's logs refuse", () => {
  const GROUP = "/aws/sagemaker/TrainingJobs";
  const STREAM = { logGroupName: GROUP, logStreamName: "job/algo-1-1" };
  for (
    const [operation, input, words] of [
      ["GetLogEvents", { ...STREAM, logStreamName: undefined }, "null at 'logStreamName'"],
      ["GetLogEvents", { ...STREAM, limit: 10_001 }, "less than or equal to 10000"],
      ["GetLogEvents", { ...STREAM, logGroupName: "a b" }, "regular expression pattern"],
      ["GetLogEvents", { ...STREAM, nextToken: "f/0/s" }, "startFromHead must be true"],
      ["GetLogEvents", { ...STREAM, nextToken: "x", startFromHead: true }, "nextToken is invalid"],
      ["GetLogEvents", { ...STREAM, logStreamName: "none" }, "log stream does not exist"],
      ["GetLogEvents", { ...STREAM, logGroupName: "none" }, "log group does not exist"],
      [
        "DescribeLogStreams",
        { logGroupName: GROUP, orderBy: "LastEventTime", logStreamNamePrefix: "job/" },
        "",
      ],
    ] as const
  ) {
    it(`${operation} of ${JSON.stringify(input)}`, async () => {
      await using box = await Box.open();
      box.logs.put(GROUP, STREAM.logStreamName, ["one"]);
      const { error = "", body } = await ask(box, "logs", operation, input);
      assertMatch(error, /^(InvalidParameter|ResourceNotFound)Exception$/);
      assertEquals(body.message.includes(words), true, body.message);
    });
  }
});
