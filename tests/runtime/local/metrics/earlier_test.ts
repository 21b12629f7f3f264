import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TOKEN_HEADER } from "../../../../runtime/page/api.ts";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import { type MadeRun, makeRun } from "../../../helpers/made_runs.ts";
import { servePage } from "../../../helpers/page_server.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LOSS = { Name: "loss", Regex: "loss[= ](\\S+)" };

const inJobs = (app: TestApp, file: string): string => app.path("local_test/jobs", file);

const textOf = (app: TestApp, file: string): Promise<string> =>
  Deno.readTextFile(inJobs(app, file));

/** An app that defines a metric only after a run, which is called `before`. */
async function appWithRun(
  run: MadeRun,
  definitions: readonly unknown[] = [LOSS],
): Promise<TestApp> {
  const app = await completeApp({ configuration: { metric_definitions: definitions } });
  await makeRun(app, 0, { name: "before", ...run });
  return app;
}

async function list(app: TestApp, keys?: Keys) {
  const options = { cwd: app.directory, ...keys && { keys } };
  const result = await runInProcess(["local", "list-jobs", "--json"], options);
  return { ...result, metrics: JSON.parse(result.stdout || "[{}]")[0].metrics };
}

suite("metrics that are defined after a run", () => {
  it("metrics that are defined after a run are found in its log once, and kept without times", async () => {
    await using app = await appWithRun({ log: "out loss=3\nerr loss=1\nout loss=2\nout end\n" });
    const { metrics, stderr } = await list(app);
    assertEquals([metrics, stderr], [{ loss: { last: 2, min: 1, max: 3, count: 3 } }, ""]);
    const values = await textOf(app, "before/metrics.csv");
    assertEquals(values, "time,metric,value\n,loss,3\n,loss,1\n,loss,2\n");
    assertEquals(await namesIn(inJobs(app, "before")), ["job.json", "log", "metrics.csv"]);
    const inodes = async () =>
      await Promise.all(["job.json", "metrics.csv"].map(async (file) => {
        return (await Deno.stat(inJobs(app, `before/${file}`))).ino;
      }));
    const before = await inodes();
    assertEquals((await list(app)).metrics, metrics);
    assertEquals(await inodes(), before, "the log was searched a second time");
  });

  const LOGS: Readonly<Record<string, readonly [log: string, values: string, run?: MadeRun]>> = {
    // https://github.com/awslabs/gluonts/pull/810
    "states of a progress bar": ["err \r 50% loss=21.7\r100% loss=20.7\n", "21.7 20.7"],
    "colours": ["out \x1b[32mloss=\x1b[1m4\x1b[0m\n", "4"],
    "a line that begins with the expression": ["out loss=1\nerr loss=2\nloss=3\n", "1 2 3"],
    "a line without an end": ["out loss=5", "5"],
    "several hosts": ["out algo-2: loss=6\nerr algo-1: loss=7\n", "6 7", {
      hosts: ["algo-1", "algo-2"].map((name) => {
        return { name, exit_status: 0, seconds: 1, peak_memory: null, ended_by: null };
      }),
    }],
    "no number": ["out loss=nan\n", ""],
  };
  for (const [what, [log, values, run]] of Object.entries(LOGS)) {
    it(`metrics that are defined after a run are found in a log with ${what}`, async () => {
      await using app = await appWithRun({ ...run, log }, [{
        ...LOSS,
        Regex: "^.{0,5}loss=(\\S+)",
      }]);
      await list(app);
      const rows = await textOf(app, "before/metrics.csv").catch(() => "");
      assertEquals(
        [...rows.matchAll(/^,loss,(.*)$/gm)].map(([, value]) => value).join(" "),
        values,
      );
    });
  }

  it("list-jobs replaces the values of a definition that has changed, and keeps others", async () => {
    const accuracy = { name: "acc", regex: "acc=(\\S+)" };
    const unmatched = (regex: string) => ({ name: "unmatched", regex });
    await using app = await appWithRun({
      log: "out loss 9 x,loss,acc=4\n",
      metric_definitions: [{ name: "loss", regex: "x(.)" }, accuracy, unmatched("(y)")],
      curves: [["unmatched", [1]]],
    }, [LOSS, { Name: "acc", Regex: accuracy.regex }, { Name: "unmatched", Regex: "(z)" }]);
    const rows = 't,acc,4\nt,loss,1\nt,"x,loss,y",2\nt,los';
    await app.write(inJobs(app, "before/metrics.csv"), `time,metric,value\n${rows}`);
    assertEquals((await list(app)).metrics, { loss: { last: 9, min: 9, max: 9, count: 1 } });
    const values = await textOf(app, "before/metrics.csv");
    assertEquals(values, 'time,metric,value\nt,acc,4\nt,"x,loss,y",2\n,loss,9\n');
    const { metric_definitions } = JSON.parse(await textOf(app, "before/job.json"));
    const added = [{ name: "loss", regex: LOSS.Regex }, unmatched("(z)")];
    assertEquals(metric_definitions, [accuracy, ...added]);
  });

  for (
    const [what, run] of Object.entries<MadeRun>({
      "goes on": { outcome: null },
      "is a processing run": { kind: "process" },
      "was measured": { metric_definitions: [{ name: "loss", regex: LOSS.Regex }] },
    })
  ) {
    it(`list-jobs changes no record of a run that ${what}`, async () => {
      await using app = await appWithRun({ ...run, log: "out loss=1\n" });
      const before = await textOf(app, "before/job.json");
      await list(app);
      assertEquals(await textOf(app, "before/job.json"), before);
      assertEquals(await namesIn(inJobs(app, "before")), ["job.json", "log"]);
    });
  }

  it("list-jobs searches no log behind a link", async () => {
    await using app = await appWithRun({ log: "out loss=1\n" });
    const secret = `${app.directory}/secret`;
    await app.write(secret, "time,metric,value\nloss=5,secret,5\n");
    await Deno.symlink(secret, inJobs(app, "before/metrics.csv"));
    await makeRun(app, 1, { name: "linked" });
    await Deno.symlink(secret, inJobs(app, "linked/log"));
    await list(app);
    assertEquals(await textOf(app, "before/metrics.csv"), "time,metric,value\n,loss,1\n");
    assertEquals(await namesIn(inJobs(app, "linked")), ["job.json", "log"]);
    assertStringIncludes(await Deno.readTextFile(secret), "secret,5\n");
  });

  it("list-jobs skips logs that take too long to search, with a note", async () => {
    await using app = await appWithRun({ log: "out loss=1\n" });
    await Deno.truncate(inJobs(app, "before/log"), 2 ** 34);
    await makeRun(app, 1, { name: "slow", log: "out loss=3\n" });
    await Deno.truncate(inJobs(app, "slow/log"), 2 ** 24);
    await makeRun(app, 2, { name: "short", log: "out loss=2\n" });
    const { metrics, stderr } = await list(app);
    assertEquals(metrics.loss.last, 2);
    assertEquals(
      stderr,
      "note: Searching the log of run slow for metrics\nnote: Skipped the logs of before: too " +
        "long to search for metrics\n",
    );
  });

  it("list-jobs leaves the record as it was on Ctrl-C", async () => {
    await using app = await appWithRun({ log: "out loss=1\n".repeat(200_000) });
    const before = await textOf(app, "before/job.json");
    const keys = new Keys();
    keys.press();
    assertEquals((await list(app, keys)).code, 130);
    assertEquals(await textOf(app, "before/job.json"), before);
    assertEquals(await namesIn(inJobs(app, "before")), ["job.json", "log"]);
  });

  it("list-jobs works if new metrics cannot be written", async () => {
    await using app = await appWithRun({ log: "out loss=1\n" });
    await Deno.mkdir(inJobs(app, "before/metrics.csv/x"), { recursive: true });
    const { code, stderr, metrics } = await list(app);
    assertEquals([code, stderr, metrics], [0, "", {}]);
  });

  it("list-jobs works if a log of another user cannot be read", async () => {
    await using app = await appWithRun({ log: "out loss=1\n" });
    await makeRun(app, 1, { name: "own", log: "out loss=2\n" });
    const { open } = Deno;
    const denied = new Deno.errors.PermissionDenied("Permission denied (os error 13)");
    using _closed = replaced(Deno, {
      open: (path: string, options?: Deno.OpenOptions) =>
        path === inJobs(app, "before/log") ? Promise.reject(denied) : open(path, options),
    });
    const { code, stdout } = await list(app);
    const found = JSON.parse(stdout).map((run: { metrics: object }) => run.metrics);
    assertEquals([code, found], [0, [{ loss: { last: 2, min: 2, max: 2, count: 1 } }, {}]]);
  });

  it("metrics that are defined after a run are in the report and on the page", async () => {
    await using app = await appWithRun({ log: "out loss=3\nout loss=1\n" });
    await runInProcess(["local", "report", "-o", "r.html"], { cwd: app.directory });
    const page = await Deno.readTextFile(`${app.directory}/r.html`);
    const curve = { time: [null, null], value: [3, 1] };
    assert(page.includes(JSON.stringify({ before: { loss: curve } })), page.slice(-2_000));
    await using other = await appWithRun({ log: "out loss=3\nout loss=1\n" });
    await using server = await servePage(other);
    const [root = ""] = server.address.split("#");
    const answer = await fetch(`${root}api/runs/before/curves?from=0`, {
      headers: { [TOKEN_HEADER]: server.token },
    });
    assertEquals((await answer.json()).curves, { loss: curve });
  });
});
