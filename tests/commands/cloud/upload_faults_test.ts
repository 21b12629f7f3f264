import { assert, assertEquals, assertMatch } from "@std/assert";
import { Refused } from "../../helpers/box/service.ts";
import { Keys } from "../../helpers/in_process.ts";
import { assertSameBytes } from "../../helpers/same_bytes.ts";
import { it, suite } from "../../helpers/suite.ts";
import { isInSample } from "../../helpers/sweep.ts";
import { BUCKET, type Place, place, TARGET } from "../../helpers/upload_place.ts";

const MIB = 1024 ** 2;

/** A file of two parts, whose bytes tell the parts apart. */
async function writeLarge(at: Place, name = "large"): Promise<Uint8Array> {
  const bytes = new Uint8Array(12 * MIB).fill(1, 0, 8 * MIB).fill(2, 8 * MIB);
  await Deno.writeFile(`${at.directory.path}/d/${name}`, bytes);
  return bytes;
}

const ARGS = ["-i", "d", "--target-dir", TARGET];

/** The operations of an upload of a small and a large file. */
const OPERATIONS = [
  "ListObjectsV2",
  "PutObject",
  "CreateMultipartUpload",
  "UploadPart",
  "CompleteMultipartUpload",
];

/** After that, the SDK waits for seconds: one operation a day. */
const THROTTLED = "is throttled";

/** What happens to an operation twice, and then no more. */
const PASSING = {
  [THROTTLED]: (at: Place, operation: string) => at.box.faults.throttle(`s3:${operation}`, 2),
  "fails with HTTP 500": (at: Place, operation: string) => at.box.faults.fail(`s3:${operation}`, 2),
  "fails with HTTP 503": (at: Place, operation: string) =>
    at.box.faults.fail(`s3:${operation}`, 2, 503),
  "is done, and its answer lost": (at: Place, operation: string) =>
    at.box.faults.loseAnswer(`s3:${operation}`, 2),
};

suite("upload-data goes on where", () => {
  for (const [row, operation] of OPERATIONS.entries()) {
    for (const [what, fault] of Object.entries(PASSING)) {
      if (what === THROTTLED && !isInSample(row, OPERATIONS.length)) continue;
      it(`${operation} ${what}`, async () => {
        await using at = await place({ "d/small": "1" });
        const large = await writeLarge(at);
        fault(at, operation);
        const { code, stdout, stderr } = await at.upload(ARGS);
        assertEquals([code, stdout, stderr], [0, `${TARGET}/\n`, "Uploaded 2 files (12.6 MB)\n"]);
        assertEquals(at.box.s3.keys(BUCKET), ["churn/data/large", "churn/data/small"]);
        assertSameBytes(await at.box.s3.bytes(BUCKET, "churn/data/large"), large);
        // Not even one of which only SageMaker knew.
        assertEquals(at.box.s3.uploads(BUCKET), []);
      });
    }
  }

  for (const operation of ["PutObject", "UploadPart"]) {
    it(`${operation} fails more often than the SDK asks: at the end it is tried again`, async () => {
      await using at = await place({ "d/small": "1" });
      await writeLarge(at);
      at.box.faults.fail(`s3:${operation}`, 4, 503);
      const { code, stderr } = await at.upload(ARGS);
      assertEquals([code, stderr], [0, "Uploaded 2 files (12.6 MB)\n"]);
      assertEquals(at.box.s3.uploads(BUCKET), []);
    });
  }

  it("a file changes while it is read: it is sent as it is then", async () => {
    await using at = await place({ "d/a": "1", "d/b": "1" });
    let isChanged = false;
    at.box.faults.before = async ({ operation, input }) => {
      if (operation === "PutObject" && input.Key.endsWith("/a") && !isChanged) {
        isChanged = true;
        await at.directory.write({ "d/a": "22" });
      }
      return undefined;
    };
    const { code } = await at.upload(ARGS);
    assertEquals([code, await at.stored()], [0, { "churn/data/a": "22", "churn/data/b": "1" }]);
  });

  it("a file in parts changes: it is sent once more, and no part of the first is left", async () => {
    await using at = await place({ "d/": "" });
    await writeLarge(at);
    let isChanged = false;
    at.box.faults.before = async ({ operation }) => {
      if (operation === "UploadPart" && !isChanged) {
        isChanged = true;
        await Deno.writeFile(`${at.directory.path}/d/large`, new Uint8Array(9 * MIB).fill(3));
      }
      return undefined;
    };
    const { code } = await at.upload(ARGS);
    assertEquals([code, at.box.s3.uploads(BUCKET)], [0, []]);
    const there = await at.box.s3.bytes(BUCKET, "churn/data/large");
    assertSameBytes(there, new Uint8Array(9 * MIB).fill(3));
  });
});

suite("upload-data names what it could not send, and sends the others", () => {
  it("where a key may not be written", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2", "d/c": "3" });
    at.box.faults.deny("s3:PutObject", "*/b");
    const { code, stdout, stderr } = await at.upload(ARGS);
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr.split("\n").slice(0, 2),
      [`error: Cannot upload 1 file to ${TARGET}/`, "  d/b: AccessDeniedException: s3:PutObject"],
    );
    assertMatch(
      stderr,
      /\nhint: 2 other files are already in S3\. Rerun the command to upload the rest\./,
    );
    assertEquals(Object.keys(await at.stored()), ["churn/data/a", "churn/data/c"]);
  });

  it("in the order of the files, whichever fails first", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2", "d/c": "3" });
    at.box.faults.before = async ({ operation, input }) => {
      if (operation !== "PutObject" || input.Key.endsWith("/c")) return undefined;
      // The first takes longer.
      const turns = input.Key.endsWith("/a") ? 50 : 0;
      for (let turn = 0; turn < turns; turn++) await new Promise((next) => setTimeout(next));
      throw new Refused("InvalidRequest", "No.");
    };
    const { stderr } = await at.upload(ARGS);
    assertEquals(stderr.split("\n").slice(0, 3), [
      `error: Cannot upload 2 files to ${TARGET}/`,
      "  d/a: s3:PutObject failed: No.",
      "  d/b: s3:PutObject failed: No.",
    ]);
  });

  it("where a file is gone meanwhile", async () => {
    await using at = await place({ "d/a": "1", "d/b": "2" });
    at.box.faults.before = async ({ operation }) => {
      if (operation === "ListObjectsV2") await Deno.remove(`${at.directory.path}/d/b`);
      return undefined;
    };
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, await at.stored()], [1, { "churn/data/a": "1" }]);
    assertMatch(stderr, /\n {2}d\/b: Cannot read d\/b: No such file or directory\n/);
  });

  it("where a part of a file is refused: nothing of it is left", async () => {
    await using at = await place({ "d/a": "1" });
    await writeLarge(at);
    const refusal = new Refused("InvalidRequest", "No such part here.");
    at.box.faults.refuse("s3:UploadPart", refusal);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 1);
    assertMatch(stderr, /\n {2}d\/large: s3:PutObject failed: No such part here\.\n/);
    assertEquals([at.box.s3.keys(BUCKET), at.box.s3.uploads(BUCKET)], [["churn/data/a"], []]);
  });

  it("where a file never stays the same", async () => {
    await using at = await place({ "d/a": "1", "d/b": "1" });
    let count = 0;
    at.box.faults.before = async ({ operation, input }) => {
      if (operation === "PutObject" && input.Key.endsWith("/a")) {
        await at.directory.write({ "d/a": "x".repeat(++count + 1) });
      }
      return undefined;
    };
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, count], [1, 2]);
    assertMatch(stderr, /\n {2}d\/a: the file changed during the upload\n/);
  });

  it("and gives the reason alone where it is everything's", async () => {
    await using at = await place({ "d/a": "1", "d/b": "1" });
    at.box.faults.deny("s3:PutObject");
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: AccessDeniedException: s3:PutObject\n/);
  });

  it("and stops after the first failures where not one file can be sent", async () => {
    const names = Array.from({ length: 200 }, (_, number) => [`d/${number}`, "1"]);
    await using at = await place(Object.fromEntries(names));
    at.box.faults.deny("s3:PutObject");
    const { code } = await at.upload(ARGS);
    assertEquals(code, 1);
    const asked = at.box.operations.filter((name) => name === "s3:PutObject").length;
    assert(asked < 50, `${asked}`);
  });

  it("and goes on where more than 20 fail among many that are sent", async () => {
    const names = Array.from({ length: 300 }, (_, number) => [`d/${number}`, "1"]);
    await using at = await place(Object.fromEntries(names));
    at.box.faults.before = ({ operation, input }) => {
      if (operation === "PutObject" && /5$/.test(input.Key)) {
        throw new Refused("NoSuchThing", "No.");
      }
      return undefined;
    };
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, stderr.split("\n")[0]], [1, `error: Cannot upload 30 files to ${TARGET}/`]);
    assertEquals(at.box.s3.keys(BUCKET).length, 270);
  });

  it("and says so where parts could not be removed", async () => {
    await using at = await place({ "d/": "" });
    await writeLarge(at);
    at.box.faults.deny("s3:AbortMultipartUpload");
    at.box.faults.refuse("s3:UploadPart", new Refused("InvalidRequest", "No."));
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^warning: Cannot remove the parts of the unfinished upload of s3:\/\/data-bucket\/churn\/data\/large\n/,
    );
    assertMatch(stderr, /--key churn\/data\/large --upload-id upload-000001\n/);
  });
});

suite("upload-data, interrupted", () => {
  for (const operation of OPERATIONS) {
    for (const moment of ["before", "after"] as const) {
      it(`${moment} ${operation}: leaves whole objects and nothing else`, async () => {
        await using at = await place({ "d/small": "1" });
        const large = await writeLarge(at);
        const keys = new Keys();
        at.box.faults[moment] = (request) => {
          // The second Ctrl-C would wait for nothing.
          const isFirst = !keys.interruption.signal.aborted;
          if (request.operation === operation && isFirst) keys.press();
          return undefined;
        };
        const { code, stdout, stderr } = await at.upload(ARGS, { keys });
        assertEquals([code, stdout, stderr], [130, "", ""]);
        assertEquals(at.box.s3.uploads(BUCKET), []);
        for (const key of at.box.s3.keys(BUCKET)) {
          const expected = key.endsWith("small") ? new TextEncoder().encode("1") : large;
          assertSameBytes(await at.box.s3.bytes(BUCKET, key), expected);
        }
      });
    }
  }

  it("twice: waits for nothing, and names what is left behind", async () => {
    await using at = await place({ "d/": "" });
    await writeLarge(at);
    const keys = new Keys();
    at.box.faults.before = ({ operation }) => {
      if (operation === "UploadPart" || operation === "AbortMultipartUpload") keys.press();
      return undefined;
    };
    const { code, stderr } = await at.upload(ARGS, { keys });
    assertEquals(code, 130);
    assertMatch(
      stderr,
      /^warning: Cannot remove the parts of the unfinished upload of s3:\/\/data-bucket\/churn\/data\/large\n/,
    );
  });

  it("deletes nothing", async () => {
    await using at = await place({ "d/small": "1" });
    await at.box.s3.put(BUCKET, "churn/data/old", "0");
    const keys = new Keys();
    at.box.faults.before = ({ operation }) => {
      if (operation === "PutObject") keys.press();
      return undefined;
    };
    const { code } = await at.upload([...ARGS, "--delete"], { keys });
    assertEquals(code, 130);
    assert(at.box.s3.keys(BUCKET).includes("churn/data/old"));
  });
});

suite("links below a directory that is sent", () => {
  it("are followed within it, and within the repository", async () => {
    await using at = await place({
      ".git/HEAD": "",
      "d/a": "1",
      "shared/b": "2",
      "shared/deep/c": "3",
    });
    await Deno.symlink("a", `${at.directory.path}/d/link`);
    await Deno.symlink("../shared", `${at.directory.path}/d/shared`);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, stderr], [0, "Uploaded 4 files (4 bytes)\n"]);
    assertEquals(await at.stored(), {
      "churn/data/a": "1",
      "churn/data/link": "1",
      "churn/data/shared/b": "2",
      "churn/data/shared/deep/c": "3",
    });
  });

  for (
    const [what, target, words] of [
      [
        "lead out of the repository",
        "/etc/hostname",
        /d\/x\/link points outside .*, to \/etc/,
      ],
      ["lead out, to a directory", "/etc", /d\/x\/link points outside .*, to \/etc\n/],
      [
        "lead out, to nothing",
        "/nonexistent",
        /d\/x\/link points to \/nonexistent, which does not exist\n/,
      ],
      ["lead to what is private", "../../.env", /d\/x\/link points to private data: /],
      ["lead to a directory with it", "../../p", /d\/x\/link points to private data: /],
      ["lead in a circle", "..", /d\/x\/link forms a loop with /],
      [
        "lead to the repository that they are in",
        "../..",
        /d\/x\/link forms a loop with /,
      ],
    ] as const
  ) {
    // https://github.com/aws/aws-cli/issues/3150
    it(`that ${what} are left out, and named with their targets`, async () => {
      const files = { ".git/HEAD": "", ".env": "KEY=1", "p/deep/.env": "KEY=1" };
      await using at = await place({ ...files, "d/a": "1", "d/x/b": "1" });
      await Deno.symlink(target, `${at.directory.path}/d/x/link`);
      const { code, stderr } = await at.upload(ARGS);
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /^warning: Skipped a link: d\/x\/link (points|forms a loop) /);
      assertMatch(stderr, words);
      assertEquals(await at.stored(), { "churn/data/a": "1", "churn/data/x/b": "1" });
    });
  }

  it("that lead out of a directory without a repository are left out", async () => {
    await using at = await place({ "d/a": "1", "other/b": "2" });
    await Deno.symlink("../other/b", `${at.directory.path}/d/link`);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, await at.stored()], [0, { "churn/data/a": "1" }]);
    assertMatch(
      stderr,
      /^warning: Skipped a link: d\/link points outside .*\/d, to .*\/other\/b\n/,
    );
  });

  it("may lead there where the user named them", async () => {
    await using at = await place({ "other/b": "2" });
    await Deno.symlink("other", `${at.directory.path}/d`);
    assertEquals((await at.upload(ARGS)).code, 0);
    assertEquals(await at.stored(), { "churn/data/b": "2" });
  });

  it("that lead nowhere, and what is no file, are left out, and named", async () => {
    await using at = await place({ "d/a": "1" });
    await Deno.symlink("nothing", `${at.directory.path}/d/link`);
    const made = await new Deno.Command("mkfifo", { args: ["d/pipe"], cwd: at.directory.path })
      .output();
    assert(made.success);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 0);
    assertMatch(
      stderr,
      /^warning: Skipped a link: d\/link points to nothing, which .*\n.*\nwarning: Skipped entries .*: d\/pipe\nhint: /,
    );
    assertEquals(await at.stored(), { "churn/data/a": "1" });
  });
});

suite("Git LFS pointers", () => {
  // https://github.com/docker/build-push-action/issues/312
  it("are refused before anything is sent", async () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\n" +
      `oid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
    await using at = await place({ "d/a": "1", "d/b.parquet": pointer });
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, at.box.requests], [1, []]);
    assertMatch(
      stderr,
      /^error: d\/b\.parquet is a Git LFS pointer, .*\nhint: Run git lfs pull in the repository\./,
    );
  });
});

suite("links in the cache of the Hugging Face Hub", () => {
  // https://github.com/huggingface/huggingface_hub/issues/2883
  it("are followed", async () => {
    await using at = await place({ "models--a--b/blobs/1": "weights" });
    const snapshot = `${at.directory.path}/models--a--b/snapshots/main`;
    await Deno.mkdir(snapshot, { recursive: true });
    await Deno.symlink("../../blobs/1", `${snapshot}/model.bin`);
    const { code, stderr } = await at.upload(["-i", snapshot, "--target-dir", TARGET]);
    assertEquals([code, await at.stored()], [0, { "churn/data/model.bin": "weights" }], stderr);
  });
});

suite("private files", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nx\n";
  const files = {
    "d/a": "1",
    "d/.env": "KEY=1",
    "d/.env.example": "KEY=",
    "d/.aws/credentials": "x",
    "d/x/server.pem": key,
    "d/x/ca.pem": "-----BEGIN CERTIFICATE-----\n",
  };

  it("below a directory are left out, and named", async () => {
    await using at = await place(files);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, stderr], [
      0,
      "warning: Skipped files that might contain secrets: d/.aws, d/.env, d/x/server.pem\n" +
      "hint: To upload such a file, set it as an input: --input-dir FILE\n" +
      "Uploaded 3 files (33 bytes)\n",
    ]);
    assertEquals(
      Object.keys(await at.stored()),
      ["churn/data/.env.example", "churn/data/a", "churn/data/x/ca.pem"],
    );
  });

  it("that the user names are sent", async () => {
    await using at = await place(files);
    const { code } = await at.upload(["-i", "d/.env", "--target-dir", TARGET]);
    assertEquals([code, await at.stored()], [0, { "churn/data/.env": "KEY=1" }]);
  });
});

suite("junk", () => {
  // Each broke a program that read it as data; the names are those of the reports.
  const files = {
    "d/a/1.png": "1",
    // https://github.com/open-mmlab/mmpretrain/issues/507: one class of images more.
    "d/.ipynb_checkpoints/a-checkpoint.csv": "x",
    // https://github.com/run-llama/llama_index/issues/88
    "d/.DS_Store": "x",
    // https://github.com/WorldBank-Transport/open-transit-indicators/issues/54
    "d/__MACOSX/a/._1.png": "x",
    // https://github.com/soft-matter/trackpy/issues/87: it failed after 840 images.
    "d/a/thumbs.db": "x",
    // https://github.com/ImageMarkup/isic-challenge-scoring/issues/15: two files of one name.
    "d/a/._1.png": "x",
  };

  it("below a directory is left out, with one note", async () => {
    await using at = await place(files);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, stderr], [
      0,
      "note: Skipped 5 files that operating systems and notebooks create: d/.DS_Store, " +
      "d/.ipynb_checkpoints, d/__MACOSX and 2 more\n" +
      "Uploaded 1 file (1 byte)\n",
    ]);
    assertEquals(await at.stored(), { "churn/data/a/1.png": "1" });
  });

  it("that the user names is sent", async () => {
    await using at = await place(files);
    const typed = ["-i", "d/.DS_Store", "-i", "d/__MACOSX/a/._1.png", "-i", "d/a/1.png"];
    const { code } = await at.upload([...typed, "--target-dir", TARGET]);
    const stored = { "churn/data/.DS_Store": "x", "churn/data/._1.png": "x" };
    assertEquals([code, await at.stored()], [0, { ...stored, "churn/data/1.png": "1" }]);
  });

  it("alone is nothing to send", async () => {
    await using at = await place({ "d/._a.csv": "x" });
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^note: Skipped 1 file .*: d\/\._a\.csv\nerror: No files to upload in d\n/,
    );
  });
});
