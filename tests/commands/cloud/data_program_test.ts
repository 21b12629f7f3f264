import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Box } from "../../helpers/box/box.ts";
import { runCloud, startCloud } from "../../helpers/cloud.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { resultOf } from "../../helpers/program.ts";
import { assertSameBytes } from "../../helpers/same_bytes.ts";
import { it, suite } from "../../helpers/suite.ts";

const BUCKET = "data-bucket";
const TARGET = `s3://${BUCKET}/churn/data`;
const MIB = 1024 ** 2;

suite("data, as a program", () => {
  it("is sent, whole and in parts, and only once", async () => {
    await using box = await Box.open();
    box.s3.createBucket(BUCKET);
    await using directory = await makeDirectory({ "d/a b+\u00fc.csv": "1\n", "d/x/b.csv": "22\n" });
    const large = new Uint8Array(12 * MIB).fill(1, 0, 8 * MIB).fill(2, 8 * MIB);
    await Deno.writeFile(join(directory.path, "d/large"), large);
    const upload = () =>
      runCloud(box, ["upload-data", "-i", "d", "--target-dir", TARGET], { cwd: directory.path });
    assertEquals(await upload(), {
      code: 0,
      stdout: `${TARGET}/\n`,
      stderr: "Uploaded 3 files (12.6 MB)\n",
    });
    assertEquals(await upload(), {
      code: 0,
      stdout: `${TARGET}/\n`,
      stderr: "Uploaded 0 files (0 bytes), 3 unchanged\n",
    });
    assertEquals(box.s3.keys(BUCKET), [
      "churn/data/a b+\u00fc.csv",
      "churn/data/large",
      "churn/data/x/b.csv",
    ]);
    assertSameBytes(await box.s3.bytes(BUCKET, "churn/data/large"), large);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`leaves nothing half-written after ${signal}`, async () => {
      await using box = await Box.open();
      box.s3.createBucket(BUCKET);
      await using directory = await makeDirectory({ "d/a": "1" });
      await Deno.writeFile(join(directory.path, "d/large"), new Uint8Array(12 * MIB));
      const args = ["upload-data", "-i", "d", "--target-dir", TARGET];
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      let isKilled = false;
      box.faults.before = async ({ operation }) => {
        if (operation === "AbortMultipartUpload") release();
        if (operation !== "UploadPart") return undefined;
        // A second signal would wait for nothing.
        if (!isKilled) child.kill(signal);
        isKilled = true;
        await held;
        return undefined;
      };
      const child = startCloud(box, args, { cwd: directory.path });
      const { code, stdout } = await resultOf(child);
      assertEquals([code, stdout], [signal === "SIGINT" ? 130 : 143, ""]);
      assertEquals(box.s3.uploads(BUCKET), []);
      assertEquals(box.s3.object(BUCKET, "churn/data/large"), undefined);
    });
  }
});
