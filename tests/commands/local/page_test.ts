import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Report, TOKEN_HEADER } from "../../../runtime/page/api.ts";
import { pageDocument } from "../../../runtime/page/document.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { eventually } from "../../helpers/eventually.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { inTime } from "../../helpers/in_time.ts";
import { it, suite } from "../../helpers/suite.ts";

const AWAY = { DOCKER_HOST: "unix:///nonexistent.sock" };

async function appWithRuns(...names: readonly string[]): Promise<TestApp> {
  const app = await completeApp();
  for (const [index, name] of names.entries()) {
    const time = `2026-03-01T09:3${index}:00.000Z`;
    const record = { kind: "train", started: time, outcome: { status: "Completed" } };
    const path = (file: string) => app.path("local_test/jobs", name, file);
    await app.write(path("job.json"), JSON.stringify(record));
    await app.write(path("log"), "out </script><script>secret\n");
    const rows = Array.from({ length: 5_000 }, (_, at) => `${time},loss,${at % 100}\n`);
    await app.write(path("metrics.csv"), `time,metric,value\n${rows.join("")}`);
  }
  return app;
}

suite("local ui", () => {
  it("prints the address, serves until the first Ctrl-C, and ends at once", async () => {
    await using app = await appWithRuns("a");
    const keys = new Keys();
    const address = Promise.withResolvers<string>();
    const running = runInProcess(["local", "ui", "--port", "0"], {
      cwd: app.directory,
      env: { ...AWAY, SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" },
      keys,
      onOutput: (text) => address.resolve(text),
    });
    const printed = await inTime(address.promise);
    assertMatch(printed, /^http:\/\/localhost:\d+\/#[\w-]{43}\n$/);
    const [page = "", token = ""] = printed.trim().split("#");
    const headers = { [TOKEN_HEADER]: token };
    assertEquals((await (await fetch(`${page}api/app`, { headers })).json()).app, app.name);
    // Somebody listens.
    const { body } = await fetch(`${page}api/events`, { headers });
    const reader = body!.getReader();
    await inTime(reader.read());
    keys.press();
    const { code, stdout, stderr } = await running;
    await reader.cancel().catch(() => {});
    assertEquals([code, stdout], [130, printed]);
    const [, port] = /:(\d+)/.exec(page)!;
    assertEquals(
      stderr,
      `note: Serving the page of ${app.name} (press Ctrl-C to stop)\n` +
        `note: From your machine: ssh -N -L ${port}:127.0.0.1:${port} 10.0.0.2\n`,
    );
  });

  it("says where a port is taken, and where records lie outside", async () => {
    await using app = await appWithRuns();
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const ui = () => runInProcess(["local", "ui", "--port", `${port}`], { cwd: app.directory });
    const taken = await ui();
    assertEquals(taken.code, 1);
    assertMatch(taken.stderr, new RegExp(`^error: Port already in use: ${port}\n`));
    await Deno.symlink("/etc", app.path("local_test/jobs"));
    assertMatch((await ui()).stderr, /^error: .*jobs points outside /);
  });

  it("--open gives the browser a private file, which goes with the page", async () => {
    await using app = await appWithRuns();
    const programs = `${app.directory}/programs`;
    await app.write(
      `${programs}/xdg-open`,
      `#!/bin/sh\ncp -p "$1" ${programs}/seen.part\n` +
        `mv ${programs}/seen.part ${programs}/seen\necho "$*" > ${programs}/words\n`,
    );
    await Deno.chmod(`${programs}/xdg-open`, 0o755);
    await using child = app.start(["local", "ui", "--port", "0", "--open"], {
      env: { ...AWAY, PATH: `${programs}:/usr/bin:/bin` },
    });
    const words = () => Deno.readTextFile(`${programs}/words`).catch(() => "");
    await eventually(async () => (await words()).endsWith("\n"));
    const seen = await Deno.readTextFile(`${programs}/seen`);
    const [, token = ""] = /url=http:\/\/localhost:\d+\/#([\w-]{43})"/.exec(seen) ?? [];
    assert(token !== "" && !(await words()).includes(token));
    assertEquals((await Deno.stat(`${programs}/seen`)).mode! & 0o777, 0o600);
    child.kill("SIGINT");
    assertEquals((await child.status).code, 130);
    await child.stdout.cancel();
    const said = await new Response(child.stderr).text();
    assertEquals(said.includes("No browser"), false, said);
    assertEquals(await namesIn(app.path("local_test")), ["test_dir"]);
  });
});

/** Runs `local report`. @returns also the page that it wrote. */
async function report(app: TestApp, ...args: readonly string[]) {
  const result = await runInProcess(["local", "report", ...args], { cwd: app.directory });
  const path = result.stdout.trim();
  const page = path && await Deno.readTextFile(`${app.directory}/${path}`);
  return { ...result, page };
}

function readReport(page: string): Report {
  const [, json] = /<script type="application\/json" id="report">(.*?)<\/script>/.exec(page)!;
  return JSON.parse(json!);
}

suite("local report", () => {
  it("holds all runs, their curves thinned, and no log", async () => {
    await using app = await appWithRuns("a", "b", "c");
    const { code, page, stderr } = await report(app);
    assertEquals(code, 0, stderr);
    const { runs, curves, files, logs, comparisons, app: name } = readReport(page);
    assertEquals([runs.map((run) => run.name), name], [["c", "b", "a"], app.name]);
    const { time, value } = curves["a"]!["loss"]!;
    assert(time.length === value.length && value.length <= 2_000 && value.length > 1_000);
    assertEquals([Math.min(...value), Math.max(...value)], [0, 99]);
    assertEquals(files["b"]!.entries.map(({ path }) => path), ["job.json", "log", "metrics.csv"]);
    assertEquals([logs, page.includes("secret")], [{}, false]);
    const pairs = comparisons.map((one) => one.runs.map((run) => run.name).join());
    assertEquals(pairs, ["b,c", "a,c", "a,b"]);
    assertEquals(
      stderr,
      "note: The report contains 3 runs with hyperparameters, metrics, errors and code changes, but " +
        "no logs (see --with-logs)\n",
    );
  });

  it("holds the runs that are named, and logs where that is asked for, as text", async () => {
    await using app = await appWithRuns("a", "b", "c");
    const { page, stderr } = await report(app, "last", "b", "2", "--with-logs");
    const { runs, logs } = readReport(page);
    assertEquals(runs.map(({ name }) => name), ["c", "b"]);
    assertEquals(logs["b"], "out </script><script>secret\n");
    // The page's own program is the only other script.
    assertEquals(
      page.split("<script").length,
      (await pageDocument()).split("<script").length + 1,
    );
    assertStringIncludes(stderr, "2 runs");
    const none = await report(app, "other");
    assertEquals([none.code, none.stdout], [2, ""]);
    assertStringIncludes(none.stderr, 'Run "other" does not exist');
  });

  it("local report writes beside the runs by default, where Git and builds leave the file out", async () => {
    await using app = await appWithRuns("a");
    const { code, stdout } = await report(app);
    const path = app.path("local_test/jobs/report.html");
    assertEquals([code, stdout], [0, `${path.slice(app.directory.length + 1)}\n`]);
    assertEquals(await Deno.readTextFile(app.path("local_test/jobs/.gitignore")), "*\n");
  });

  it("local report does not follow a link that a clone has at the default path", async () => {
    await using outside = await makeDirectory();
    await using app = await appWithRuns("a");
    await Deno.symlink(`${outside.path}/x.html`, app.path("local_test/jobs/report.html"));
    const { code, stderr } = await report(app);
    assertEquals([code, await namesIn(outside.path)], [1, []], stderr);
  });

  it("is written whole, in the place of a report and of nothing else", async () => {
    await using app = await appWithRuns("a");
    const path = `${app.directory}/report.html`;
    for (const _ of ["new", "again"]) {
      const { code, stdout } = await report(app, "-o", "report.html");
      assertEquals([code, stdout], [0, "report.html\n"]);
      assertEquals(readReport(await Deno.readTextFile(path)).runs.length, 1);
    }
    const other = '<!DOCTYPE html>\n<html lang="en">\n  <head>my own';
    await Deno.writeTextFile(path, other);
    const { code, stderr } = await report(app, "-o", "report.html");
    assertEquals([code, await Deno.readTextFile(path)], [1, other]);
    assertMatch(stderr, /^error: report\.html already exists and is not an mlcli report\nhint: /);
    await Deno.writeTextFile(path, "");
    assertEquals((await report(app, "-o", "report.html")).code, 1);
    assertMatch(
      (await report(app, "-o", "report.html/r.html")).stderr,
      /^error: Cannot write report\.html\/r\.html: /,
    );
    assertEquals(
      (await namesIn(app.directory)).filter((name) => name.includes("report")),
      ["report.html"],
    );
  });

  it("fails if the records of a clone would make it larger than 100 MB", async () => {
    await using app = await appWithRuns("a", "b", "c", "d");
    for (const name of ["a", "b", "c", "d"]) {
      const path = app.path("local_test/jobs", name, "job.json");
      const record = JSON.parse(await Deno.readTextFile(path));
      const hyperparameters = { x: name + "<".repeat(1_000_000) };
      await Deno.writeTextFile(path, JSON.stringify({ ...record, hyperparameters }));
    }
    const { code, stdout, stderr } = await report(app);
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr,
      "error: The report would be larger than 100 MB\n" +
        "hint: Choose fewer runs: mlcli local report d -o report.html\n",
    );
    assertEquals((await report(app, "d")).code, 0);
  });
});
