/** `mlcli init --from` on moto, an emulator of AWS, which keeps what AWS's SDK 2 sends and tells it in its own way. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { environmentOf, USER_KEY } from "../helpers/box/account.ts";
import { type Cloud, runCloud } from "../helpers/cloud.ts";
import { filesBelow, makeDirectory } from "../helpers/directory.ts";
import { inTime } from "../helpers/in_time.ts";
import { killedAfter, resultOf } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";
import { given } from "./outcomes.ts";

const SCRIPT = fromFileUrl(new URL("sdk_moto.py", import.meta.url));
/** Of it: half a minute is usual. In ms. */
const TIMEOUT = 300_000;

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/flats:1";
const ROLE = "arn:aws:iam::111122223333:role/jobs";
const CODE = { "train.py": "1\n", "clean.py": "2\n", "serve.py": "3\n", "lib/a.py": "4\n" };
const OWN = `${JSON.stringify({ epochs: 3, note: "a b", sizes: [1, "two"] }, null, 2)}\n`;
const MACHINES = { ec2_type: "ml.m5.large", instance_count: 1 };
const SERVED = { entry_point: "serve.py", model: "s3://flats/model.tar.gz" };
const DOWNLOAD = "\n  mlcli download-model s3://flats/model.tar.gz\n";
/** Too small for one of the objects. */
const SAMPLE = ["--data", "1KB"];

/** What becomes of each: a section of `NAME.json`, data, and what is said. */
const APPS = [
  [
    "training-job",
    "price",
    "train",
    {
      entry_point: "train.py",
      input_s3_dir: ["training=s3://flats/train/"],
      output_s3_dir: "s3://flats/",
      ...{ ...MACHINES, volume_size: 30, max_run: 600 },
    },
    { "input/data/training/a.csv": "111", "input/config/hyperparameters.json": OWN },
    "training: 1 of 2 objects, 3 bytes of 5.0 kB\n",
  ],
  // moto forgets which machines a processing job had.
  [
    "processing-job",
    "clean",
    "process",
    {
      entry_point: "clean.py",
      input_s3_location: ["raw=s3://flats/raw/"],
      output_s3_location: ["out=s3://flats/clean/"],
    },
    { "input/data/processing/raw/b.csv": "1111" },
    "\n  mlcli local process -- --rows '1 000'\n",
  ],
  ["endpoint", "price-api", "deploy", { ...SERVED, ...MACHINES }, {}, DOWNLOAD],
  ["model", "price-model", "deploy", SERVED, {}, DOWNLOAD],
] as const;

interface Moto {
  readonly cloud: Cloud;
  /** The SDK puts the time behind the names of jobs. */
  readonly jobs: readonly string[];
  close(): Promise<void>;
}

/** Starts it on a free port, and has the SDK make there what `APPS` names. */
async function startMoto(): Promise<Moto> {
  await using stack = new AsyncDisposableStack();
  const streams = { stdin: "null", stderr: "piped" } as const;
  const args = ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"];
  const command = new Deno.Command(given("MLCLI_TEST_MOTO_PYTHON"), { args, ...streams });
  const server = killedAfter(2 * TIMEOUT, command.spawn());
  const log = new TextReader(server.stderr);
  stack.defer(async () => {
    server.kill("SIGKILL");
    await Promise.all([log.toEnd(), server.status]);
  });
  const [url] = await inTime(log.until(/http:\/\/127\.0\.0\.1:\d+/), 60);
  const env = environmentOf(url, USER_KEY);
  const source = stack.use(await makeDirectory(CODE));
  const sender = new Deno.Command(given("MLCLI_TEST_SDK_2_PYTHON"), {
    args: [SCRIPT, source.path],
    env,
    ...{ ...streams, stdout: "piped" },
  }).spawn();
  const { code, stdout, stderr } = await resultOf(killedAfter(TIMEOUT, sender));
  assertEquals(code, 0, stderr);
  const jobs = JSON.parse(stdout.trim().split("\n").at(-1)!);
  const all = stack.move();
  return { cloud: { env: () => env }, jobs, close: async () => await all.disposeAsync() };
}

suite("mlcli init --from, on moto", () => {
  let moto: Moto;
  beforeAll(async () => {
    moto = await startMoto();
  });
  afterAll(() => moto.close());

  for (const [kind, app, key, section, data, said] of APPS) {
    it(`makes an app of what the SDK made: ${kind}`, async () => {
      await using directory = await makeDirectory();
      const cwd = directory.path;
      const name = moto.jobs.find((job) => job.startsWith(`${app}-2`)) ?? app;
      const init = (from: string) =>
        runCloud(moto.cloud, ["init", "--from", `${kind}/${from}`, ...SAMPLE], { cwd });
      const { code, stderr } = await init(name);
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, said);
      const files = await filesBelow(cwd);
      const all = JSON.parse(files[`${app}.json`]!);
      assertEquals([all.image, all.execution_role, all.source_dir], [IMAGE, ROLE, `${app}/code`]);
      assertEquals(all[key], section);
      assertEquals(await filesBelow(join(cwd, app, "code")), CODE);
      const test = await filesBelow(join(cwd, app, "mlcli_base/local_test/test_dir"));
      assertEquals(test, { "model/.gitkeep": "", "output/.gitkeep": "", ...data });
      assertStringIncludes(files[`${app}/MIGRATION.md`]!, `created it from ${kind}/${name} in`);
      const again = await init(name);
      assertEquals([again.code, again.stdout], [0, ""], again.stderr);
      assertStringIncludes(again.stderr, `Nothing to do: ${app} is complete\n`);
      assertEquals(await filesBelow(cwd), files);
      const missing = `error: ResourceNotFound: ${kind.replace("-", " ")} none\n`;
      assertStringIncludes((await init("none")).stderr, missing);
    });
  }
});
