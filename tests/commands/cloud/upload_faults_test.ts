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
        assertEquals([code, stdout, stderr], [0, `${TARGET}/\n`, "2 files sent (12.6 MB)\n"]);
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
      assertEquals([code, stderr], [0, "2 files sent (12.6 MB)\n"]);
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
      [`error: Not sent to ${TARGET}/: 1 file`, "  d/b: AccessDeniedException: s3:PutObject"],
    );
    assertMatch(stderr, /\nhint: 2 others are there. The same command again sends what is missing/);
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
      `error: Not sent to ${TARGET}/: 2 files`,
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
    assertMatch(stderr, /\n {2}d\/a: it changed while it was being sent\n/);
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
    assertEquals([code, stderr.split("\n")[0]], [1, `error: Not sent to ${TARGET}/: 30 files`]);
    assertEquals(at.box.s3.keys(BUCKET).length, 270);
  });

  it("and says so where parts could not be removed", async () => {
    await using at = await place({ "d/": "" });
    await writeLarge(at);
    at.box.faults.deny("s3:AbortMultipartUpload");
    at.box.faults.refuse("s3:UploadPart", new Refused("InvalidRequest", "No."));
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 1);
    assertMatch(stderr, /^warning: Parts of s3:\/\/data-bucket\/churn\/data\/large could not be/);
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
    assertMatch(stderr, /^warning: Parts of s3:\/\/data-bucket\/churn\/data\/large could not be/);
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
    assertEquals([code, stderr], [0, "4 files sent (4 bytes)\n"]);
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
        /^error: d\/x\/link leads out of .*, to \/etc/,
      ],
      ["lead out, to a directory", "/etc", /^error: d\/x\/link leads out of .*, to \/etc\n/],
      ["lead out, to nothing", "/nonexistent", /^error: d\/x\/link leads out of .*, to \/nonexis/],
      ["lead to what is private", "../../.env", /^error: d\/x\/link leads to what is private: /],
      ["lead to a directory with it", "../../p", /^error: d\/x\/link leads to what is private: /],
      ["lead in a circle", "..", /^error: d\/x\/link leads in a circle, to /],
      [
        "lead to the repository that they are in",
        "../..",
        /^error: d\/x\/link leads to what is pr/,
      ],
    ] as const
  ) {
    it(`that ${what} are refused before anything is sent`, async () => {
      const files = { ".git/HEAD": "", ".env": "KEY=1", "p/deep/.env": "KEY=1" };
      await using at = await place({ ...files, "d/a": "1", "d/x/b": "1" });
      await Deno.symlink(target, `${at.directory.path}/d/x/link`);
      const { code, stdout, stderr } = await at.upload(ARGS);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, words);
      assertMatch(stderr, /\nhint: Nothing was sent\. /);
      assertEquals(at.box.requests, []);
    });
  }

  it("that lead out of a directory without a repository are refused", async () => {
    await using at = await place({ "d/a": "1", "other/b": "2" });
    await Deno.symlink("../other/b", `${at.directory.path}/d/link`);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, at.box.requests], [1, []]);
    assertMatch(stderr, /^error: d\/link leads out of .*\/d, to .*\/other\/b\n/);
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
      /^warning: Not sent, since they are no files and lead to none: d\/(link|pipe), d\/(link|pipe)\nhint: /,
    );
    assertEquals(await at.stored(), { "churn/data/a": "1" });
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
      "warning: Not sent, since they may hold secrets: d/.aws, d/.env, d/x/server.pem\n" +
      "hint: What is meant to be sent has to be named by itself: --input-dir FILE\n" +
      "3 files sent (33 bytes)\n",
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
