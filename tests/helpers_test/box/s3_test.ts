import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { crc32 } from "node:zlib";
import { askS3, sendSigned } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A box with a bucket. */
async function withBucket(): Promise<Box> {
  const box = await Box.open();
  box.s3.createBucket("data");
  return box;
}

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

suite("the box's S3: buckets", () => {
  it("answer in their region alone, and name it elsewhere", async () => {
    await using box = await Box.open();
    box.s3.createBucket("far", { region: "eu-central-1" });
    const wrong = await askS3(box, "GET", "far", { query: { "list-type": "2" } });
    assertEquals([wrong.status, wrong.error], [301, "PermanentRedirect"]);
    assertEquals(wrong.headers.get("x-amz-bucket-region"), "eu-central-1");
    const head = await askS3(box, "HEAD", "far");
    assertEquals([head.status, head.text], [301, ""]);
    assertEquals(head.headers.get("x-amz-bucket-region"), "eu-central-1");
    assertEquals((await askS3(box, "HEAD", "far", { region: "eu-central-1" })).status, 200);
  });

  it("of others are closed", async () => {
    await using box = await withBucket();
    box.s3.createBucket("other", { owner: "999999999999" });
    assertEquals((await askS3(box, "HEAD", "other")).status, 403);
    assertEquals((await askS3(box, "PUT", "other/x", { body: "x" })).error, "AccessDenied");
    const headers = { "x-amz-expected-bucket-owner": "111111111111" };
    assertEquals((await askS3(box, "HEAD", "data", { headers })).status, 403);
    headers["x-amz-expected-bucket-owner"] = "123456789012";
    assertEquals((await askS3(box, "HEAD", "data", { headers })).status, 200);
  });

  it("that are not there", async () => {
    await using box = await Box.open();
    assertEquals((await askS3(box, "HEAD", "none")).status, 404);
    const { status, error } = await askS3(box, "PUT", "none/x", { body: "x" });
    assertEquals([status, error], [404, "NoSuchBucket"]);
  });

  it("are made where the request says, once", async () => {
    await using box = await withBucket();
    const body = "<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint>" +
      "</CreateBucketConfiguration>";
    assertEquals((await askS3(box, "PUT", "new")).error, "IllegalLocationConstraintException");
    assertEquals((await askS3(box, "PUT", "New", { body })).error, "InvalidBucketName");
    assertEquals((await askS3(box, "PUT", "new", { body })).status, 200);
    assertEquals((await askS3(box, "PUT", "new", { body })).error, "BucketAlreadyOwnedByYou");
    box.s3.createBucket("other", { owner: "999999999999" });
    assertEquals((await askS3(box, "PUT", "other", { body })).error, "BucketAlreadyExists");
    assertEquals(
      (await askS3(box, "PUT", "us", { region: "us-east-1" })).error,
      "InvalidBucketName",
    );
    assertEquals((await askS3(box, "PUT", "us-one", { region: "us-east-1" })).status, 200);
    const query = { location: "" };
    const { text } = await askS3(box, "GET", "new", { query });
    assert(text.includes(">eu-west-1</LocationConstraint>"), text);
  });
});

suite("the box's S3: objects", () => {
  it("come back as they were put, with what was said about them", async () => {
    await using box = await withBucket();
    const headers = {
      ...{ "content-type": "text/plain", "x-amz-meta-sha256": "abc" },
      "x-amz-checksum-crc32": checksum("hello"),
    };
    const put = await askS3(box, "PUT", "data/a b/ü+%20&<x>", { headers, body: "hello" });
    assertEquals(put.headers.get("etag"), '"5d41402abc4b2a76b9719d911017c592"');
    const got = await askS3(box, "GET", "data/a b/ü+%20&<x>", {
      headers: { "x-amz-checksum-mode": "ENABLED" },
    });
    assertEquals(got.text, "hello");
    const told = ["content-type", "content-length", "x-amz-meta-sha256", "x-amz-checksum-crc32"];
    assertEquals(told.map((name) => got.headers.get(name)), [
      ...["text/plain", "5", "abc", checksum("hello")],
    ]);
    const head = await askS3(box, "HEAD", "data/a b/ü+%20&<x>");
    assertEquals([head.status, head.text, head.headers.get("content-length")], [200, "", "5"]);
    assertEquals(box.s3.keys("data"), ["a b/ü+%20&<x>"]);
    assertEquals(await box.s3.text("data", "a b/ü+%20&<x>"), "hello");
  });

  const ranges = [
    ["bytes=2-4", 206, "cde", "bytes 2-4/10"],
    ["bytes=8-", 206, "ij", "bytes 8-9/10"],
    ["bytes=-3", 206, "hij", "bytes 7-9/10"],
    ["bytes=5-99", 206, "fghij", "bytes 5-9/10"],
    ["bytes=10-", 416, undefined, "bytes */10"],
  ] as const;
  for (const [range, status, content, told] of ranges) {
    it(`come in part: ${range}`, async () => {
      await using box = await withBucket();
      await box.s3.put("data", "before", "0123456789");
      await box.s3.put("data", "x", "abcdefghij");
      const got = await askS3(box, "GET", "data/x", { headers: { range } });
      assertEquals([got.status, got.headers.get("content-range")], [status, told]);
      if (content === undefined) assertEquals(got.error, "InvalidRange");
      else assertEquals(got.text, content);
    });
  }

  const refused = [
    ["a checksum is wrong", { "x-amz-checksum-crc32": checksum("other") }, "BadDigest"],
    ["an MD5 is wrong", { "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" }, "BadDigest"],
    ["there is one already", { "if-none-match": "*" }, "PreconditionFailed"],
  ] as const;
  for (const [what, headers, code] of refused) {
    it(`are not replaced where ${what}`, async () => {
      await using box = await withBucket();
      await box.s3.put("data", "x", "old");
      assertEquals((await askS3(box, "PUT", "data/x", { headers, body: "new" })).error, code);
      assertEquals(await box.s3.text("data", "x"), "old");
    });
  }

  const framing = {
    "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    "content-encoding": "aws-chunked",
    "x-amz-decoded-content-length": "11",
    "x-amz-trailer": "x-amz-checksum-crc32",
  };

  it("are taken out of aws-chunked", async () => {
    await using box = await withBucket();
    const body = chunked(["hello ", "world"], `x-amz-checksum-crc32:${checksum("hello world")}`);
    const { status, text } = await askS3(box, "PUT", "data/x", { headers: framing, body });
    assertEquals([status, text], [200, ""]);
    assertEquals(await box.s3.text("data", "x"), "hello world");
    assertEquals((await askS3(box, "HEAD", "data/x")).headers.get("content-encoding"), null);
  });

  const broken = [
    ["the checksum at the end is wrong", "x-amz-checksum-crc32:AAAAAA==", "BadDigest"],
    ["no checksum comes at the end", "", "MalformedTrailerError"],
  ] as const;
  for (const [what, trailer, code] of broken) {
    it(`are refused in aws-chunked where ${what}`, async () => {
      await using box = await withBucket();
      const body = chunked(["hello ", "world"], trailer);
      const { error } = await askS3(box, "PUT", "data/x", { headers: framing, body });
      assertEquals(error, code);
      assertEquals(box.s3.keys("data"), []);
    });
  }

  it("have an entity tag that is no MD5 where KMS encrypts them", async () => {
    await using box = await withBucket();
    const headers = { "x-amz-server-side-encryption": "aws:kms" };
    const put = await askS3(box, "PUT", "data/x", { headers, body: "hello" });
    assert(put.headers.get("etag") !== '"5d41402abc4b2a76b9719d911017c592"');
    const head = await askS3(box, "HEAD", "data/x");
    assertEquals(head.headers.get("etag"), put.headers.get("etag"));
    assertEquals(head.headers.get("x-amz-server-side-encryption"), "aws:kms");
  });

  it("may be left halfway", async () => {
    await using box = await withBucket();
    await box.s3.put("data", "large", new Uint8Array(8_000_000));
    const request = { service: "s3", method: "GET", target: "/data/large", body: "" };
    const headers = { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" };
    const answer = await sendSigned(box, { ...request, headers });
    const reader = answer.body!.getReader();
    assertEquals((await reader.read()).done, false);
    await reader.cancel();
    assertEquals((await askS3(box, "DELETE", "data/large")).status, 204);
  });

  it("are not there when only half of them came", async () => {
    await using box = await withBucket();
    const { port } = new URL(box.url);
    {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      const text = "PUT /data/x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf";
      await connection.write(new TextEncoder().encode(text));
    }
    assertEquals((await askS3(box, "HEAD", "data/x")).status, 404);
  });

  it("are copied, with what was said about them", async () => {
    await using box = await withBucket();
    await box.s3.put("data", "a b", "content", { metadata: { m: "1" } });
    const headers = { "x-amz-copy-source": "data/a%20b" };
    assertEquals((await askS3(box, "PUT", "data/copy", { headers })).status, 200);
    const { text, headers: told } = await askS3(box, "GET", "data/copy");
    assertEquals([text, told.get("x-amz-meta-m")], ["content", "1"]);
  });

  it("are deleted, one or many, there or not", async () => {
    await using box = await withBucket();
    for (const key of ["a&b", "c\nd", "e", "kept", "denied"]) await box.s3.put("data", key, "x");
    assertEquals((await askS3(box, "DELETE", "data/e")).status, 204);
    assertEquals((await askS3(box, "DELETE", "data/e")).status, 204);
    box.faults.deny("s3:DeleteObject", "*/denied");
    const keys = ["a&amp;b", "c&#10;d", "none", "denied"];
    const body = `<Delete>${
      keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")
    }</Delete>`;
    const question = { query: { delete: "" }, body };
    assertEquals((await askS3(box, "POST", "data", question)).error, "InvalidRequest");
    const headers = { "x-amz-checksum-crc32": checksum(body) };
    const { status, text } = await askS3(box, "POST", "data", { ...question, headers });
    assertEquals(status, 200);
    assert(text.includes("<Deleted><Key>a&amp;b</Key></Deleted>"), text);
    assert(text.includes("<Error><Key>denied</Key><Code>AccessDenied</Code>"), text);
    assertEquals(box.s3.keys("data"), ["denied", "kept"]);
  });

  it("come from files and go to files", async () => {
    await using box = await withBucket();
    await using directory = await makeDirectory({ "from": "content" });
    await box.s3.putFile("data", "x", join(directory.path, "from"));
    assertEquals(box.s3.object("data", "x")!.etag, '"9a0364b9e99bb480dd25e1f0284c8555"');
    await box.s3.download("data", "x", join(directory.path, "to"));
    assertEquals(await Deno.readTextFile(join(directory.path, "to")), "content");
  });
});
