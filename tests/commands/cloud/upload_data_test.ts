import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LISTS_ALL_NAMES } from "../../helpers/directory.ts";
import { drawnOnce } from "../../helpers/fake_context.ts";
import { Keys } from "../../helpers/in_process.ts";
import { python } from "../../helpers/python.ts";
import { assertSameBytes } from "../../helpers/same_bytes.ts";
import { it, suite } from "../../helpers/suite.ts";
import { BUCKET, place, TARGET } from "../../helpers/upload_place.ts";

const MIB = 1024 ** 2;

/** The operations that change something. */
const CHANGES = /:(Put|Create|Upload|Complete|Abort|Delete)/;

suite("upload-data sends", () => {
  it("a directory's tree, and prints where it is", async () => {
    await using at = await place({ "data/a.csv": "1\n", "data/deep/er/b.csv": "22\n" });
    const { code, stdout, stderr } = await at.upload(["-i", "data", "--target-dir", TARGET]);
    assertEquals([code, stdout, stderr], [0, `${TARGET}/\n`, "Uploaded 2 files (5 bytes)\n"]);
    assertEquals(await at.stored(), {
      "churn/data/a.csv": "1\n",
      "churn/data/deep/er/b.csv": "22\n",
    });
  });

  it("a file, and prints its address", async () => {
    await using at = await place({ "x/a.csv": "1\n" });
    const { code, stdout } = await at.upload(["-i", "x/a.csv", "--target-dir", `${TARGET}/`]);
    assertEquals([code, stdout], [0, `${TARGET}/a.csv\n`]);
    assertEquals(await at.stored(), { "churn/data/a.csv": "1\n" });
  });

  it("files and directories together, into a whole bucket too", async () => {
    await using at = await place({ "x/a.csv": "1", "y/b.csv": "2", "c.csv": "3" });
    const { code, stdout } = await at.upload(
      ["-i", "x", "-i", "y/", "-i", "c.csv", "--target-dir", `s3://${BUCKET}`],
    );
    assertEquals([code, stdout], [0, `s3://${BUCKET}/\n`]);
    assertEquals(await at.stored(), { "a.csv": "1", "b.csv": "2", "c.csv": "3" });
  });

  it("to data below s3_prefix of the app where no target is named", async () => {
    const configuration = { s3_prefix: `s3://${BUCKET}/churn`, cloud_region: "eu-west-1" };
    await using at = await place({
      "churn.json": JSON.stringify(configuration),
      "data/a.csv": "1",
    });
    const { code, stdout } = await at.upload(["-i", "data"]);
    assertEquals([code, stdout], [0, `s3://${BUCKET}/churn/data/\n`]);
    assertEquals(await at.stored(), { "churn/data/a.csv": "1" });
  });

  it("files whose names have spaces, percent signs, line breaks, ...", async () => {
    const names = [
      ...["a b", "a+b", "a%20b", "a#b", "a?b=c&d", "a'b\"c", "new\nline", ".hidden", "..dots"],
      ...[
        "\u00fc",
        "u\u0308",
        "\u{1f600}",
        "\uffe6",
        "a\\b",
        "&amp;<x>",
        "tab\there",
        "x".repeat(200),
      ],
      // Longer names than a file system has, by directories: 1,024 bytes with the prefix.
      `${`${"l".repeat(200)}/`.repeat(5)}m${"n".repeat(7)}`,
    ];
    const files = Object.fromEntries(names.map((name, number) => [`d/${name}`, `${number}`]));
    await using at = await place(files);
    const prefix = `s3://${BUCKET}/${"p".repeat(10)}`;
    const args = ["-i", "d", "--target-dir", prefix];
    const { code, stderr } = await at.upload(args);
    assertEquals([code, stderr.split(" (")[0]], [0, `Uploaded ${names.length} files`]);
    const expected = names.map((name, number) => [`${"p".repeat(10)}/${name}`, `${number}`]);
    assertEquals(await at.stored(), Object.fromEntries(expected));
    // The list names them as they are, too.
    const again = await at.upload([...args, "--delete"]);
    assertEquals(again.stderr, `Uploaded 0 files (0 bytes), ${names.length} unchanged\n`);
    assertEquals(at.box.s3.keys(BUCKET).length, names.length);
  });

  it("a large file in parts, one at the edge in one, an empty one too", async () => {
    await using at = await place({ "d/empty": "" });
    const large = crypto.getRandomValues(new Uint8Array(65_536));
    const path = (name: string) => `${at.directory.path}/d/${name}`;
    const edge = new Uint8Array(8 * MIB).fill(7);
    await Deno.writeFile(path("edge"), edge);
    const file = await Deno.open(path("large"), { create: true, write: true });
    for (let written = 0; written < 21 * MIB; written += large.length) await file.write(large);
    file.close();
    const { code } = await at.upload(["-i", "d", "--target-dir", TARGET]);
    assertEquals(code, 0);
    assertEquals(at.box.s3.uploads(BUCKET), []);
    assertSameBytes(await at.box.s3.bytes(BUCKET, "churn/data/edge"), edge);
    assertSameBytes(
      await at.box.s3.bytes(BUCKET, "churn/data/large"),
      await Deno.readFile(path("large")),
    );
    assertEquals(at.box.operations.filter((name) => CHANGES.test(name)).sort(), [
      "s3:CompleteMultipartUpload",
      "s3:CreateMultipartUpload",
      "s3:PutObject",
      "s3:PutObject",
      ...["s3:UploadPart", "s3:UploadPart", "s3:UploadPart"],
    ]);
    // Each with its checksum, as the SDK's default has it.
    assertEquals(at.box.s3.object(BUCKET, "churn/data/edge")?.checksum?.algorithm, "crc32");
    assertEquals(at.box.s3.object(BUCKET, "churn/data/large")?.checksum?.algorithm, "crc32");
  });

  it("without checksums where the user wants none", async () => {
    await using at = await place({ "d/a": "1" });
    const env = { ...at.box.env(), AWS_REQUEST_CHECKSUM_CALCULATION: "when_required" };
    assertEquals((await at.upload(["-i", "d", "--target-dir", TARGET], { cloud: env })).code, 0);
    assertEquals(at.box.s3.object(BUCKET, "churn/data/a")?.checksum, undefined);
  });

  it("several files at once", async () => {
    const names = Array.from({ length: 12 }, (_, number) => `d/${number}`);
    await using at = await place(Object.fromEntries(names.map((name) => [name, name])));
    // Each request waits until three are there: one at a time would wait for ever.
    let open = 0;
    const { promise: three, resolve } = Promise.withResolvers<void>();
    at.box.faults.before = async ({ operation }) => {
      if (operation !== "PutObject") return undefined;
      if (++open === 3) resolve();
      await three;
      return undefined;
    };
    assertEquals((await at.upload(["-i", "d", "--target-dir", TARGET])).code, 0);
    assert(at.box.mostAtOnce <= 17);
  });

  it("over connections that are closed after each answer", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2" });
    at.box.faults.closeConnections();
    assertEquals((await at.upload(["-i", "d", "--target-dir", TARGET])).code, 0);
    assertEquals(Object.keys(await at.stored()).length, 2);
  });

  it("upload-data shows its progress on a terminal, and removes it at the end", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2" });
    using _clocks = drawnOnce();
    const { stderr } = await at.upload(["-i", "d", "--target-dir", TARGET], { isTerminal: true });
    const lines = ["Scanning: 1 file (0s)", "1 byte of 2 bytes, 1 of 2 files"]
      .map((line) => `\r${line}\x1b[K\r\r\x1b[K`);
    assertEquals(stderr, `${lines.join("")}Uploaded 2 files (2 bytes)\n`);
  });

  it("upload-data counts unchanged files as progress on a terminal", async () => {
    await using at = await place({ "d/a": "12" });
    const line = ["-i", "d", "--target-dir", TARGET];
    await at.upload(line);
    using _clocks = drawnOnce();
    const { stderr } = await at.upload(line, { isTerminal: true });
    assertStringIncludes(stderr, "\r2 bytes of 2 bytes, 1 of 1 file, 1 unchanged\x1b[K");
  });

  it("and says no more than in a pipe with --progress plain, and nothing with --quiet", async () => {
    for (
      const [args, words] of [[["--progress", "plain"], "Uploaded 1 file (1 byte)\n"], [
        ["-q"],
        "",
      ]] as const
    ) {
      for (const isTerminal of [true, false]) {
        await using at = await place({ "d/a": "1" });
        const { code, stdout, stderr } = await at.upload(
          ["-i", "d", "--target-dir", TARGET, ...args],
          { isTerminal },
        );
        assertEquals([code, stdout, stderr], [0, `${TARGET}/\n`, words]);
      }
    }
  });

  it("to a bucket in another region", async () => {
    await using at = await place({ "d/a": "1" });
    at.box.s3.createBucket("far-bucket", { region: "us-west-2" });
    const { code } = await at.upload(["-i", "d", "--target-dir", "s3://far-bucket/x"]);
    assertEquals([code, at.box.s3.keys("far-bucket")], [0, ["x/a"]]);
  });
});

suite("upload-data, once more", () => {
  it("sends what changed, and nothing else", async () => {
    await using at = await place({ "d/same": "1", "d/longer": "1", "d/newer": "1" });
    const args = ["-i", "d", "--target-dir", TARGET];
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of ["same", "longer", "newer"]) {
      await Deno.utime(`${at.directory.path}/d/${name}`, longAgo, longAgo);
    }
    await at.upload(args);
    await at.directory.write({ "d/longer": "12", "d/newer": "2", "d/other": "3" });
    await Deno.utime(`${at.directory.path}/d/longer`, longAgo, longAgo);
    const later = new Date(Date.now() + 60_000);
    await Deno.utime(`${at.directory.path}/d/newer`, later, later);
    const { stderr } = await at.upload(args);
    assertEquals(stderr, "Uploaded 3 files (4 bytes), 1 unchanged\n");
    assertEquals(await at.stored(), {
      "churn/data/longer": "12",
      "churn/data/newer": "2",
      "churn/data/other": "3",
      "churn/data/same": "1",
    });
  });

  it("goes on where it was interrupted", async () => {
    const names = Array.from({ length: 40 }, (_, number) => `d/${number}`);
    await using at = await place(Object.fromEntries(names.map((name) => [name, name])));
    const old = new Date(Date.now() - 3_600_000);
    for (const name of names) await Deno.utime(`${at.directory.path}/${name}`, old, old);
    const keys = new Keys();
    let count = 0;
    at.box.faults.before = ({ operation }) => {
      if (operation === "PutObject" && ++count === 20) keys.press();
      return undefined;
    };
    const args = ["-i", "d", "--target-dir", TARGET];
    const first = await at.upload(args, { keys });
    assertEquals([first.code, first.stdout], [130, ""]);
    at.box.faults.before = () => undefined;
    // What was on its way at Ctrl-C may arrive until the next one asks what is there.
    let arrived = 0;
    at.box.faults.after = ({ operation }) => {
      if (operation === "ListObjectsV2") arrived = at.box.s3.keys(BUCKET).length;
      return undefined;
    };
    const { code, stderr } = await at.upload(args);
    assertEquals(code, 0);
    assert(arrived > 0 && arrived < 40, `${arrived}`);
    assertMatch(stderr, new RegExp(`^Uploaded ${40 - arrived} files .*, ${arrived} unchanged\n$`));
    assertEquals(at.box.s3.keys(BUCKET).length, 40);
  });

  it("sends all where what is there may not be listed, and says so", async () => {
    await using at = await place({ "d/a": "1" });
    at.box.faults.deny("s3:ListBucket");
    const args = ["-i", "d", "--target-dir", TARGET];
    await at.upload(args);
    const { code, stderr } = await at.upload(args);
    assertEquals(code, 0);
    assertMatch(
      stderr,
      /^note: Uploading all files, .*AccessDeniedException: s3:ListBucket\nUploaded 1 file/,
    );
  });
});

suite("upload-data --delete", () => {
  it("deletes below the target what was not sent, and nothing else", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2" });
    for (const key of ["churn/data/old", "churn/data/x/old", "churn/data/", "churn/data-2/a"]) {
      await at.box.s3.put(BUCKET, key, "0");
    }
    const args = ["-i", "d", "--target-dir", TARGET];
    await at.upload(args);
    assertEquals(at.box.s3.keys(BUCKET).length, 6);
    const { code, stderr } = await at.upload([...args, "--delete"]);
    assertEquals(code, 0);
    assertMatch(stderr, /, deleted 2 objects\n$/);
    // `churn/data/` is a directory's mark of the console.
    const left = ["churn/data-2/a", "churn/data/", "churn/data/a", "churn/data/b"];
    assertEquals(at.box.s3.keys(BUCKET), left);
  });

  it("deletes thousands by the thousand", async () => {
    await using at = await place({ "d/a": "1" });
    for (let number = 0; number < 2_500; number++) {
      await at.box.s3.put(BUCKET, `churn/data/${number}`, "");
    }
    const { stderr } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertMatch(stderr, /, deleted 2500 objects\n$/);
    assertEquals(at.box.s3.keys(BUCKET), ["churn/data/a"]);
    assertEquals(at.box.operations.filter((name) => name === "s3:DeleteObjects").length, 3);
  });

  for (const target of [`s3://${BUCKET}`, `s3://${BUCKET}/`]) {
    it(`refuses to empty a bucket: ${target}`, async () => {
      await using at = await place({ "d/a": "1" });
      await at.box.s3.put(BUCKET, "other", "0");
      const { code, stderr } = await at.upload(["-i", "d", "--target-dir", target, "--delete"]);
      assertEquals(code, 2);
      assertMatch(
        stderr,
        /^error: Option "--delete" does not support a whole bucket: s3:\/\/data-bucket\/\nhint: /,
      );
      assertEquals([at.box.requests.length, at.box.s3.keys(BUCKET)], [0, ["other"]]);
    });
  }

  it("refuses to delete all for a directory without a file", async () => {
    await using at = await place({ "d/": "" });
    await at.box.s3.put(BUCKET, "churn/data/a", "0");
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertEquals([code, stderr], [
      1,
      "error: No files to upload in d\nhint: Check --input-dir. Nothing was uploaded or deleted.\n",
    ]);
    assertEquals(at.box.s3.keys(BUCKET), ["churn/data/a"]);
  });

  it("keeps what jobs and endpoints wrote and serve, which lies below s3_prefix", async () => {
    const deploy = { data_capture: `s3://${BUCKET}/churn/captured` };
    const configuration = { s3_prefix: `s3://${BUCKET}/churn`, deploy };
    await using at = await place({ "churn.json": JSON.stringify(configuration), "d/a": "1" });
    const kept = [
      "churn/captured/shop/a.jsonl",
      "churn/models/shop/0a/model.tar.gz",
      "churn/output/job/output/model.tar.gz",
    ];
    for (const key of [...kept, "churn/old"]) await at.box.s3.put(BUCKET, key, "0");
    const { code, stderr } = await at.upload(
      ["-i", "d", "--target-dir", `s3://${BUCKET}/churn/`, "--delete"],
    );
    assertEquals(code, 0);
    for (const place of ["captured", "models", "output"]) {
      assertStringIncludes(stderr, `note: Kept s3://${BUCKET}/churn/${place}/, because `);
    }
    assertEquals(at.box.s3.keys(BUCKET), ["churn/a", ...kept]);
  });

  it("keeps what it left out here, and all below it, and says so", async () => {
    await using at = await place({
      "d/a": "1",
      "d/.env": "SECRET=1",
      "d/.git/config": "1",
      "d/id.pem": "-----BEGIN PRIVATE KEY-----\n",
    });
    // A cache that is gone: of a file and of a directory.
    await Deno.symlink("cache/one", `${at.directory.path}/d/weights`);
    await Deno.symlink("cache/all", `${at.directory.path}/d/images`);
    const kept = [".env", ".git/config", "id.pem", "images/cat/1.png", "images/2.png", "weights"];
    const gone = ["old", "images2", "weights.bin", "x/.env"];
    for (const key of [...kept, ...gone]) await at.box.s3.put(BUCKET, `churn/data/${key}`, "0");
    const args = ["-i", "d", "--target-dir", TARGET, "--delete"];
    const places = [".env", ".git", "id.pem"].map((name) => `${TARGET}/${name}`).join(", ");
    const note = `note: Kept objects whose local files were skipped: ${places} and 2 more\n`;
    const dry = await at.upload([...args, "--dry-run"]);
    assertStringIncludes(dry.stderr, note);
    assertEquals(JSON.parse(dry.stdout).delete, gone.map((name) => `churn/data/${name}`).sort());
    const { code, stderr } = await at.upload(args);
    assertEquals(code, 0);
    assertStringIncludes(stderr, note);
    assertMatch(stderr, /, deleted 4 objects\n$/);
    assertEquals(
      Object.keys(await at.stored()),
      [
        ...[".env", ".git/config", "a", "id.pem", "images/2.png", "images/cat/1.png", "weights"],
      ].map((name) => `churn/data/${name}`),
    );
  });

  it("keeps what lies where junk was left out, and says so", async () => {
    await using at = await place({ "d/a": "1", "d/.DS_Store": "x", "d/__MACOSX/._a": "x" });
    const kept = [".DS_Store", "__MACOSX/._a"];
    for (const key of [...kept, "x/.DS_Store"]) {
      await at.box.s3.put(BUCKET, `churn/data/${key}`, "0");
    }
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertEquals(code, 0);
    const places = `${TARGET}/.DS_Store, ${TARGET}/__MACOSX`;
    assertStringIncludes(stderr, `note: Kept objects whose local files were skipped: ${places}\n`);
    assertEquals(
      Object.keys(await at.stored()),
      [...kept, "a"].map((name) => `churn/data/${name}`),
    );
  });

  it("keeps what a link led to that broke after it was looked at", async () => {
    await using at = await place({ "d/a": "1", "d/x/b": "2", "d/y/one": "3" });
    await Deno.symlink("../y/one", `${at.directory.path}/d/x/c`);
    await at.box.s3.put(BUCKET, "churn/data/x/c", "3");
    at.box.faults.before = async ({ operation }) => {
      if (operation !== "ListObjectsV2") return undefined;
      await Deno.remove(`${at.directory.path}/d/y/one`);
      return undefined;
    };
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertEquals(code, 0);
    assertStringIncludes(
      stderr,
      `note: Kept objects whose local files were skipped: ${TARGET}/x/c\n`,
    );
    assertEquals(Object.keys(await at.stored()).at(-1), "churn/data/x/c");
  });

  it("deletes below a target that is typed, and not below one of the configuration file", async () => {
    const configuration = { s3_prefix: `s3://${BUCKET}/churn` };
    await using at = await place({ "churn.json": JSON.stringify(configuration), "d/a": "1" });
    const { code, stderr } = await at.upload(["-i", "d", "--delete"]);
    assertEquals([code, at.box.requests], [2, []]);
    assertMatch(stderr, /^error: Option "--delete" requires "--target-dir"\nhint: /);
  });

  it("deletes nothing where a file was not sent", async () => {
    await using at = await place({ "d/a": "1", "d/b": "1" });
    await at.box.s3.put(BUCKET, "churn/data/old", "0");
    at.box.faults.deny("s3:PutObject", "*/b");
    const { code } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertEquals([code, at.box.s3.keys(BUCKET)], [1, ["churn/data/a", "churn/data/old"]]);
  });

  it("names what it may not delete", async () => {
    await using at = await place({ "d/a": "1" });
    for (const key of ["old", "older"]) await at.box.s3.put(BUCKET, `churn/data/${key}`, "0");
    at.box.faults.deny("s3:DeleteObject", "*/old");
    const { code, stdout, stderr } = await at.upload(
      ["-i", "d", "--target-dir", TARGET, "--delete"],
    );
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Cannot delete 1 object in s3:\/\/data-bucket\/\n/);
    assertMatch(stderr, /churn\/data\/old: AccessDeniedException: s3:DeleteObject\n/);
    assertEquals(at.box.s3.keys(BUCKET), ["churn/data/a", "churn/data/old"]);
  });

  it("deletes the object of a key as it is, not of the key without ../", async () => {
    await using at = await place({ "d/other/precious": "1" });
    const unnamed = "p/\x01/../../other/precious";
    const named = [
      "./other/precious",
      "q\x01//r",
      "z",
      " a b ",
      "\ta\r\n",
      "007",
      "true",
      "&amp;<",
    ];
    for (let number = 0; number < 500; number++) named.push(`&${"<'&\"".repeat(20)}${number}`);
    for (const key of [unnamed, ...named]) await at.box.s3.put(BUCKET, `churn/data/${key}`, "0");
    const args = ["-i", "d", "--target-dir", TARGET, "--delete"];
    const { code, stderr } = await at.upload(args);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot delete 1 object in s3:\/\/data-bucket\/\n/);
    assertStringIncludes(
      stderr,
      '"." and ".." are not supported in S3 paths: /data-bucket/churn/data/p/?/../../other/precious',
    );
    assertEquals(
      at.box.s3.keys(BUCKET),
      ["other/precious", unnamed].map((key) => `churn/data/${key}`),
    );
  });

  it("deletes nothing where the bucket may not be listed", async () => {
    await using at = await place({ "d/a": "1" });
    at.box.faults.deny("s3:ListBucket");
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", TARGET, "--delete"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: AccessDeniedException: s3:ListBucket\n/);
    assertEquals(at.box.operations.filter((name) => CHANGES.test(name)), []);
  });
});

suite("upload-data --dry-run", () => {
  it("prints what would be sent and deleted, and does neither", async () => {
    await using at = await place({ "d/a": "1", "d/same": "1" });
    const old = new Date(Date.now() - 3_600_000);
    await Deno.utime(`${at.directory.path}/d/same`, old, old);
    await at.box.s3.put(BUCKET, "churn/data/same", "1");
    await at.box.s3.put(BUCKET, "churn/data/old", "1");
    const large = await Deno.open(`${at.directory.path}/d/large`, { create: true, write: true });
    await large.truncate(17 * MIB);
    large.close();
    const args = ["-i", "d", "--target-dir", TARGET, "--dry-run"];
    const { code, stdout, stderr } = await at.upload([...args, "--delete"]);
    assertEquals([code, stderr], [0, ""]);
    const put = { PutObject: 1 };
    const parts = { CreateMultipartUpload: 1, UploadPart: 3, CompleteMultipartUpload: 1 };
    const plan = {
      target: `${TARGET}/`,
      send: [
        { path: "d/a", key: "churn/data/a", bytes: 1, calls: put },
        { path: "d/large", key: "churn/data/large", bytes: 17 * MIB, calls: parts },
      ],
      delete: ["churn/data/old"],
      files: 2,
      bytes: 17 * MIB + 1,
      unchanged: 1,
      calls: { ...put, ...parts, DeleteObjects: 1 },
    };
    assertEquals(JSON.parse(stdout), plan);
    assertEquals(at.box.operations, ["s3:ListObjectsV2"]);
    const kept = JSON.parse((await at.upload(args)).stdout);
    assertEquals(kept, { ...plan, delete: [], calls: { ...put, ...parts } });
  });

  it("prints JSON where nothing would be sent", async () => {
    await using at = await place({ "d/a": "1" });
    const old = new Date(Date.now() - 3_600_000);
    await Deno.utime(`${at.directory.path}/d/a`, old, old);
    await at.box.s3.put(BUCKET, "churn/data/a", "1");
    const { stdout } = await at.upload(["-i", "d", "--target-dir", TARGET, "--dry-run"]);
    const nothing = { send: [], delete: [], files: 0, bytes: 0, unchanged: 1, calls: {} };
    assertEquals(JSON.parse(stdout), { target: `${TARGET}/`, ...nothing });
  });
});

suite("upload-data sends nothing", () => {
  for (
    const [what, args, code, words] of [
      ["without a target", ["-i", "d"], 1, /^error: Not a valid mlcli directory/],
      [
        "without an input",
        ["--target-dir", TARGET],
        2,
        /^error: Missing required option "--input-/,
      ],
      [
        "to no address",
        ["-i", "d", "--target-dir", "bucket/x"],
        2,
        /"--target-dir" must be an S3 URI, but/,
      ],
      [
        "to no bucket",
        ["-i", "d", "--target-dir", "s3://B!/x"],
        2,
        /"--target-dir" must be an S3 URI, but/,
      ],
      [
        "of what is not there",
        ["-i", "nothing", "--target-dir", TARGET],
        1,
        /^error: No such file or directory: nothing\n/,
      ],
      [
        "of a device",
        ["-i", "/dev/null", "--target-dir", TARGET],
        1,
        /^error: \/dev\/null is neither a file nor a directory\n/,
      ],
      [
        "to one key twice",
        ["-i", "d", "-i", "e", "--target-dir", TARGET],
        1,
        /^error: d\/a and e\/a would have the same key in S3\n/,
      ],
      [
        "to one key twice, a file and a directory's",
        ["-i", "d", "-i", "e/a", "--target-dir", TARGET],
        1,
        /^error: (d\/a and e\/a|e\/a and d\/a) would have the same key in S3\n/,
      ],
      [
        "to too long a key",
        ["-i", "d", "--target-dir", `s3://${BUCKET}/${"x".repeat(1023)}`],
        1,
        /^error: The S3 key of d\/a is longer than 1024 bytes\n/,
      ],
    ] as const
  ) {
    it(what, async () => {
      await using at = await place({ "d/a": "1", "d/b": "1", "e/a": "2" });
      const result = await at.upload(args);
      assertEquals([result.code, result.stdout], [code, ""]);
      assertMatch(result.stderr, words);
      assertMatch(result.stderr, /\nhint: /);
      assertEquals(at.box.requests, []);
    });
  }

  it("to a bucket that is not there", async () => {
    await using at = await place({ "d/a": "1" });
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", "s3://no-bucket/x"]);
    assertEquals([code, stderr.split("\n")[0]], [1, "error: ResourceNotFound: bucket no-bucket"]);
  });

  it("and says how to configure one where an app names no place", async () => {
    await using at = await place({ "churn.json": '{"image_name": "churn"}', "d/a": "1" });
    const { code, stderr } = await at.upload(["-i", "d"]);
    assertEquals([code, stderr], [
      2,
      'error: Missing required option "--target-dir"\nhint: Set it, or set ' +
      '"s3_prefix": "s3://BUCKET/PREFIX" in churn.json for all data of the app\n',
    ]);
  });

  it("of a name that is not UTF-8", async () => {
    await using at = await place({ "d/a": "1" });
    python(at.directory.path, 'open(b"d/\\xff", "w")');
    if (!LISTS_ALL_NAMES) return;
    const { code, stderr } = await at.upload(["-i", "d", "--target-dir", TARGET]);
    assertEquals([code, stderr.split(":")[1]], [1, " The name of this file is not valid UTF-8"]);
    assertEquals(at.box.requests, []);
  });
});
