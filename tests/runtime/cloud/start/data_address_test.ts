import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { dataAddress } from "../../../../runtime/cloud/preflight/data.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A bucket with these keys, in S3's order. */
function bucketWith(keys: readonly string[] | AwsError) {
  return {
    async *listObjects(_bucket: string, prefix: string) {
      await Promise.resolve();
      if (keys instanceof AwsError) throw keys;
      const found = keys.filter((key) => key.startsWith(prefix));
      yield found.map((key) => ({ key, size: 1, lastModified: new Date(0), etag: "" }));
    },
  };
}

const DENIED = new AwsError("denied", "AccessDeniedException: s3:ListBucket");

const CASES: readonly (readonly [string, keys: readonly string[] | AwsError, told: string])[] = [
  ["data/train", ["data/train-old/a", "data/train/a.csv"], "data/train/"],
  ["data/train", [], "data/train/"],
  ["data/train/", ["data/train/a.csv"], "data/train/"],
  ["", ["a"], ""],
  ["a.csv", ["a.csv", "a.csv.bak"], "a.csv"],
  ["a.csv", ["a.csv.bak"], "a.csv/"],
  ["data", ["data", "data/a"], "data"],
  ["data/train", DENIED, "data/train/"],
  ["data/train.csv", DENIED, "data/train.csv"],
  ["v1.2/train", DENIED, "v1.2/train/"],
];

suite("where data lies, as a job is told", () => {
  for (const [key, keys, told] of CASES) {
    it(`"${key}" is "${told}" (${keys})`, async () => {
      const address = await dataAddress(bucketWith(keys), { bucket: "b", key });
      assertEquals(address, { bucket: "b", key: told });
    });
  }

  it("is not made up where the code is wrong", async () => {
    const broken = { listObjects: () => undefined as never };
    await assertRejects(() => dataAddress(broken, { bucket: "b", key: "a" }), TypeError);
  });
});
