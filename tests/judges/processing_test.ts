import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ask } from "../helpers/box/ask.ts";
import type { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { runCloud } from "../helpers/cloud.ts";
import { it, suite } from "../helpers/suite.ts";
import { judgedApp, platformWith } from "./app.ts";
import { given, outcomesIn } from "./outcomes.ts";

/** What makes a script run: mlcli, or AWS's SDK of a version, whose script mlcli runs. */
const OURS = "`script`";
const SDKS = [
  ["SDK 2's `runproc.sh` by `--command`", "MLCLI_TEST_SDK_2_PYTHON"],
  ["SDK 3's `runproc.sh` by `--command`", "MLCLI_TEST_SDK_3_PYTHON"],
] as const;
const ENTRY = "`script.py`";

/** Says what it sees. What it needs is installed when it starts. */
const PROGRAM = `import json, os, sys
import mlcli_probe, neighbour
seen = sys.argv, os.getcwd(), sys.path[0], sorted(os.listdir()), sorted(os.environ)
print("SEEN", json.dumps(seen), flush=True)
if "--exit" in sys.argv:
    sys.exit(7)
`;
const WORDS = ["--rows", "1 000", '"$HOME"'];

/** What else lies beside the script: how the code got there. */
const BROUGHT = [
  ...["__pycache__", "install_requirements.py", "runproc.sh", "sourcedir.tar.gz", "start.sh"],
];
/** What mlcli's start script sets beyond what the SDK's does: output comes as it is printed. */
const SET_BY_START = ["PYTHONPATH", "PYTHONUNBUFFERED"];
/** Variables that the shells before it set. */
const SHELLS = ["OLDPWD", "PWD", "SHLVL", "_"];

interface Seen {
  readonly words: readonly string[];
  readonly directory: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly variables: readonly string[];
}

/** What the script saw of what is its own. */
function seenIn(log: string): Seen {
  const line = /^SEEN (.*)$/m.exec(log)?.[1];
  assert(line !== undefined, log);
  const [words, directory, path, files, variables] = JSON.parse(line);
  const without = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => !others.includes(name));
  return {
    words,
    directory,
    path,
    files: without(files, BROUGHT),
    variables: without(variables, SHELLS),
  };
}

/** Sends what the SDK would send to SageMaker, with the image. Returns its log. */
async function sentBySdk(target: string, box: Box, image: string): Promise<string> {
  box.s3.createBucket("any");
  const request = JSON.parse(await Deno.readTextFile(join(target, "job.json")));
  const source = join(target, "s3", request.ProcessingJobName, "source");
  for await (const { name } of Deno.readDir(source)) {
    const bytes = await Deno.readFile(join(source, name));
    await box.s3.put("any", `${request.ProcessingJobName}/source/${name}`, bytes);
  }
  await ask(box, "sagemaker", "CreateProcessingJob", {
    ...request,
    RoleArn: EXECUTION_ROLE,
    AppSpecification: { ...request.AppSpecification, ImageUri: image },
  });
  const job = box.jobs.only("processing");
  await job.ended;
  return box.logs.messages(job.logGroup, job.logStream("algo-1")).join("\n");
}

suite("a script that processes, as what AWS's SDKs send", () => {
  const image = given("MLCLI_TEST_NO_TOOLKIT");

  for (const [judge, variable] of SDKS) {
    it(`sees by mlcli what it sees by ${judge}`, async () => {
      for (const name of [OURS, judge]) {
        const outcomes = await outcomesIn(name, ENTRY);
        assertEquals(outcomes, { here: "processes", there: "processes" });
      }
      await using app = await judgedApp({
        configuration: { s3_prefix: "s3://bucket/app", execution_role: EXECUTION_ROLE },
        code: (wheel) => ({
          "script.py": PROGRAM,
          "neighbour.py": "",
          "requirements.txt": `./${wheel}\n`,
        }),
      });
      const source = join(app.directory, "src");
      const files = await Array.fromAsync(Deno.readDir(source), ({ name }) => name);
      const target = join(app.directory, "sent");
      const script = new URL("sdk_processing.py", import.meta.url).pathname;
      const { success, stderr } = await new Deno.Command(given(variable), {
        args: [script, source, "script.py", target, ...WORDS],
        env: { AWS_DEFAULT_REGION: "eu-west-1", SAGEMAKER_TELEMETRY_OPT_OUT: "1" },
      }).output();
      assertEquals(success, true, new TextDecoder().decode(stderr));
      const job = JSON.parse(await Deno.readTextFile(join(target, "job.json")));
      const { ContainerEntrypoint, ContainerArguments } = job.AppSpecification;
      const entry = ["--entry-point", "script.py", "--"];
      const process = ["local", "process", "--image", image];
      const run = async (...args: readonly string[]): Promise<Seen> => {
        const { code, stdout, stderr } = await app.run([...process, ...args]);
        assertEquals(code, 0, stdout + stderr);
        return seenIn(stdout);
      };
      const sdk: readonly string[] = [
        "--copy-inputs",
        ...["code", "entrypoint"].flatMap((name) => ["-i", `${name}=${join(target, name)}`]),
        ...ContainerEntrypoint.map((word: string) => `--command=${word}`),
        "--",
      ];
      const { variables, ...seen } = await run(...sdk, ...ContainerArguments);
      assertEquals(seen, {
        words: ["script.py", ...WORDS],
        directory: "/opt/ml/processing/input/code",
        path: "/opt/ml/processing/input/code",
        files: files.sort(),
      });
      const { variables: ours, ...others } = await run("--no-network-settings", ...entry, ...WORDS);
      assertEquals(others, seen);
      // Here what pip has fetched is kept.
      assertEquals(ours, [...variables, ...SET_BY_START, "PIP_CACHE_DIR"].sort());
      const strict = await run("--strict", ...entry, ...WORDS);
      for (const how of [sdk, entry]) {
        assertEquals((await app.run([...process, ...how, "--exit"])).code, 7);
      }
      const { box, reference } = await platformWith(image);
      await using _box = box;
      const { variables: needed, ...there } = seenIn(await sentBySdk(target, box, reference));
      assertEquals(there, seen);
      const words = ["process", "--image", reference, "-e", "ml.m5.large", ...entry, ...WORDS];
      const env = { XDG_STATE_HOME: app.state };
      const sent = await runCloud(box, words, { cwd: app.directory, env });
      assertEquals(sent.code, 0, sent.stderr);
      const expected = { ...seen, variables: [...needed, ...SET_BY_START].sort() };
      assertEquals(seenIn(sent.stderr), expected);
      assertEquals(strict, expected);
    });
  }
});
