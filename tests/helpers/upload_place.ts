import { Box } from "./box/box.ts";
import { makeDirectory, type TestDirectory } from "./directory.ts";
import { type InProcessOptions, runInProcess } from "./in_process.ts";
import type { ProgramResult } from "./program.ts";

/** The only bucket there. */
export const BUCKET = "data-bucket";
/** Where the tests send to. */
export const TARGET = `s3://${BUCKET}/churn/data`;

/** A platform with a bucket, and a directory to send from. */
export interface Place extends AsyncDisposable {
  readonly box: Box;
  readonly directory: TestDirectory;
  upload(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
  /** Keys below the target, with what is there. */
  stored(): Promise<Record<string, string>>;
}

/** Makes both. Close it with `await using`. */
export async function place(files: Readonly<Record<string, string>> = {}): Promise<Place> {
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
