import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SAMPLE_METRIC } from "../../../runtime/contract/metric_definitions.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { type FakeContainer, fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { fakeClock } from "../../helpers/fake_context.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun, lastRun, runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const DEFINITIONS = [{ Name: "loss", Regex: "loss=(\\S+)" }];
const START = new Date("2026-03-01T09:30:00.123Z");

function appWithMetrics(): Promise<TestApp> {
  return completeApp({ configuration: { metric_definitions: DEFINITIONS } });
}

async function run(
  app: TestApp,
  play: Play,
  args: readonly string[] = ["train"],
  options: Partial<InProcessOptions> = {},
): Promise<ProgramResult> {
  await using engine = await fakeContainers(play);
  return besidesRun(
    await runInProcess(["local", ...args], {
      cwd: app.directory,
      engine,
      clock: fakeClock(START),
      ...options,
    }),
  );
}

const jobs = (app: TestApp, ...parts: readonly string[]): string =>
  app.path("local_test/jobs", ...parts);

async function recordOf(app: TestApp) {
  const [name, more] = await runsOf(app);
  assertEquals(more, undefined);
  const document = JSON.parse(await Deno.readTextFile(jobs(app, name!, "job.json")));
  return { name: name!, files: await namesIn(jobs(app, name!)), document };
}

async function putRecord(
  app: TestApp,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await app.write(
    jobs(app, name, "job.json"),
    JSON.stringify({
      kind: "train",
      container: "mlcli-x-train-00000000",
      started: "2026-03-01T09:00:00.000Z",
      ended: "2026-03-01T09:01:00.000Z",
      outcome: { status: "Completed", exit_status: 0, reason: null },
      ...more,
    }),
  );
}

const epochs = ({ out, err, end, body }: FakeContainer): void => {
  const report = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/mlcli/report")!;
  Deno.writeTextFileSync(report.Source, '["python","3.12.4"]\n["package","numpy 2.0.0"]\n');
  out("loss=0.5\n");
  err("loss=0.25\n");
  end(0);
};

suite("the record of a run", () => {
  it("has what was run, how it ended, and its metrics", async () => {
    await using app = await appWithMetrics();
    const commit = "c".repeat(40);
    await app.write(`${app.directory}/.git/HEAD`, `${commit}\n`);
    const args = [
      "train",
      "--hyperparameter",
      "epochs=2",
      "--env",
      "TOKEN=secret",
      "--memory",
      "1g",
    ];
    const result = await run(app, { program: epochs }, args);
    assertEquals([result.code, result.stderr], [0, "loss=0.25\n"]);
    const { name, files, document } = await recordOf(app);
    assertEquals(name, `${app.name}-2026-03-01-09-30-00-123`);
    const { container, mlcli, image, code, ...rest } = document;
    assertMatch(code, /^[0-9a-f]{32}$/);
    const log = await Deno.readTextFile(jobs(app, name, "log"));
    assertMatch(log, /^out .*loss=0\.5\n/);
    assertMatch(container, new RegExp(`^mlcli-${app.name}-train-[0-9a-f]{8}$`));
    assertMatch(mlcli, /^\d/);
    assertEquals(image.reference, `${app.name}:latest`);
    assert(typeof image.id === "string" && image.id !== "");
    assertEquals(rest, {
      name,
      started: "2026-03-01T09:30:00.123Z",
      ended: "2026-03-01T09:30:00.123Z",
      kind: "train",
      app: app.name,
      hyperparameters: { epochs: "2" },
      channels: { training: `${app.name}/mlcli_base/local_test/test_dir/input/data/training` },
      options: { memory: 1024 ** 3 },
      variables: ["TOKEN"],
      commit,
      data: {
        training: { files: 1, bytes: 2, hash: "bcb349a72bb4c65bfd4f375b484008fd", by: "contents" },
      },
      outcome: { status: "Completed", exit_status: 0, reason: null },
      python: "3.12.4",
      packages: { numpy: "2.0.0" },
      metrics: { loss: { last: 0.25, min: 0.25, max: 0.5, count: 2 } },
      metric_definitions: [{ name: "loss", regex: "loss=(\\S+)" }],
    });
    assertEquals(
      await Deno.readTextFile(jobs(app, name, "metrics.csv")),
      "time,metric,value\n2026-03-01T09:30:00.123Z,loss,0.5\n2026-03-01T09:30:00.123Z,loss,0.25\n",
    );
    for (const file of files) {
      assert(!(await Deno.readTextFile(jobs(app, name, file))).includes("secret"), file);
    }
    assertEquals(await Deno.readTextFile(jobs(app, ".gitignore")), "*\n");
    assertEquals(await namesIn(app.path("local_test")), ["jobs", "test_dir"]);
  });

  it("has the job name that the code is given, for processing too", async () => {
    await using app = await completeApp();
    let seen: string | undefined;
    const program = ({ body, end }: FakeContainer): void => {
      const config = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/config")!;
      const text = Deno.readTextFileSync(join(config.Source, "processingjobconfig.json"));
      seen = JSON.parse(text).ProcessingJobName;
      end(0);
    };
    assertEquals((await run(app, { program }, ["process", "--file", "p.py", "--", "x"])).code, 0);
    const { name, files, document } = await recordOf(app);
    assertEquals([seen, files], [name, ["job.json"]]);
    assertEquals(document.kind, "process");
    assertEquals(document.options, { file: "p.py", arguments: 1 });
  });

  it("has the hosts, and what they were asked for; list-jobs has a line for each", async () => {
    await using app = await completeApp();
    const program = ({ body: { Hostname }, end }: FakeContainer): void => {
      if (Hostname === "algo-2") end(3);
    };
    const options = [
      ...["--instance-count", "2", "--shard", "training", "--kill-host", "algo-1@900"],
      ...["--freeze-host", "algo-2@900+2.5"],
    ];
    assertEquals((await run(app, { program }, ["train", ...options])).code, 3);
    const { document } = await recordOf(app);
    assertEquals(document.options, {
      instance_count: 2,
      shard: ["training"],
      kill_host: ["algo-1@900"],
      freeze_host: ["algo-2@900+2.5"],
    });
    for (const host of document.hosts) {
      assertEquals([typeof host.seconds, host.peak_memory], ["number", 2000]);
    }
    const { stdout } = await list(app, ["last"]);
    assertEquals(
      stdout.match(/^Host: .*$/gm)?.map((line) => line.replace(/seconds [\d.]+/, "seconds N")),
      [
        "Host:           algo-1=exit_status 143, seconds N, ended_by algo-2, peak_memory 2.0 kB",
        "Host:           algo-2=exit_status 3, seconds N, peak_memory 2.0 kB",
      ],
    );
  });

  it("has nothing of what arguments say, which may be secret", async () => {
    await using app = await completeApp();
    const given = ["--token=s3cret", "-ps3cret", "s3cret", "--s3cret"];
    const entrypoint = ["--command", "python3", "--command", "-cs3cret"];
    for (
      const [args, options] of [
        [["--file", "p.py", "--", ...given], { file: "p.py", arguments: 4 }],
        [[...entrypoint, "--", ...given], { command: ["python3"], arguments: 5 }],
        [["--file", "p.py"], { file: "p.py" }],
      ] as const
    ) {
      const { code, stderr } = await run(app, {}, ["process", ...args]);
      assertEquals(code, 0, stderr);
      const { name, files, document } = await recordOf(app);
      assertEquals(document.options, options);
      for (const file of files) {
        assert(!(await Deno.readTextFile(jobs(app, name, file))).includes("s3cret"), file);
      }
      await Deno.remove(jobs(app, name), { recursive: true });
    }
  });

  it("tells a failure with its reason and its status", async () => {
    await using app = await appWithMetrics();
    const program = ({ err, end }: FakeContainer): void => {
      err("loss=1\nValueError\n");
      end(7);
    };
    assertEquals((await run(app, { program })).code, 7);
    const { files, document } = await recordOf(app);
    assertEquals(files, ["job.json", "log", "metrics.csv"]);
    assertEquals(document.outcome, {
      status: "Failed",
      exit_status: 7,
      reason: "Training failed: exit code 7",
    });
  });

  it("tells a stop, by Ctrl-C and by --stop-after", async () => {
    const keys = new Keys();
    for (
      const [args, program, outcome] of [
        [["train"], () => keys.press(), ["Stopped", 143]],
        [["train", "--stop-after", "1"], () => {}, ["Stopped", 143]],
      ] as const
    ) {
      await using app = await completeApp();
      await run(app, { program }, args, { keys: args.length === 1 ? keys : undefined });
      const { document } = await recordOf(app);
      assertEquals([document.outcome.status, document.outcome.exit_status], outcome);
      assert(document.ended !== null);
    }
  });

  it("is there while the run goes on, and of a run that never began there is none", async () => {
    await using app = await appWithMetrics();
    let listed: ProgramResult | undefined;
    const program = async ({ out, end }: FakeContainer): Promise<void> => {
      out("loss=0.5\n");
      listed = await runInProcess(["local", "list-jobs", "--output", "json"], {
        cwd: app.directory,
      });
      end(0);
    };
    await run(app, { program });
    assertEquals(JSON.parse(listed!.stdout).map(({ status }: { status: string }) => status), [
      "InProgress",
    ]);
    await using other = await completeApp();
    assertEquals((await run(other, { image: null })).code, 1);
    assertEquals(await namesIn(other.path("local_test")), ["test_dir"]);
    // What is there of others stays, also an empty directory.
    assertEquals((await run(app, { image: null })).code, 1);
    assertEquals((await runsOf(app)).length, 1);
    await Deno.mkdir(jobs(other));
    assertEquals((await run(other, { image: null })).code, 1);
    assertEquals(await namesIn(jobs(other)), []);
  });

  it("has a name of its own, also of two runs in one millisecond", async () => {
    await using app = await completeApp();
    await Promise.all([run(app, {}), run(app, {})]);
    assertEquals(await runsOf(app), [
      `${app.name}-2026-03-01-09-30-00-123`,
      `${app.name}-2026-03-01-09-30-00-124`,
    ]);
  });

  it("needs its directory; a run goes on where no more can be written there", async () => {
    await using app = await appWithMetrics();
    await app.write(jobs(app), "a file");
    const { code, stderr } = await run(app, { program: epochs });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot create \S+local_test\/jobs: .*\nhint: /);
    await using taken = await appWithMetrics();
    const program = async (container: FakeContainer): Promise<void> => {
      container.out("loss=0.5\n");
      await Deno.mkdir(await lastRun(taken, "job.json.part"));
      epochs(container);
    };
    const result = await run(taken, { program });
    assertEquals(result.code, 0);
    assertEquals(
      result.stderr.match(/The run continues, but its record/g)?.length,
      1,
      result.stderr,
    );
  });

  it("does not lie where a link leads out", async () => {
    await using app = await completeApp();
    await using elsewhere = await makeDirectory();
    await Deno.symlink(elsewhere.path, jobs(app));
    for (const args of [["train"], ["process", "--file", "p.py"], ["list-jobs"]]) {
      const { code, stderr } = await run(app, {}, args);
      assertEquals(code, 1);
      assertMatch(stderr, /^error: \S+local_test\/jobs points outside /);
    }
    assertEquals(await namesIn(elsewhere.path), []);
  });

  it("makes room: the last 100 stay, and what is not mlcli's", async () => {
    await using app = await completeApp();
    for (let number = 0; number < 102; number++) {
      const started = new Date(START.getTime() - (number + 1) * 60_000).toISOString();
      await putRecord(app, `old-${String(number).padStart(3, "0")}`, { started });
    }
    await app.write(jobs(app, "old-101", "notes.txt"), "mine");
    const live = { started: "2026-02-01T09:00:00Z", outcome: null, container: "mlcli-live" };
    await putRecord(app, "live", live);
    await app.write(jobs(app, "live/owner"), `${Deno.pid} ${Deno.hostname()}`);
    await app.write(jobs(app, "mine", "x"), "");
    await Deno.symlink(app.testPath("model"), jobs(app, "link"));
    assertEquals((await run(app, {})).code, 0);
    const names = await namesIn(jobs(app));
    assertEquals(names.filter((name) => name.startsWith("old-")).length, 100);
    assertEquals(["old-098", "old-099", "old-100", "old-101"].map((name) => names.includes(name)), [
      ...[true, false, false, true],
    ]);
    assertEquals(await namesIn(jobs(app, "old-101")), ["notes.txt"]);
    for (const name of ["mine", "link", "live"]) assert(names.includes(name), name);
    assertEquals(await namesIn(app.testPath("model")), ["m"]);
  });
});

const LONG = "x".repeat(60);
const COMMIT = "c".repeat(40);
const HOSTILE = {
  started: "2026-03-01T09:20:00.000Z",
  ended: "2026-03-01T09:20:30.000Z",
  outcome: { status: "Failed", exit_status: 1, reason: `Training failed: \x1b[2J ${LONG}` },
  image: { reference: "churn:latest", id: "sha256:1" },
  commit: COMMIT,
  channels: { training: "data" },
  options: { memory: 1024 },
  variables: ["TOKEN"],
  packages: { numpy: "2.0.0" },
  data: {
    training: { files: 2, bytes: 12_345, hash: "abc", by: "contents" },
    test: { files: 1, bytes: 400_000_000, hash: "def", by: "times" },
  },
  hyperparameters: { "\x1b[31mepochs\n": "\x1b[2J" },
  metrics: { "\x1b[31mloss": { last: 0.125 } },
};

async function list(
  app: TestApp,
  args: readonly string[] = [],
  options = {},
): Promise<ProgramResult> {
  return await runInProcess(["local", "list-jobs", ...args], {
    cwd: app.directory,
    clock: fakeClock(START),
    ...options,
  });
}

async function appWithRuns(): Promise<TestApp> {
  const app = await completeApp();
  const metrics = { loss: { last: 0.123456789 }, auc: { last: 0.9 } };
  await putRecord(app, "churn-1", { metrics, hyperparameters: { epochs: "5", rate: "0.1" } });
  await putRecord(app, "churn-2", HOSTILE);
  await putRecord(app, "churn-3", {
    started: "2026-03-01T09:29:00.000Z",
    ended: null,
    outcome: null,
    kind: "process",
  });
  return app;
}

suite("mlcli local list-jobs", () => {
  it("lists the runs, the newest first, with all of each field", async () => {
    await using app = await appWithRuns();
    const { code, stdout, stderr } = await list(app, [], { env: { TZ: "UTC" } });
    assertEquals([code, stderr], [0, ""]);
    assertEquals(
      stdout.replace(/T\d\d:(\d\d):\S+/g, "T$1"),
      [
        "churn-3  process  Lost  2026-03-01T29  -  -\n",
        `churn-2  train  Failed  2026-03-01T20  30  ${COMMIT}  ?[31mepochs?=?[2J  `,
        `Training failed: ?[2J ${LONG}\n`,
        "churn-1  train  Completed  2026-03-01T00  60  -  ",
        "epochs=5  rate=0.1  loss 0.123457  auc 0.9\n",
      ].join(""),
    );
    assertEquals((await list(app, ["--limit", "1"])).stdout.split("\n").length, 2);
  });

  it("list-jobs prints a line for each run on a terminal, with what differs and the reason of a failure", async () => {
    await using app = await appWithRuns();
    assertEquals(
      (await list(app, [], { isTerminal: true, columns: 106 })).stdout,
      [
        "#  NAME     KIND     STATUS     AGE  TIME    ?[31mepochs?  e" +
        "pochs  rate  ?[31mloss  loss      RESULT\n",
        "1  churn-3  process  Lost       1m   -       -             -" +
        "       -     -          -\n",
        "2  churn-2  train    Failed     10m  30s     ?[2J          -" +
        "       -     0.125      -         ?[2J xxxxxx…\n",
        "3  churn-1  train    Completed  30m  1m 00s  -             5" +
        "       0.1   -          0.123457\n",
      ].join(""),
    );
    const narrow = await list(app, [], { isTerminal: true, columns: 40 });
    assertEquals(
      narrow.stdout,
      [
        "#  NAME     KIND     STATUS     …epochs?\n",
        "1  churn-3  process  Lost       -\n",
        "2  churn-2  train    Failed     ?[2J\n",
        "3  churn-1  train    Completed  -\n",
      ].join(""),
    );
    assertEquals(
      narrow.stderr,
      "note: Columns not shown: AGE, TIME,\n      epochs, rate, ?[31mloss, loss,\n" +
        "      auc, RESULT (use --output json)\n",
    );
    const failed = await list(app, ["--limit", "2"], { isTerminal: true, columns: 60 });
    assertMatch(failed.stdout, /^2 +churn-2 .*\?\[2J x+…$/m);
    const { stdout } = await list(app, [], { isTerminal: true, colour: true });
    assert(stdout.includes("\x1b[31mLost\x1b[39m") && stdout.includes("\x1b[31mFailed"), stdout);
  });

  it("list-jobs shows the hyperparameters that differ between trainings, and short names", async () => {
    // https://github.com/mlflow/mlflow/issues/4819, https://github.com/mlflow/mlflow/issues/7420
    await using app = await completeApp();
    const put = async (minute: number, more: Readonly<Record<string, unknown>>): Promise<void> => {
      const started = `2026-03-01T09:0${minute}:00.000Z`;
      await putRecord(app, `shop-09-0${minute}`, { app: "shop", started, ...more });
    };
    const fixed = { seed: 12345678901234567890, kernel: "rbf" };
    await put(1, { hyperparameters: { ...fixed, C: "1", constructor: "a" } });
    await put(2, { hyperparameters: { ...fixed, C: "0.13436424411240122" } });
    await put(3, { kind: "transform", transform: { files: 1, records: 20 } });
    await put(4, { outcome: { status: "Downloaded" } });
    await put(5, {
      hyperparameters: fixed,
      outcome: { status: "Failed", reason: "Training failed: x" },
    });
    const { stdout } = await list(app, ["--limit", "4"], { isTerminal: true, columns: 80 });
    assertEquals(
      stdout,
      [
        "#  NAME   KIND       STATUS      AGE  TIME  C         RESULT\n",
        "1  09-05  train      Failed      25m  0s    -         x\n",
        "2  09-04  train      Downloaded  26m  0s    -\n",
        "3  09-03  transform  Completed   27m  0s    -         files=1 records=20\n",
        "4  09-02  train      Completed   28m  0s    0.134364\n",
      ].join(""),
    );
    const named = JSON.parse((await list(app, ["09-02", "--output", "json"])).stdout);
    assertEquals(named.name, "shop-09-02");
  });

  it("list-jobs says how many runs are not listed", async () => {
    await using app = await completeApp();
    for (const name of ["a", "b"]) await putRecord(app, name);
    const { stderr } = await list(app, ["--limit", "1", "--kind", "train"], { isTerminal: true });
    assertStringIncludes(stderr, "note: Showing 1 of 2 runs (more with --limit)\n");
    const all = await list(app, ["--limit", "2"], { isTerminal: true });
    assertEquals(all.stderr.includes("Showing"), false, all.stderr);
  });

  it("list-jobs shows the first metric rather than the second hyperparameter on a narrow terminal", async () => {
    await using app = await completeApp();
    for (const name of ["a", "b"]) {
      const hyperparameters = { rate_one: name, rate_two: name };
      await putRecord(app, name, { hyperparameters, metrics: { accuracy: { last: 0.5 } } });
    }
    const { stdout } = await list(app, [], { isTerminal: true, columns: 38 });
    assertMatch(stdout, /^# {2}NAME {2}STATUS {5}rate_one {2}accuracy\n/);
  });

  it("list-jobs keeps a run's number if --kind leaves out others", async () => {
    await using app = await appWithRuns();
    const listed = await list(app, ["--kind", "train"], { isTerminal: true, columns: 80 });
    assertEquals(listed.stdout.match(/^\S+ +\S+/gm), ["#  NAME", "2  churn-2", "3  churn-1"]);
    const json = (await list(app, ["--kind", "process", "--output", "json"])).stdout;
    assertEquals(JSON.parse(json).map(({ name }: { name: string }) => name), ["churn-3"]);
    // Its short name is that of a run that --kind leaves out.
    await putRecord(app, "churn-churn-3", { app: "churn" });
    const { stdout } = await list(app, ["--kind", "train"], { isTerminal: true, columns: 80 });
    assertMatch(stdout, /^\d +churn-churn-3 /m);
    const none = await list(app, ["--kind", "transform"], { isTerminal: true });
    assertEquals([none.stdout, none.stderr], [
      "",
      "No runs of kind transform yet. Start one: mlcli local transform\n",
    ]);
  });

  it("has no kind on a terminal where all have the same, and says where metrics come from", async () => {
    await using app = await completeApp();
    await putRecord(app, "churn-1", { metrics: {} });
    const { stdout, stderr } = await list(app, [], { isTerminal: true, colour: true });
    // deno-lint-ignore no-control-regex
    assertMatch(stdout.split("\n")[1]!, /^1 {2}churn-1 {2}\x1b\[32mCompleted\x1b\[39m {2}30m /);
    assertEquals(
      stderr,
      "note: No metrics. To extract them from the output, set metric_definitions in\n" +
        `      ${app.name}.json.\n`,
    );
    assertEquals((await list(app)).stderr, "");
  });

  it("asks for metric_definitions if the app has only the sample's, and no run has metrics", async () => {
    await using app = await completeApp({ configuration: { metric_definitions: [SAMPLE_METRIC] } });
    await putRecord(app, "churn-1", { metrics: {} });
    const { stderr } = await list(app, [], { isTerminal: true });
    assertMatch(stderr, /^note: No metrics\. To extract them from the output, set /);
  });

  it("list-jobs does not ask for metric_definitions if the app has some and no listed run has metrics", async () => {
    await using app = await appWithMetrics();
    await putRecord(app, "churn-1", { metrics: {} });
    assertEquals((await list(app, [], { isTerminal: true })).stderr, "");
  });

  it("prints JSON for programs", async () => {
    await using app = await appWithRuns();
    const { stdout } = await list(app, ["--output", "json"]);
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x09\x0b-\x1f]/.test(stdout));
    const [lost, failed, completed] = JSON.parse(stdout);
    assertEquals(Object.keys(lost), [
      ...["name", "kind", "status", "created", "ended", "reason", "seconds", "exit_status"],
      ...["image", "commit", "code", "hyperparameters", "metrics", "transform"],
      ...["pinned", "model_bytes"],
    ]);
    assertEquals([lost.name, lost.status, lost.exit_status], ["churn-3", "Lost", null]);
    assertEquals([failed.reason, failed.exit_status], [`Training failed: \x1b[2J ${LONG}`, 1]);
    assertEquals([completed.metrics.auc.last, completed.seconds], [0.9, 60]);
  });

  it("shows all of one run, also by its place in the list", async () => {
    await using app = await appWithRuns();
    await app.write(jobs(app, "churn-2", "log"), "");
    const whole = await list(app, ["churn-2"], { env: { TZ: "UTC" } });
    assertEquals(
      whole.stdout.replaceAll(app.name, "APP").replace(/^Mlcli: .*\n/m, ""),
      [
        "Name:           churn-2\n",
        "Kind:           train\n",
        "Status:         Failed\n",
        "Created:        2026-03-01T09:20:00.000000+00:00\n",
        "Ended:          2026-03-01T09:20:30.000000+00:00\n",
        `Reason:         Training failed: ?[2J ${LONG}\n`,
        "Seconds:        30\n",
        "Exit status:    1\n",
        "Image:          churn:latest\n",
        `Commit:         ${COMMIT}\n`,
        "Hyperparameter: ?[31mepochs?=?[2J\n",
        "Metric:         ?[31mloss=last 0.125, min 0.125, max 0.125, count 1\n",
        "Channel:        training=data\n",
        "Data:           training=files 2, bytes 12345, hash abc, by contents\n",
        "Data:           test=files 1, bytes 400000000, hash def, by times\n",
        "Option:         memory=1024\n",
        "Variables:      TOKEN\n",
        "Image id:       sha256:1\n",
        "Container:      mlcli-x-train-00000000\n",
        "Package:        numpy=2.0.0\n",
        "Log:            APP/mlcli_base/local_test/jobs/churn-2/log\n",
      ].join(""),
    );
    assertEquals((await list(app, ["2"], { env: { TZ: "UTC" } })).stdout, whole.stdout);
    const newest = JSON.parse((await list(app, ["last", "--output", "json"])).stdout);
    assertEquals([newest.name, newest.log, newest.packages], ["churn-3", null, null]);
    await putRecord(app, "2");
    assertEquals(JSON.parse((await list(app, ["2", "--output", "json"])).stdout).name, "2");
  });

  it("compares two runs", async () => {
    await using app = await appWithRuns();
    const { code, stdout } = await list(app, ["churn-1", "churn-2"], {
      isTerminal: true,
      columns: 80,
    });
    assertEquals(code, 0);
    assertEquals(
      stdout,
      [
        "A: churn-1\nB: churn-2\n",
        "                             A          B\n",
        "image                                   churn:latest\n",
        "image id                                1\n",
        "hyperparameter ?[31mepochs?  -          ?[2J\n",
        "hyperparameter epochs        5          -\n",
        "hyperparameter rate          0.1        -\n",
        "channel training             -          data\n",
        "option memory                -          1024\n",
        "variable TOKEN               -          given\n",
        "commit                       -          cccccccccccc\n",
        "status                       Completed  Failed\n",
        "exit status                  0          1\n",
        "seconds                      60         30\n",
        "metric ?[31mloss             -          0.125\n",
        "metric auc                   0.9        -\n",
        "metric loss                  0.123457   -\n",
      ].join(""),
    );
    assertEquals(
      (await list(app, ["churn-1", "churn-1"])).stdout,
      [
        "A: churn-1\nB: churn-1\nNo differences\n",
      ].join(""),
    );
    const json = JSON.parse((await list(app, ["churn-1", "churn-2", "--output", "json"])).stdout);
    assertEquals(json.runs.length, 2);
    assertEquals(json.differences.at(-1), {
      what: "metric",
      name: "loss",
      values: [0.123456789, null],
    });
  });

  it("list-jobs compares any number of runs, and lists each value once if the terminal has no room for all", async () => {
    await using app = await appWithRuns();
    const path = (end: string) => `s3://${"x".repeat(17)}/${end}`;
    for (const [index, end] of ["a", "b", "a"].entries()) {
      const started = `2026-03-01T08:0${index}:00.000Z`;
      const [hyperparameters, code] = [{ path: path(end), depth: index }, index === 2 ? "d" : "c"];
      await putRecord(app, `path-${index}`, { started, hyperparameters, code });
    }
    const names = ["path-0", "path-1", "path-2"];
    const { stdout } = await list(app, names, { isTerminal: true, columns: 80 });
    assertEquals(
      stdout,
      [
        "A: path-0\nB: path-1\nC: path-2\n",
        "                      A     B     C\n",
        "hyperparameter depth  0     1     2\n",
        "code                  c     c     d\n",
        "seconds               3660  3600  3540\n",
        "hyperparameter path\n",
        `  A, C: ${path("a")}\n  B: ${path("b")}\n`,
      ].join(""),
    );
    const json = JSON.parse((await list(app, [...names, "--output", "json"])).stdout);
    assertEquals([json.runs.length, json.code], [3, null]);
    assertEquals(json.differences[0].values, ["0", "1", "2"]);
    const all = await list(app, Array(28).fill("path-0").concat("path-1"));
    assertStringIncludes(all.stdout, "\nZ: path-0\n27: path-0\n28: path-0\n29: path-1\n");
  });

  it("shows what changed in code and data between two", async () => {
    await using app = await appWithMetrics();
    const code = (name: string) => app.path("training", name);
    await app.write(code("training.py"), "a\nb\n");
    await app.write(code("old.py"), "");
    await run(app, { program: epochs });
    await app.write(code("training.py"), "a\n\x1b[31mc\n");
    await app.write(code("new.py"), "");
    await Deno.remove(code("old.py"));
    await app.write(app.testPath("input/data/training/more.csv"), "1\n");
    const clock = fakeClock(new Date(START.getTime() + 1000));
    await run(app, { program: epochs }, ["train"], { clock });
    const { stdout } = await list(app, ["2", "last"]);
    assertMatch(
      stdout,
      /\ncode {2}[\da-f]{12} {2}[\da-f]{12}\ndata training {2}files 1, bytes 2, hash [\da-f]{12}, by contents {2}files 2, bytes 4, /,
    );
    assertEquals(
      stdout.slice(stdout.indexOf("added")),
      "added code/new.py\nremoved code/old.py\nchanged code/training.py\n" +
        "--- code/training.py\n+++ code/training.py\n@@ -1,2 +1,2 @@\n a\n-b\n+?[31mc\n",
    );
    const json = JSON.parse((await list(app, ["2", "1", "--output", "json"])).stdout);
    assertEquals(json.code[0], { path: "code/new.py", change: "added", patch: null });
    await Deno.remove(jobs(app, "code"), { recursive: true });
    assertStringIncludes((await list(app, ["2", "1"])).stdout, "\nCannot compare the code: ");
  });

  it("says what is wrong with the names", async () => {
    await using app = await appWithRuns();
    const rows: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [["9"], /^error: Run "9" does not exist\nhint: /],
      [
        ["last", "--kind", "train"],
        /^error: Option "--kind" cannot be used with the name of a run\nhint: /,
      ],
      [
        ["churn-1", "churn-\x1b[2J"],
        /^error: Run "churn-\?\[2J" does not exist\nhint: List the last 100 runs: mlcli local list-jobs\n/,
      ],
      [["churn-1", "../churn-1"], /^error: Run "\.\.\/churn-1" does not exist\n/],
    ];
    for (const [args, message] of rows) {
      const { code, stderr } = await list(app, args);
      assertEquals(code, 2);
      assertMatch(stderr, message);
    }
  });

  it("is empty where nothing has run, and leaves out what is no record", async () => {
    await using app = await completeApp();
    assertEquals(await list(app), { code: 0, stdout: "", stderr: "" });
    assertEquals(
      (await list(app, [], { isTerminal: true })).stderr,
      "No runs yet. Start one: mlcli local train\n",
    );
    await app.write(jobs(app, "mine", "job.json"), "{");
    await Deno.mkdir(jobs(app, "pipe"));
    await new Deno.Command("mkfifo", { args: [jobs(app, "pipe", "job.json")] }).output();
    await Deno.mkdir(jobs(app, "linked"));
    await putRecord(app, "../elsewhere");
    await Deno.symlink(jobs(app, "../elsewhere/job.json"), jobs(app, "linked", "job.json"));
    assertEquals((await list(app)).stdout, "");
  });
});
