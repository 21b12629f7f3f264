import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { checkBucket, checkInput, dataAddress } from "../../../../runtime/cloud/preflight/data.ts";
import { Box } from "../../../helpers/box/box.ts";
import { openCloud } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BUCKET = "data-bucket";

/** Checks against a platform; returns the notes. */
async function checked(
  prepare: (box: Box) => void | Promise<void>,
  check: typeof checkInput | typeof checkBucket,
  key: string,
): Promise<readonly string[]> {
  await using box = await Box.open();
  await prepare(box);
  using cloud = await openCloud(box.env());
  const notes: string[] = [];
  await check(await cloud.aws.s3(), { bucket: BUCKET, key }, (text) => notes.push(text));
  return notes;
}

const filled = async (box: Box, ...keys: readonly string[]) => {
  box.s3.createBucket(BUCKET);
  for (const key of keys) await box.s3.put(BUCKET, key, "1");
};

suite("what a job reads", () => {
  for (
    const [what, keys, prefix] of [
      ["a file below the prefix", ["data/train/a.csv"], "data/train/"],
      ["a file that is the address", ["data/a.csv"], "data/a.csv"],
      ["what begins like it, as SageMaker takes it", ["data/training-old/a.csv"], "data/train"],
      ["a file behind placeholders", ["d/", "d/.gitkeep", "d/x/.DS_Store", "d/z"], "d/"],
      ["a file behind junk", ["d/.ipynb_checkpoints/a-checkpoint.csv", "d/z"], "d/"],
      ["junk that is the address", ["d/._a.csv"], "d/._a.csv"],
      ["a file below junk that is the address", ["__MACOSX/a.csv"], "__MACOSX/"],
      ["anything in the bucket", ["z"], ""],
    ] as const
  ) {
    it(`is there: ${what}`, async () => {
      assertEquals(await checked((box) => filled(box, ...keys), checkInput, prefix), []);
    });
  }

  for (
    const [what, keys] of [
      ["an empty bucket", []],
      ["another prefix", ["other/a.csv"]],
      ["placeholders alone", ["data/", "data/.gitkeep", "data/x/.gitignore"]],
      ["junk alone", ["data/._a.csv", "data/__MACOSX/a.csv", "data/x/Thumbs.db"]],
    ] as const
  ) {
    it(`is not there: ${what}`, async () => {
      const error = await assertRejects(
        () => checked((box) => filled(box, ...keys), checkInput, "data/"),
        AwsError,
        `No data at s3://${BUCKET}/data/`,
      );
      assertEquals(
        error.hint,
        `Upload data: mlcli upload-data -i PATH --target-dir s3://${BUCKET}/data/`,
      );
    });
  }

  it("may be unknown: what is denied is a note", async () => {
    const prepare = async (box: Box) => {
      await filled(box, "data/a.csv");
      box.faults.deny("s3:ListBucket");
    };
    assertEquals(await checked(prepare, checkInput, "data/"), [
      `Cannot check the bucket ${BUCKET}: AccessDeniedException: s3:ListBucket`,
    ]);
  });
});

for (const [what, check] of [["reads from", checkInput], ["writes to", checkBucket]] as const) {
  suite(`a bucket that a job ${what}`, () => {
    it("has to be there", async () => {
      const error = await assertRejects(
        () => checked(() => {}, check, "data/"),
        AwsError,
        `The bucket ${BUCKET} does not exist`,
      );
      assertEquals(error.refusal, "not found");
    });

    it("has to be in the region", async () => {
      const prepare = async (box: Box) => {
        box.s3.createBucket(BUCKET, { region: "us-west-2" });
        await box.s3.put(BUCKET, "data/a.csv", "1");
      };
      const error = await assertRejects(() => checked(prepare, check, "data/"), AwsError);
      assertEquals(
        error.message,
        `The bucket ${BUCKET} is in us-west-2, but the job runs in eu-west-1`,
      );
    });

    it("may be another account's: that is a note", async () => {
      const prepare = (box: Box) => void box.s3.createBucket(BUCKET, { owner: "999999999999" });
      const notes = await checked(prepare, check, "data/");
      assertEquals(
        notes[0]?.startsWith(`Cannot check the bucket ${BUCKET}: `),
        true,
      );
    });
  });
}

suite("what a job writes", () => {
  it("may go where nothing is yet", async () => {
    assertEquals(await checked((box) => filled(box), checkBucket, "results/"), []);
  });
});

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
