/**
 * Code that is put into the archive of a large model: `deploy --entry-point`, which fetches, changes and
 * sends it as one stream, against Debian's `aws`, which only fetches it and sends it again.
 */

import { join } from "@std/path";
import { putImage } from "../../tests/helpers/box/images.ts";
import { makeDirectory } from "../../tests/helpers/directory.ts";
import { BUCKET, CONFIGURATION, makeJobApp } from "../../tests/helpers/job_app.ts";
import { AWS, ensureAws, NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run } from "./program.ts";

/** An image of AWS's that serves, in the region of the box. */
const ACCOUNT = "141502667606";
const REPOSITORY = "sagemaker-scikit-learn";

/** Of the model, which is like weights: it does not get smaller. */
const BYTES = 5 * 1024 ** 3;

const KEY = "trained/model.tar.gz";

/** The comparison, and the platform that is asked, on loopback. */
export interface RepackBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Starts the platform. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeRepackBench(signal: AbortSignal): Promise<RepackBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  await using stack = new AsyncDisposableStack();
  const job = stack.use(
    await makeJobApp({
      configuration: {
        ...CONFIGURATION,
        image: `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/${REPOSITORY}:1`,
        source_dir: "src",
        deploy: { entry_point: "inference.py" },
      },
    }),
  );
  const { box } = job;
  await putImage(box.ecr, box.ecr.store.addOf(ACCOUNT, REPOSITORY), { tag: "1" });
  const { directory } = job.app;
  const code = join(directory, "src/inference.py");
  await job.app.write(code, "print('serving')\n");
  const place = stack.use(await makeDirectory());
  const archive = await makeArchive(place.path);
  await box.s3.put(BUCKET, KEY, "");
  const objects = box.s3.bucket(BUCKET).objects;
  const { size } = await Deno.stat(archive);
  objects.set(KEY, { ...objects.get(KEY)!, size, pieces: [{ path: archive, offset: 0, size }] });
  const env = {
    ...box.env(),
    AWS_DEFAULT_REGION: box.env().AWS_REGION ?? "",
    XDG_STATE_HOME: job.app.state,
    ...NO_SETTINGS,
  };
  let count = 0;

  /** Times what is run, and looks for what it has sent. */
  async function timed(
    prefix: string,
    lines: readonly (readonly [string, ...string[]])[],
  ): Promise<number> {
    const start = performance.now();
    for (const line of lines) await run(line, { cwd: directory, env });
    const taken = performance.now() - start;
    const [key, ...more] = box.s3.keys(BUCKET, prefix);
    if (!key || more.length > 0) throw new Error("It was not sent once");
    if (objects.get(key)!.size < BYTES) throw new Error("It was not sent whole");
    await box.s3.delete(BUCKET, key);
    return taken;
  }

  const all = stack.move();
  const model = `s3://${BUCKET}/${KEY}`;
  const copy = join(place.path, "copy.tar.gz");
  return {
    comparison: {
      title: "code into a model of 5 GB in S3",
      unit: "ms",
      ours: {
        command: "mlcli deploy --entry-point inference.py --repack --no-wait",
        measure: async () => {
          const name = `shop-${++count}`;
          const words = ["deploy", "-n", name, "-e", "ml.m5.large", "-m", model];
          return await timed(`app/models/${name}/`, [mlcli(...words, "--repack", "--no-wait")]);
        },
      },
      theirs: {
        command: "aws s3 cp down, aws s3 cp up, without any code",
        measure: async () => {
          const aws = [AWS, "--endpoint-url", box.url, "s3", "cp", "--quiet"] as const;
          return await timed("theirs/", [
            [...aws, model, copy],
            [...aws, copy, `s3://${BUCKET}/theirs/model.tar.gz`],
          ]);
        },
      },
      goal: { atMost: 1 },
      rounds: 3,
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** As `tar -czf` makes it. */
async function makeArchive(directory: string): Promise<string> {
  const weights = join(directory, "weights");
  using file = await Deno.open(weights, { write: true, create: true });
  const piece = new Uint8Array(64 * 1024);
  for (let left = BYTES; left > 0; left -= piece.length) {
    crypto.getRandomValues(piece);
    await file.write(piece);
  }
  const path = join(directory, "model.tar.gz");
  const args = ["--use-compress-program=gzip -1", "-cf", path, "-C", directory, "weights"];
  const { success } = await new Deno.Command("tar", { args }).output();
  if (!success) throw new Error("tar has failed");
  await Deno.remove(weights);
  return path;
}
