import { assert, assertEquals, assertMatch } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { answerOrEnd } from "../../helpers/ping_server.ts";
import { runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";
import { isInSample } from "../../helpers/sweep.ts";

const TEST_DIR = "NAME/mlcli_base/local_test/test_dir";

/** Whatever mlcli looks at in an app. */
const PATHS = [
  "NAME.json",
  "requirements.txt",
  "pyproject.toml",
  "uv.lock",
  ".dockerignore",
  ".git",
  "NAME/mlcli_base/Dockerfile",
  "NAME/mlcli_base/common",
  "NAME/mlcli_base/training",
  "NAME/mlcli_base/training/training.py",
  "NAME/mlcli_base/processing/p.py",
  "NAME/mlcli_base/prediction/serve",
  "NAME/mlcli_base/local_test",
  "NAME/mlcli_base/local_test/jobs",
  "NAME/mlcli_base/local_test/jobs/.gitignore",
  "NAME/mlcli_base/local_test/jobs/.lock",
  "NAME/mlcli_base/local_test/jobs/.current.json",
  "NAME/mlcli_base/local_test/jobs/.current.json.part",
  "NAME/mlcli_base/local_test/jobs/NAME-2026-01-01-00-00-00-000/job.json",
  "NAME/mlcli_base/local_test/jobs/NAME-2026-01-01-00-00-00-000/owner",
  TEST_DIR,
  `${TEST_DIR}/checkpoints`,
  `${TEST_DIR}/input/config`,
  `${TEST_DIR}/input/config/hyperparameters.json`,
  `${TEST_DIR}/input/config/other.json`,
  `${TEST_DIR}/input/data`,
  `${TEST_DIR}/input/data/training`,
  `${TEST_DIR}/input/data/training/data.csv`,
  `${TEST_DIR}/model`,
  `${TEST_DIR}/model/.gitkeep`,
  `${TEST_DIR}/model/m`,
  `${TEST_DIR}/model/model.tar.gz`,
  `${TEST_DIR}/output`,
  `${TEST_DIR}/output/failure`,
];

const COMMANDS = [
  ["local", "train", "--checkpoints"],
  ["local", "process", "--file", "p.py"],
  ["local", "deploy", "--port", "0"],
  ["local", "list-jobs"],
  ["build"],
  ["doctor"],
  ["init", "NAME"],
];

/** What is put in the place of it. */
const KINDS = {
  "a pipe": async (path: string) => {
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert(success);
  },
  "a link to itself": (path: string) => Deno.symlink(basename(path), path),
  "a link to a device without end": (path: string) => Deno.symlink("/dev/zero", path),
  "a directory": (path: string) => Deno.mkdir(path),
  "a file": (path: string) => Deno.writeTextFile(path, "x"),
} as const;

const PLAY = {
  "POST /build": () => new Response('{"aux":{"ID":"sha256:1"}}\n'),
  "GET /images/json": () => Response.json([]),
};

/** What is left of a run that is there for its container alone. */
async function unfinished(app: TestApp, run: string): Promise<readonly string[]> {
  const names = await namesIn(app.path("local_test/jobs", run)).catch(() => []);
  return names.filter((name) => ["config", "input", "report", "owner"].includes(name));
}

/** Lets go whoever waits for a pipe, when a test has failed. */
async function open(path: string): Promise<void> {
  const isPipe = (await Deno.lstat(path).catch(() => undefined))?.isFifo;
  if (isPipe) (await Deno.open(path, { read: true, write: true })).close();
}

async function check(kind: keyof typeof KINDS, path: string, args: readonly string[]) {
  await using app = await completeApp();
  await using servers = new AsyncDisposableStack();
  const named = (text: string): string => text.replaceAll("NAME", app.name);
  const odd = join(app.directory, named(path));
  await Deno.remove(odd, { recursive: true }).catch(() => {});
  await Deno.mkdir(dirname(odd), { recursive: true });
  await KINDS[kind](odd);
  await using engine = await fakeContainers({
    answers: PLAY,
    program: (container) => answerOrEnd(container, servers),
  });
  try {
    const { code, stderr } = await runInProcess(args.map(named), { cwd: app.directory, engine });
    assert(code <= 2, stderr);
    assert(!/defect of mlcli|os error|--debug/.test(stderr), stderr);
    // Paths are as the user types them.
    assert(!stderr.includes(`${app.directory}/`), stderr);
    if (code !== 0) assert(/\nhint: |^error: \d+ of \d+ checks? failed/m.test(stderr), stderr);
    const isServer = code === 0 && args[1] === "deploy";
    assertEquals(engine.left.length, isServer ? 1 : 0);
    for (const run of await runsOf(app)) {
      const isOwn = path.includes(run.replace(app.name, "NAME"));
      assertEquals(isOwn ? [] : await unfinished(app, run), []);
    }
  } finally {
    await open(odd);
  }
}

suite("something else in the place of a file or a directory of an app", () => {
  const rows = COMMANDS.flatMap((args) => PATHS.map((path) => ({ args, path })));
  for (const [kindNumber, kind] of (Object.keys(KINDS) as (keyof typeof KINDS)[]).entries()) {
    it(`${kind}: no command waits for it, or fails without a word that helps`, async () => {
      for (const [number, { args, path }] of rows.entries()) {
        if (!isInSample(number + 3 * kindNumber)) continue;
        try {
          await check(kind, path, args);
        } catch (error) {
          throw new Error(`${kind} as ${path}, mlcli ${args.join(" ")}`, { cause: error });
        }
      }
    });
  }

  for (
    const path of ["NAME.json", ".dockerignore", `${TEST_DIR}/input/config/hyperparameters.json`]
  ) {
    it(`a pipe as ${path} is named at once`, async () => {
      await check("a pipe", path, path === ".dockerignore" ? ["build"] : ["local", "train"]);
    });
  }
});

suite("a name that no file can have", () => {
  it("is refused with what could not be made, and a hint", async () => {
    await using directory = await makeDirectory();
    const name = "a".repeat(251);
    const { code, stderr } = await runInProcess(["init", name], { cwd: directory.path });
    assertEquals(code, 1, stderr);
    assertMatch(
      stderr,
      /^error: Cannot \w+ a+.*: File name too long\nhint: Choose a shorter path or name\n$/,
    );
    assertEquals(await Array.fromAsync(Deno.readDir(directory.path), (entry) => entry.name), []);
  });
});
