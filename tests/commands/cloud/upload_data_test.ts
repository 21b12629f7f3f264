import { assert, assertEquals, assertMatch } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const BUCKET = "data-bucket";
const TARGET = `s3://${BUCKET}/churn/data`;
const MIB = 1024 ** 2;

/** A platform with a bucket, and a directory to send from. */
interface Place extends AsyncDisposable {
  readonly box: Box;
  readonly directory: TestDirectory;
  upload(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
  /** Keys below the target, with what is there. */
  stored(): Promise<Record<string, string>>;
}

async function place(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const box = await Box.open();
  const directory = await makeDirectory(files);
  box.s3.createBucket(BUCKET);
  return {
    box,
    directory,
    upload: (args, options) =>
      runInProcess(["upload-data", ...args], {
        cwd: directory.path,
        cloud: box.env(),
        ...options,
      }),
    async stored() {
      const keys = box.s3.keys(BUCKET);
      const entries = await Promise.all(
        keys.map(async (key) => [key, await box.s3.text(BUCKET, key)] as const),
      );
      return Object.fromEntries(entries);
    },
    async [Symbol.asyncDispose]() {
      await directory[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}

suite("upload-data", () => {
  it("sends a directory's tree, and prints where it is", async () => {
    await using at = await place({ "data/a.csv": "1\n", "data/deep/er/b.csv": "22\n" });
    const { code, stdout, stderr } = await at.upload(["-i", "data", "--target-dir", TARGET]);
    assertEquals([code, stdout, stderr], [0, `${TARGET}/\n`, "2 files sent (5 bytes)\n"]);
    assertEquals(await at.stored(), {
      "churn/data/a.csv": "1\n",
      "churn/data/deep/er/b.csv": "22\n",
    });
  });
});
