/**
 * What `upload-data` costs this machine's processor, against Debian's `aws s3 cp` to the same S3.
 */

import { join } from "@std/path";
import { Box } from "../../tests/helpers/box/box.ts";
import { AWS, ensureAws } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run } from "./program.ts";

const BUCKET = "bench-bucket";

/**
 * Leaves the content's hash out of signatures, as `aws` does by itself over TLS, and mlcli on loopback
 * too: so both do what they do against AWS.
 */
const AS_OVER_TLS = "[default]\ns3 =\n    payload_signing_enabled = false\n";

/** How much is sent: what data is like, or a tenth of it, which says the same in less time. */
const SIZES = Deno.env.get("MLCLI_BENCH_ALL") === "1"
  ? { megabytes: 2_000, files: 20_000, rounds: 1 }
  : { megabytes: 200, files: 2_000, rounds: 3 };

/** The comparisons, the data, and the platform, on loopback. */
export interface UploadBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** Starts the platform. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeUploadBench(signal: AbortSignal): Promise<UploadBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  const box = await Box.open();
  box.s3.createBucket(BUCKET);
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-upload-" });
  const [large, small] = [join(directory, "large"), join(directory, "small")];
  await writeLarge(large);
  await writeSmall(small);
  const settings = join(directory, "config");
  await Deno.writeTextFile(settings, AS_OVER_TLS);
  return {
    comparisons: [
      comparison(box, `upload-data, ${SIZES.megabytes} MB`, large, settings),
      comparison(box, `upload-data, ${SIZES.files} small files`, small, settings),
    ],
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Four files of what does not compress. */
async function writeLarge(directory: string): Promise<void> {
  await Deno.mkdir(directory);
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  for (let number = 0; number < 4; number++) {
    using file = await Deno.create(join(directory, String(number)));
    const count = SIZES.megabytes * 1e6 / 4 / bytes.length;
    for (let written = 0; written < count; written++) await file.write(bytes);
  }
}

async function writeSmall(directory: string): Promise<void> {
  for (let number = 0; number < SIZES.files; number++) {
    const folder = join(directory, String(number % 50));
    if (number < 50) await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, `${number}.json`), `{"row": ${number}}\n`.repeat(20));
  }
}

function comparison(box: Box, title: string, directory: string, settings: string): Comparison {
  // Nothing of the machine's own AWS settings.
  const env = {
    ...box.env(),
    AWS_DEFAULT_REGION: box.env().AWS_REGION ?? "",
    AWS_CONFIG_FILE: settings,
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  };
  let count = 0;
  /** Sends to where nothing is yet, and takes it away again. */
  async function sent(line: (target: string) => readonly [string, ...string[]]): Promise<number> {
    const prefix = `${++count}/`;
    try {
      return await processorTime(line(`s3://${BUCKET}/${prefix}`), env);
    } finally {
      for (const key of box.s3.keys(BUCKET, prefix)) await box.s3.delete(BUCKET, key);
    }
  }
  const aws = [AWS, "--endpoint-url", box.url, "s3", "cp", "--recursive", "--quiet"] as const;
  return {
    title: `${title}, processor`,
    unit: "ms",
    ours: {
      command: "mlcli upload-data -i DIR --target-dir URI",
      measure: () =>
        sent((target) => mlcli("upload-data", "-i", directory, "--target-dir", target)),
    },
    theirs: {
      command: "aws s3 cp --recursive --quiet DIR URI",
      measure: () => sent((target) => [...aws, directory, target]),
    },
    goal: { atMost: 0.9 },
    rounds: SIZES.rounds,
  };
}

/** The processor's time that a command takes, in ms: its own and the system's for it. */
async function processorTime(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null 2>&3; } 3>&2 2>&1';
  const text = await run(["bash", "-c", script, "bash", ...command], { env });
  const [user = NaN, system = NaN] = text.trim().split(" ").map(Number);
  return (user + system) * 1000;
}
