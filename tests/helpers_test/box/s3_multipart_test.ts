import { assert, assertEquals } from "@std/assert";
import { crc32 } from "node:zlib";
import { askS3, type S3Answered, type S3Question } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A multipart upload of `data/x`. */
class Uploading implements AsyncDisposable {
  private constructor(readonly box: Box, readonly id: string) {}

  static async begin(headers: Record<string, string> = {}): Promise<Uploading> {
    const box = await Box.open();
    box.s3.createBucket("data");
    box.s3.smallestPart = 4;
    const { text } = await askS3(box, "POST", "data/x", { query: { uploads: "" }, headers });
    return new Uploading(box, /<UploadId>([^<]+)</.exec(text)![1]!);
  }

  ask(method: string, query: Record<string, string>, more: S3Question = {}): Promise<S3Answered> {
    return askS3(this.box, method, "data/x", { query: { uploadId: this.id, ...query }, ...more });
  }

  part(number: number, body: string, headers = {}): Promise<S3Answered> {
    return this.ask("PUT", { partNumber: String(number) }, { body, headers });
  }

  /** @param parts Number, entity tag, and further elements of each. */
  complete(parts: readonly (readonly [number, string | null, string?])[]): Promise<S3Answered> {
    const named = parts.map(([number, etag, more = ""]) =>
      `<Part><ETag>${etag}</ETag><PartNumber>${number}</PartNumber>${more}</Part>`
    );
    const body = `<CompleteMultipartUpload>${named.join("")}</CompleteMultipartUpload>`;
    return this.ask("POST", {}, { body });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.box[Symbol.asyncDispose]();
  }
}

function checksum(content: string | Uint8Array): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(content));
  return btoa(String.fromCharCode(...bytes));
}

suite("the box's S3: uploads in parts", () => {
  it("become one object, of the parts that are named", async () => {
    await using upload = await Uploading.begin({ "x-amz-meta-m": "1" });
    const { box } = upload;
    const unused = await upload.part(2, "unused");
    assertEquals(unused.status, 200);
    const first = (await upload.part(1, "first ")).headers.get("etag");
    const last = (await upload.part(7, "end")).headers.get("etag");
    assertEquals(box.s3.keys("data"), []);
    assertEquals(box.s3.uploads("data").map(({ key, id }) => [key, id]), [["x", upload.id]]);
    const { status, text } = await upload.complete([[1, first], [7, last]]);
    assertEquals(status, 200);
    assert(/<ETag>"[0-9a-f]{32}-2"<\/ETag>/.test(text), text);
    const got = await askS3(box, "GET", "data/x");
    assertEquals([got.text, got.headers.get("x-amz-meta-m")], ["first end", "1"]);
    const part = await askS3(box, "GET", "data/x", { headers: { range: "bytes=4-7" } });
    assertEquals(part.text, "t en");
    assertEquals(box.s3.uploads("data"), []);
    // Whoever lost the answer is told so.
    assertEquals((await upload.complete([[1, first]])).error, "NoSuchUpload");
  });

  it("have a checksum of their parts' checksums", async () => {
    await using upload = await Uploading.begin({ "x-amz-checksum-algorithm": "CRC32" });
    const headers = { "x-amz-checksum-crc32": checksum("first ") };
    const etag = (await upload.part(1, "first ", headers)).headers.get("etag");
    assertEquals((await upload.part(2, "end")).error, "InvalidRequest");
    assertEquals((await upload.part(2, "end", headers)).error, "BadDigest");
    assertEquals((await upload.complete([[1, etag]])).error, "InvalidRequest");
    const named = `<ChecksumCRC32>${checksum("first ")}</ChecksumCRC32>`;
    const { text } = await upload.complete([[1, etag, named]]);
    // The CRC32 of the four bytes of the one part's.
    const bytes = atob(checksum("first "));
    const whole = checksum(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
    assert(text.includes(`<ChecksumCRC32>${whole}-1</ChecksumCRC32>`), text);
    const { headers: told } = await askS3(upload.box, "HEAD", "data/x", {
      headers: { "x-amz-checksum-mode": "ENABLED" },
    });
    assertEquals(told.get("x-amz-checksum-type"), "COMPOSITE");
  });

  it("are not completed with other parts, in another order, or with small ones", async () => {
    await using upload = await Uploading.begin();
    const etags = [];
    for (const [index, body] of ["abcd", "abcd", "abc", "abc"].entries()) {
      etags.push((await upload.part(index + 1, body)).headers.get("etag"));
    }
    const [first, second, third, fourth] = etags;
    const codes = [
      await upload.complete([[1, first!], [5, first!]]),
      await upload.complete([[1, third!]]),
      await upload.complete([[2, second!], [1, first!]]),
      await upload.complete([[1, first!], [1, first!]]),
      await upload.complete([[3, third!], [4, fourth!]]),
      await upload.complete([]),
    ].map(({ error }) => error);
    assertEquals(codes, [
      ...["InvalidPart", "InvalidPart", "InvalidPartOrder", "InvalidPartOrder"],
      ...["EntityTooSmall", "MalformedXML"],
    ]);
    assertEquals((await upload.complete([[1, first!], [3, third!]])).status, 200);
  });

  it("are listed with their parts, and aborted", async () => {
    await using upload = await Uploading.begin();
    const { box } = upload;
    await upload.part(1, "abcd");
    await upload.part(3, "ef");
    const { text } = await upload.ask("GET", {});
    const found = [...text.matchAll(/<PartNumber>(\d+)<.*?<Size>(\d+)</g)];
    assertEquals(found.map(([, number, size]) => [number, size]), [["1", "4"], ["3", "2"]]);
    const list = await askS3(box, "GET", "data", { query: { uploads: "" } });
    assert(list.text.includes(`<Upload><Key>x</Key><UploadId>${upload.id}</UploadId>`), list.text);
    const none = await askS3(box, "GET", "data", { query: { uploads: "", prefix: "y" } });
    assert(!none.text.includes("<Upload>"), none.text);
    assertEquals((await upload.ask("DELETE", {})).status, 204);
    assertEquals((await upload.ask("DELETE", {})).error, "NoSuchUpload");
    assertEquals((await upload.part(2, "late")).error, "NoSuchUpload");
    assertEquals(box.s3.uploads("data"), []);
  });

  it("need the permission to put the object, and another to abort", async () => {
    await using upload = await Uploading.begin();
    upload.box.faults.deny("s3:PutObject", "arn:aws:s3:::data/x");
    assertEquals((await upload.part(1, "abcd")).error, "AccessDenied");
    assertEquals((await upload.complete([[1, "e"]])).error, "AccessDenied");
    const again = await askS3(upload.box, "POST", "data/x", { query: { uploads: "" } });
    assertEquals(again.error, "AccessDenied");
    upload.box.faults.deny("s3:AbortMultipartUpload");
    assertEquals((await upload.ask("DELETE", {})).error, "AccessDenied");
  });

  it("are of one key", async () => {
    await using upload = await Uploading.begin();
    const query = { uploadId: upload.id, partNumber: "1" };
    const { error } = await askS3(upload.box, "PUT", "data/y", { query, body: "x" });
    assertEquals(error, "NoSuchUpload");
  });

  for (const number of ["0", "10001", "x"]) {
    it(`have no part ${number}`, async () => {
      await using upload = await Uploading.begin();
      const { error } = await upload.ask("PUT", { partNumber: number }, { body: "x" });
      assertEquals(error, "InvalidArgument");
    });
  }
});
