import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { checkArchive, type ReadingLimits } from "../../../../runtime/cloud/preflight/archive.ts";
import { roomFor } from "../../../../runtime/contract/instances.ts";
import { Interrupted, MlcliError } from "../../../../runtime/errors.ts";
import { Box } from "../../../helpers/box/box.ts";
import { openCloud } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { concatenated, gzip, type RawEntry, tarGz, tarOf } from "../../../helpers/tar.ts";

const BUCKET = "models";
const KEY = "churn/output/model.tar.gz";
const SHOWN = `s3://${BUCKET}/${KEY}`;

/** Some KB of which gzip makes no less. */
const NOISE = crypto.getRandomValues(new Uint8Array(60_000));

interface Surroundings {
  readonly instanceType?: string;
  readonly limits?: ReadingLimits;
  readonly signal?: AbortSignal;
  readonly key?: string;
}

interface Checked {
  readonly found: Awaited<ReturnType<typeof checkArchive>>;
  readonly notes: readonly string[];
  readonly operations: readonly string[];
}

/** Checks an archive on a platform. */
async function checkedOn(
  prepare: (box: Box) => unknown,
  { instanceType = "ml.m5.large", limits, key = KEY, signal }: Surroundings = {},
): Promise<Checked> {
  await using box = await Box.open();
  await prepare(box);
  using cloud = await openCloud(box.env());
  const notes: string[] = [];
  const found = await checkArchive(
    await cloud.aws.s3(),
    { bucket: BUCKET, key },
    roomFor({ instanceType: instanceType === "" ? undefined : instanceType }),
    (text) => notes.push(text),
    signal ?? new AbortController().signal,
    limits,
  );
  return { found, notes, operations: box.operations };
}

/** The same of an object in the bucket. */
async function checked(bytes: Uint8Array, surroundings?: Surroundings): Promise<Checked> {
  return await checkedOn(async (box) => {
    box.s3.createBucket(BUCKET);
    await box.s3.put(BUCKET, surroundings?.key ?? KEY, bytes);
  }, surroundings);
}

function refusedOn(...of: Parameters<typeof checkedOn>): Promise<MlcliError> {
  return assertRejects(() => checkedOn(...of), MlcliError);
}

async function refused(bytes: Uint8Array, surroundings?: Surroundings): Promise<MlcliError> {
  const error = await assertRejects(() => checked(bytes, surroundings), MlcliError);
  assertEquals(error.hint !== undefined, true, "a hint");
  return error;
}

/** Numbers in tar may be binary, where octal digits have no room (GNU tar, "base-256"). */
function withSize(archive: Uint8Array, size: number): Uint8Array {
  const bytes = archive.slice();
  bytes.fill(0, 124, 136);
  bytes[124] = 0x80;
  new DataView(bytes.buffer).setBigUint64(128, BigInt(size));
  // The checksum counts its own field as spaces.
  bytes.fill(0x20, 148, 156);
  const sum = bytes.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  bytes.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return bytes;
}

const FILES: readonly RawEntry[] = [
  { name: "./", type: "5" },
  { name: "./model.json", content: "{}" },
  { name: "./weights.bin", content: NOISE },
];

suite("the archive of a model in S3", () => {
  it("is fit for an endpoint: size and time come back, nothing is said", async () => {
    const bytes = await tarGz(FILES);
    const { found, notes } = await checked(bytes);
    assertEquals(notes, []);
    assertEquals(found?.size, bytes.length);
    assertEquals(Math.abs(Date.now() - found!.lastModified.getTime()) < 60_000, true);
  });

  it("may be in several parts, and have zeros behind it", async () => {
    const [one, other] = [tarOf(FILES).subarray(0, 700), tarOf(FILES).subarray(700)];
    const parts = [await gzip(one), await gzip(other), new Uint8Array(1000)];
    assertEquals((await checked(concatenated(parts))).notes, []);
  });

  for (
    const [what, make, words] of [
      ["nothing", () => new Uint8Array(), /the file is not compressed with gzip$/],
      ["a tar without compression", () => tarOf(FILES), /the file is not compressed with gzip$/],
      ["a web page", () => new TextEncoder().encode("<html>"), /not compressed with gzip$/],
      ["no tar", () => gzip(NOISE), /not a tar archive, or is damaged or incomplete/],
      ["one that is cut off", async () => (await tarGz(FILES)).slice(0, 30_000), /incomplete/],
      [
        "one with a wrong byte",
        async () => (await tarGz(FILES)).with(30_000, 7).with(30_001, 8).with(30_002, 9),
        /damaged or incomplete/,
      ],
      [
        "a tar that is cut off",
        () => gzip(tarOf(FILES).slice(0, 40_000)),
        /not a tar archive, or is damaged or incomplete/,
      ],
      [
        "a name that leads out",
        () => tarGz([{ name: "../../etc/cron.d/x" }]),
        /points outside the/,
      ],
      ["an absolute name", () => tarGz([{ name: "/opt/ml/model/m" }]), /is an absolute path/],
      [
        "a link that leads out",
        () => tarGz([{ name: "m", type: "2", link: "/etc/passwd" }]),
        /is a link to \/etc\/passwd, which might be outside/,
      ],
      ["a device", () => tarGz([{ name: "d", type: "4" }]), /is not a file, a directory or a link/],
    ] as const
  ) {
    it(`is refused: ${what}`, async () => {
      const error = await refused(await make());
      assertEquals(error.message.startsWith(`SageMaker cannot unpack ${SHOWN}: `), true);
      assertMatch(error.message, words);
    });
  }

  for (
    const [what, entries] of [
      ["no entry", []],
      ["a directory alone", [{ name: "./", type: "5" }, { name: "./model/", type: "5" }]],
    ] as const
  ) {
    it(`is refused: ${what}`, async () => {
      const error = await refused(await tarGz(entries));
      assertEquals(error.message, `The archive contains no files: ${SHOWN}`);
    });
  }

  it("is warned of where its files lie below a directory, and of links", async () => {
    const below = await checked(await tarGz([{ name: "model/m" }]));
    assertEquals(below.notes.length, 1);
    assertMatch(below.notes[0]!, /^Everything in s3:\/\/models\/.* is inside model\/, /);
    const links = await checked(await tarGz([{ name: "m" }, { name: "l", type: "2", link: "m" }]));
    assertMatch(links.notes[0]!, /contains symbolic links \(l\), which SageMaker might not/);
  });

  it("shows names that a terminal would obey as they are", async () => {
    const { notes } = await checked(await tarGz([{ name: "\x1b[2Jmodel/m" }]));
    assertMatch(notes[0]!, /is inside \?\[2Jmodel\//);
    const error = await refused(await tarGz([{ name: "/\x1b[2Jm\n" }]));
    assertEquals(["\x1b", "\n"].some((letter) => error.message.includes(letter)), false);
  });

  it("is warned of where it is not called .tar.gz", async () => {
    const key = "churn/model.bin";
    assertEquals((await checked(await tarGz(FILES), { key })).notes, [
      `s3://${BUCKET}/${key} does not end with .tar.gz, which SageMaker expects`,
    ]);
  });

  it("unpacks to what the volume has room for: petabytes are refused by their header", async () => {
    const petabytes = await gzip(withSize(tarOf([{ name: "bomb" }]), 2 ** 51));
    const error = await refused(petabytes);
    assertMatch(
      error.message,
      /: its files are larger than the 30 GB disk of ml\.m5\.large$/,
    );
    assertMatch(error.hint!, /local disks/);
    const six = await gzip(withSize(tarOf([{ name: "six" }]), 6 * 1024 ** 3));
    assertMatch(
      (await refused(six, { instanceType: "" })).message,
      /larger than the 5 GB disk of a serverless endpoint$/,
    );
    // There is room for it, and then it is not all there.
    assertMatch((await refused(six)).message, /incomplete/);
    assertMatch((await refused(petabytes, { instanceType: "ml.g5.xlarge" })).message, /incomplete/);
  });

  it("is read up to a limit, compressed", async () => {
    const large = crypto.getRandomValues(new Uint8Array(65_536));
    const entries = Array.from({ length: 400 }, (_, index) => ({
      name: `part-${index}`,
      content: large,
    }));
    const bytes = await tarGz(entries);
    assertEquals(bytes.length > 24 * 1024 ** 2, true);
    const limits = { compressed: 8 * 1024 ** 2, unpacked: Infinity };
    const { found, notes, operations } = await checked(bytes, { limits });
    assertEquals(found?.size, bytes.length);
    assertEquals(notes, [
      `Checked only the beginning of ${SHOWN}, because it is large`,
    ]);
    const ranges = operations.filter((operation) => operation === "s3:GetObject").length;
    assertEquals(ranges <= 3, true, `${ranges} ranges`);
  });

  for (
    const [what, entries] of [
      ["of a file", [{ name: "zeros", content: new Uint8Array(50_000_000) }]],
      ["behind the last entry", [{ name: "m", content: "m" }]],
    ] as const
  ) {
    it(`is read up to a limit, unpacked: zeros ${what}`, async () => {
      const tar = concatenated([tarOf(entries), new Uint8Array(50_000_000)]);
      const limits = { compressed: Infinity, unpacked: 10_000_000 };
      const { notes } = await checked(await gzip(tar), { limits });
      assertEquals(notes, [
        `Checked only the beginning of ${SHOWN}, because it is large`,
      ]);
    });
  }
});

suite("the archive of a model that cannot be read", () => {
  const filled = async (box: Box, key = KEY) => {
    box.s3.createBucket(BUCKET);
    await box.s3.put(BUCKET, key, await tarGz(FILES));
  };

  for (const key of ["", "churn/", "churn/output/"]) {
    it(`is no directory: "${key}"`, async () => {
      const error = await refusedOn(filled, { key });
      assertEquals(
        error.message,
        `Expected a model archive but got a directory: s3://${BUCKET}/${key}`,
      );
    });
  }

  it("is not there", async () => {
    const error = await refusedOn((box) => box.s3.createBucket(BUCKET));
    assertEquals(error.message, `Model archive not found: ${SHOWN}`);
    assertMatch(error.hint!, /mlcli train prints/);
  });

  it("is in a directory of that name", async () => {
    const error = await refusedOn(filled, { key: "churn/output" });
    assertEquals(
      [error.message, error.hint],
      [
        `Expected a model archive but got a directory: s3://${BUCKET}/churn/output/`,
        `Use the archive in this directory: ${SHOWN}`,
      ],
    );
    const unpacked = await refusedOn((box) => filled(box, "churn/model/weights.bin"), {
      key: "churn/model",
    });
    assertMatch(
      unpacked.hint!,
      /^To deploy the files .*weights\.bin, \.\.\.\), end the S3 URI with a slash\. To pack the files: tar /,
    );
  });

  it("lies in a bucket that is not there, or in another region", async () => {
    const none = await refusedOn(() => {});
    assertEquals(none instanceof AwsError, true);
    assertEquals(none.message, `The bucket ${BUCKET} does not exist`);
    const elsewhere = await refusedOn((box) =>
      box.s3.createBucket(BUCKET, { region: "us-west-2" })
    );
    assertMatch(elsewhere.message, /^The bucket models is in us-west-2, but the endpoint runs in /);
  });

  it("may not be asked about: a note", async () => {
    const { found, notes } = await checkedOn(async (box) => {
      await filled(box);
      box.faults.deny("s3:GetObject");
    });
    assertEquals(found, undefined);
    assertEquals(notes, [
      `Cannot check the model archive ${SHOWN}: AccessDeniedException: s3:GetObject`,
    ]);
  });

  it("is read where its bucket may not be listed", async () => {
    const { found, notes } = await checkedOn(async (box) => {
      await filled(box);
      box.faults.deny("s3:ListBucket");
    });
    assertEquals([found !== undefined, notes], [true, []]);
  });

  it("is no longer waited for after Ctrl-C", async () => {
    const signal = AbortSignal.abort(new Interrupted("SIGINT"));
    await assertRejects(() => checkedOn(filled, { signal }), Interrupted);
  });
});
