import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestApp } from "../helpers/app.ts";
import type { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { runCloud } from "../helpers/cloud.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { judgedApp, platformWith } from "./app.ts";
import { ENTRIES, type Entry, given, outcomesIn } from "./outcomes.ts";

/** What starts the code, as the documentation names it, and the image that it is in. */
const JUDGES = [
  ["`toolkit`, sagemaker-training 5.1.4", "toolkit", "MLCLI_TEST_TRAINING"],
  ["`toolkit`, sagemaker-containers 2.8.6.post2", "toolkit", "MLCLI_TEST_CONTAINERS"],
  ["`script`", "script", "MLCLI_TEST_NO_TOOLKIT"],
] as const;

/** Says what it hears, and leaves a model. What it needs is installed when it starts. */
const PROGRAM = `import json, os, signal, sys, time
import mlcli_probe
heard = {name: os.environ.get(name) for name in ("SM_CHANNELS", "SM_HPS", "SM_MODEL_DIR")}
print("HEARD", json.dumps([sys.argv[1:], os.getcwd(), heard]), flush=True)
if "--exit" in sys.argv:
    sys.exit(7)
if "--raise" in sys.argv:
    raise ValueError("no age")
def save(*_):
    open("/opt/ml/model/model.txt", "w").close()
    sys.exit(0)
if "--wait" in sys.argv:
    signal.signal(signal.SIGTERM, save)
    time.sleep(60)
save()
`;

/** What it hears of these, whoever starts it: words in the order of their names. */
const PARAMETERS = ["epochs=3", "flag=true", "note=a b", 'sizes=[1, "two"]', "x=1"];
const WORDS = [
  ...["--epochs", "3", "--flag", "True", "--note", "a b"],
  ...["--sizes", "[1, 'two']", "-x", "1"],
];

const parametersOf = (values: readonly string[]) =>
  values.flatMap((value) => ["--hyperparameter", value]);

/** An app whose code is of some kind, in an image. */
function appOf(entry: Entry, image: string, launcher?: string): Promise<TestApp> {
  return judgedApp({
    configuration: {
      image,
      execution_role: EXECUTION_ROLE,
      ...launcher && { launcher },
      train: { entry_point: entry.program },
    },
    code: (wheel) => entry.files(PROGRAM, `./${wheel}`),
    data: { "input/data/training/a.csv": "1\n" },
  });
}

/** What the program heard, or why it did not run. */
function heardIn({ code, stdout, stderr }: ProgramResult): unknown {
  const line = /^HEARD (.*)$/m.exec(stdout + stderr)?.[1];
  return line === undefined ? `${code}: ${/^error: .*/m.exec(stderr)?.[0]}` : JSON.parse(line);
}

function requireHeard(result: ProgramResult): void {
  const [words, directory, variables] = heardIn(result) as [unknown, unknown, {
    readonly [name: string]: string;
  }];
  assertEquals([result.code, words], [0, WORDS], result.stdout + result.stderr);
  assertEquals(directory, "/opt/ml/code");
  assertEquals(variables["SM_MODEL_DIR"], "/opt/ml/model");
  assertEquals(JSON.parse(variables["SM_CHANNELS"]!).sort(), ["code", "training"]);
  const own = { epochs: 3, flag: true, note: "a b", sizes: [1, "two"], x: 1 };
  assertEquals(JSON.parse(variables["SM_HPS"]!), own);
}

function check(result: ProgramResult, words: string): void {
  if (words === "trains") return requireHeard(result);
  assertEquals(result.code === 0, false, result.stdout + result.stderr);
  const [, expected] = /^`(.*)`$/.exec(words)!;
  assertStringIncludes(result.stdout + result.stderr, expected!);
}

const THERE = ["-o", "s3://bucket/out", "-e", "ml.m5.large"];

/** A training on the platform in a box, of an app's code. */
function trainThere(box: Box, app: TestApp, image: string, more: readonly string[]) {
  const args = ["train", "--image", image, ...THERE, ...more];
  return runCloud(box, args, { cwd: app.directory, env: { XDG_STATE_HOME: app.state } });
}

for (const [judge, launcher, variable] of JUDGES) {
  suite(`code of the user's own, by ${judge}`, () => {
    const image = given(variable);
    let platform: Awaited<ReturnType<typeof platformWith>>;
    beforeAll(async () => {
      platform = await platformWith(image);
    });
    afterAll(() => platform.box[Symbol.asyncDispose]());

    for (const entry of ENTRIES) {
      it(`${entry.name}: as the documentation says, here and there`, async () => {
        const { here, there } = await outcomesIn(judge, entry.name);
        await using app = await appOf(entry, image, launcher);
        const typed = ["--image", image, ...parametersOf(PARAMETERS)];
        check(await app.run(["local", "train", ...typed]), here);
        if (here === "trains") check(await app.run(["local", "train", "--strict", ...typed]), here);
        check(
          await trainThere(platform.box, app, platform.reference, [
            ...["-i", "s3://bucket/data", ...parametersOf(PARAMETERS)],
          ]),
          there,
        );
      });
    }

    it("its failure is told by its own reason and status", async () => {
      await using app = await appOf(ENTRIES[0]!, image, launcher);
      const run = (...more: readonly string[]) =>
        app.run(["local", "train", "--image", image, ...more]);
      const raised = await run(...parametersOf(["raise=1"]));
      assertEquals(raised.code, 1);
      assertMatch(
        raised.stderr,
        /^error: Training failed: ValueError: no age \(\S+\.py, line \d+\)$/m,
      );
      const ended = await run(...parametersOf(["exit=1"]));
      assertEquals(ended.code, launcher === "toolkit" ? 1 : 7, ended.stderr);
      if (launcher === "toolkit") {
        assertMatch(
          ended.stderr,
          /^hint: To return the script's own exit code( \(7\))?, use --launcher script: /m,
        );
      }
    });

    it("whether it hears SIGTERM is told", async () => {
      await using app = await appOf(ENTRIES[0]!, image, launcher);
      const { code, stderr } = await app.run(
        [
          ...["local", "train", "--image", image, ...parametersOf(["wait=1"])],
          ...["--stop-after", "15", "--grace", "3"],
        ],
      );
      if (launcher === "script") {
        assertEquals(code, 0, stderr);
        assertMatch(stderr, /It ended \d\.\d s after SIGTERM/);
      } else assertStringIncludes(stderr, "does not pass SIGTERM on");
    });
  });
}

suite("code of the user's own, by what AWS's SDK 3 sends", () => {
  const image = given("MLCLI_TEST_NO_TOOLKIT");

  for (const entry of ENTRIES.slice(0, 2)) {
    it(`${entry.name}: as the documentation says, here and there`, async () => {
      const { here, there } = await outcomesIn("SDK 3's drivers by `--command`", entry.name);
      await using app = await appOf(entry, image);
      const channels = join(app.directory, "channels");
      const [code, drivers] = ["code", "sm_drivers"].map((name) => join(channels, name));
      const script = new URL("sdk_channels.py", import.meta.url).pathname;
      const { success, stderr } = await new Deno.Command(given("MLCLI_TEST_SDK_3_PYTHON"), {
        args: [script, join(app.directory, "src"), entry.program, channels],
        env: { AWS_DEFAULT_REGION: "eu-west-1", SAGEMAKER_TELEMETRY_OPT_OUT: "1" },
      }).output();
      assertEquals(success, true, new TextDecoder().decode(stderr));
      const job = JSON.parse(await Deno.readTextFile(join(channels, "job.json")));
      const words = [
        ...[...job.container_entrypoint, job.container_arguments[0]]
          .map((word: string) => `--command=${word}`),
        ...["--", ...job.container_arguments.slice(1)],
      ];
      const values = ["epochs=3", "note=a b"];
      const checkHeard = (result: ProgramResult, outcome: string) => {
        assertEquals(outcome, "trains");
        const said = result.stdout + result.stderr;
        const expected = ["--epochs", "3", "--note", "a b"];
        assertEquals([result.code, (heardIn(result) as unknown[])[0]], [0, expected], said);
      };
      const typed = ["--image", image, ...parametersOf(values)];
      const inputs = ["--input", `code=${code}`, "--input", `sm_drivers=${drivers}`];
      // The drivers change the modes of what they find.
      const local = ["local", "train", ...typed, ...inputs, "--copy-inputs", ...words];
      checkHeard(await app.run(local), here);
      const { box, reference } = await platformWith(image);
      await using _box = box;
      for (const [name, path] of [["code", code!], ["sm_drivers", drivers!]] as const) {
        const upload = ["upload-data", "-i", path, "--target-dir", `s3://bucket/sdk/${name}`];
        const sent = await runCloud(box, upload, { cwd: app.directory });
        assertEquals(sent.code, 0, sent.stderr);
      }
      const more = [
        ...["-i", "code=s3://bucket/sdk/code/", "-i", "sm_drivers=s3://bucket/sdk/sm_drivers/"],
        ...[...parametersOf(values), ...words],
      ];
      checkHeard(await trainThere(box, app, reference, more), there);
    });
  }
});
