/** `upload-data`, `download-model` and `download-output`, to be cut off. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { completeApp } from "../app.ts";
import { Box } from "../box/box.ts";
import { filesBelow } from "../directory.ts";
import { assertSameBytes } from "../same_bytes.ts";
import type { Stopped } from "../stopped_call.ts";
import { tarGz } from "../tar.ts";
import { BUCKET, place, TARGET } from "../upload_place.ts";
import type { Cut, Scene } from "./scene.ts";

const encoder = new TextEncoder();

/** A file of two parts, whose bytes tell the parts apart. */
const MIB = 1024 ** 2;
const LARGE = new Uint8Array(9 * MIB).fill(1, 0, 8 * MIB).fill(2, 8 * MIB);

/** A small file that has changed, one that comes in parts, and an object without a file. */
export async function uploading(): Promise<Scene> {
  const at = await place({ "d/small": "new" });
  await Deno.writeFile(join(at.directory.path, "d/large"), LARGE);
  const { box } = at;
  const id = ({ id }: { readonly id: string }): string => id;
  let left: readonly string[] = [];
  return {
    box,
    cwd: at.directory.path,
    args: ["upload-data", "-i", "d", "--target-dir", TARGET, "--delete"],
    stdout: () => `${TARGET}/\n`,
    async begin() {
      left = [];
      const bucket = box.s3.bucket(BUCKET);
      for (const key of box.s3.keys(BUCKET)) await box.s3.delete(BUCKET, key);
      bucket.uploads.clear();
      await box.s3.put(BUCKET, "churn/data/small", "older");
      await box.s3.put(BUCKET, "churn/data/without", "old");
    },
    async check(cut: Cut, { code, stdout, stderr }: Stopped) {
      if (code !== 0) assertEquals(stdout, "");
      await assertWhole(box, code === 0);
      left = box.s3.uploads(BUCKET).map(id);
      if (cut === "SIGKILL") return;
      for (const one of left) {
        // Of one that nobody got an answer about, the service alone knows its id.
        const isNamed = stderr.includes(`--upload-id ${one}`) ||
          /aws s3api list-multipart-uploads --bucket data-bucket --prefix churn\/data\/large/.test(
            stderr,
          );
        assert(isNamed, `${one} is left, and not named`);
      }
    },
    async complete({ stderr }) {
      await assertWhole(box, true);
      assertEquals(box.s3.uploads(BUCKET).map(id), left, "parts are left");
      // Where the file was sent meanwhile, nobody looks.
      if (!stderr.includes("2 unchanged")) {
        for (const one of left) assert(stderr.includes(`--upload-id ${one}`), `${one}: not named`);
      }
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** Each object is one of those that there may be; in the end, those that there are to be. */
async function assertWhole({ s3 }: Box, isOver: boolean): Promise<void> {
  const keys = s3.keys(BUCKET);
  if (isOver) assertEquals(keys, ["churn/data/large", "churn/data/small"]);
  for (const key of keys) {
    const bytes = await s3.bytes(BUCKET, key);
    if (key.endsWith("/large")) {
      assertSameBytes(bytes, LARGE);
      continue;
    }
    const before = key.endsWith("/small") ? ["older"] : ["old"];
    const text = new TextDecoder().decode(bytes);
    assert((isOver ? ["new"] : ["new", ...before]).includes(text), `${key}: ${text}`);
  }
}

const ARCHIVE = "churn/output/job/output/model.tar.gz";
const WHOLE = { "code/inference.py": "print()", "weights.bin": "new" };
const EARLIER = { m: "old" };
const OUTPUT = { "clean/a": "1", "clean/b/c": "2", "report/d": "3" };

/** How a download is asked for, and the directory that it fills. */
interface Download {
  readonly args: readonly string[];
  /** What is there before; nothing: there is no such directory. */
  readonly before?: Readonly<Record<string, string>>;
  /** The directory, below the app's own. */
  readonly to: (name: string) => string;
  /** What is there in the end. */
  readonly whole?: Readonly<Record<string, string>>;
}

const inPlace = (name: string): string => `${name}/mlcli_base/local_test/test_dir/model`;

export const DOWNLOADS: Readonly<Record<string, Download>> = {
  "download-model in the place of the app's": {
    ...{ args: ["download-model", "churn-1"], before: EARLIER, to: inPlace },
  },
  "download-model into a new directory": {
    ...{ args: ["download-model", "churn-1", "--to", "new"], to: () => "new" },
  },
  "download-model into an empty directory": {
    ...{ args: ["download-model", "churn-1", "--to", "new"], before: {}, to: () => "new" },
  },
  "download-output into a new directory": {
    ...{ args: ["download-output", "clean-1", "--to", "new"], to: () => "new", whole: OUTPUT },
  },
};

/** What a job left, fetched. */
export async function downloading(
  { args, before, to, whole = WHOLE }: Download,
): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open());
  const app = stack.use(await completeApp());
  box.s3.createBucket(BUCKET);
  const entries = Object.entries(WHOLE).map(([name, content]) => ({ name, content }));
  await box.s3.put(BUCKET, ARCHIVE, await tarGz(entries));
  box.jobs.add("training", "churn-1").end({
    status: "Completed",
    artifact: `s3://${BUCKET}/${ARCHIVE}`,
  });
  const clean = box.jobs.add("processing", "clean-1", {
    ProcessingOutputConfig: {
      Outputs: ["clean", "report"].map((name) => ({
        OutputName: name,
        S3Output: { S3Uri: `s3://${BUCKET}/out/${name}` },
      })),
    },
  });
  for (const [name, content] of Object.entries(OUTPUT)) {
    await box.s3.put(BUCKET, `out/${name}`, content);
  }
  clean.end({ status: "Completed" });
  const path = to(app.name);
  const target = join(app.directory, path);
  // Beside the model, and beside or in the directory, lies what is being fetched.
  const places = [app.directory, app.testPath(".."), app.testPath(), target];
  const left = async (): Promise<readonly string[]> => {
    const names = await Promise.all(places.map(async (place) => {
      const found = await Array.fromAsync(Deno.readDir(place)).catch(() => []);
      return found.map(({ name }) => name);
    }));
    // Without an engine nobody knows whether a server uses the one that was replaced.
    return names.flat().filter((name) => /^\./.test(name) && !name.endsWith(".old"));
  };
  const begin = async (): Promise<void> => {
    for (const place of places.slice(0, 3)) {
      for await (const { name } of Deno.readDir(place)) {
        if (name.startsWith(".")) await Deno.remove(join(place, name), { recursive: true });
      }
    }
    await Deno.remove(target, { recursive: true }).catch(() => {});
    if (before) await Deno.mkdir(target, { recursive: true });
    for (const [name, content] of Object.entries(before ?? {})) {
      await Deno.writeFile(join(target, name), encoder.encode(content));
    }
  };
  const owned = stack.move();
  return {
    box,
    cwd: app.directory,
    args,
    // It fetches several objects at once.
    ...whole === OUTPUT ? { asksAtOnce: true } as const : {},
    stdout: () => `${path}\n`,
    begin,
    async check(cut: Cut, { code, stdout }: Stopped) {
      if (code !== 0) assertEquals(stdout, "");
      const there = await visibleBelow(target);
      const wanted = code === 0 ? [whole] : [whole, before];
      assert(wanted.some((one) => same(one, there)), `There is ${JSON.stringify(there)}`);
      if (cut !== "SIGKILL") assertEquals(await left(), [], "left beside the model");
      // A second download into a directory that is not empty any more would be refused.
      if (path === "new" && same(there, whole)) await begin();
    },
    async complete() {
      assertEquals(await visibleBelow(target), whole);
      assertEquals(await left(), [], "left beside the model");
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What a directory holds, but for what begins with a dot; `undefined` where it is not there. */
async function visibleBelow(directory: string): Promise<Record<string, string> | undefined> {
  const found = await filesBelow(directory).catch(() => undefined);
  if (!found) return undefined;
  const visible = Object.entries(found).filter(([path]) => !/(^|\/)\./.test(path));
  return Object.fromEntries(visible.sort(([one], [other]) => one < other ? -1 : 1));
}
