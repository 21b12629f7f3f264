import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { claim } from "../../../runtime/owner.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { namesIn } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** An app with the runs `good` and, a day later, `bad`, which have a model of 10 kB, and `none`. */
async function appWithRuns(): Promise<TestApp> {
  const app = await completeApp();
  const outcomes = {
    good: { status: "Completed", exit_status: 0 },
    bad: { status: "Failed", exit_status: 1 },
    none: { status: "Completed", exit_status: 0 },
  };
  for (const [index, [name, outcome]] of Object.entries(outcomes).entries()) {
    const record = { kind: "train", started: `2026-03-0${index + 1}`, outcome };
    await app.write(inRun(app, name, "job.json"), JSON.stringify(record));
    if (name !== "none") await app.write(inRun(app, name, "model/m"), "m".repeat(10_000));
  }
  return app;
}

function inRun(app: TestApp, ...parts: readonly string[]): string {
  return app.path("local_test/jobs", ...parts);
}

async function run(app: TestApp, line: string) {
  return await runInProcess(["local", ...line.split(" ")], { cwd: app.directory });
}

/** What `list-jobs` says of the model of a run. */
async function modelFacts(app: TestApp, name: string) {
  const { stdout } = await run(app, `list-jobs ${name} --json`);
  const { pinned, model_bytes } = JSON.parse(stdout);
  return { pinned, model_bytes };
}

suite("mlcli local keep", () => {
  for (
    const [typed, name] of [["good", "good"], ["3", "good"], ["last", "good"], ["bad", "bad"]]
  ) {
    it(`pins the model of ${name} for ${typed}, and releases it with --no-keep`, async () => {
      await using app = await appWithRuns();
      for (const _ of [1, 2]) {
        const { code, stdout, stderr } = await run(app, `keep ${typed}`);
        assertEquals({ code, stdout, stderr }, { code: 0, stdout: `${name}\n`, stderr: "" });
        assertEquals((await modelFacts(app, name!)).pinned, true);
      }
      for (const _ of [1, 2]) {
        assertEquals((await run(app, `keep --no-keep ${typed}`)).stdout, `${name}\n`);
        assertEquals((await modelFacts(app, name!)).pinned, false);
      }
    });
  }

  it("local keep fails for a run without a model, and lists the runs that have one", async () => {
    await using app = await appWithRuns();
    for (const typed of ["none", "1"]) {
      const { code, stderr } = await run(app, `keep ${typed}`);
      assertEquals({ code, stderr }, {
        code: 1,
        stderr:
          "error: Run none has no model: the run wrote none, or mlcli removed it to save space\n" +
          "hint: Choose a run that has a model: bad (failed), good\n",
      });
    }
  });

  it("local keep replaces a link in place of the pin, and does not follow it", async () => {
    await using app = await appWithRuns();
    const mine = join(app.directory, "mine");
    await Deno.writeTextFile(mine, "mine");
    await Deno.symlink(mine, inRun(app, "good/pinned"));
    assertEquals((await modelFacts(app, "good")).pinned, false);
    assertEquals((await run(app, "keep good")).code, 0);
    assertEquals((await modelFacts(app, "good")).pinned, true);
    assertEquals(await Deno.readTextFile(mine), "mine");
  });

  it("local keep fails if the directory of the runs is a link out of the repository", async () => {
    await using app = await appWithRuns();
    const outside = await Deno.makeTempDir();
    try {
      await Deno.rename(inRun(app), join(outside, "jobs"));
      await Deno.symlink(join(outside, "jobs"), inRun(app));
      assertEquals((await run(app, "keep good")).code, 1);
      assertEquals([...Deno.readDirSync(join(outside, "jobs/good"))].length, 2);
    } finally {
      await Deno.remove(outside, { recursive: true });
    }
  });
});

suite("the size of a model", () => {
  it("the size of a model is shown with its run, and null without a model", async () => {
    await using app = await appWithRuns();
    assertEquals(await modelFacts(app, "good"), { pinned: false, model_bytes: 10_000 });
    assertEquals(await modelFacts(app, "none"), { pinned: false, model_bytes: null });
    await run(app, "keep good");
    const { stdout } = await run(app, "list-jobs good");
    assertStringIncludes(stdout, "Pinned:         yes\nModel bytes:    10.0 kB\n");
    const listed = JSON.parse((await run(app, "list-jobs --json")).stdout);
    const facts = listed.map((
      { name, pinned, model_bytes }: Readonly<Record<string, unknown>>,
    ) => [name, pinned, model_bytes]);
    assertEquals(facts, [["none", false, null], ["bad", false, 10_000], ["good", true, 10_000]]);
  });

  it("the size of a model counts the bytes of a sparse file on the disk", async () => {
    await using app = await appWithRuns();
    await Deno.truncate(inRun(app, "good/model/m"), 1e12);
    const { model_bytes } = await modelFacts(app, "good");
    assertEquals(model_bytes < 1e6, true, String(model_bytes));
  });

  it("the size of a model does not count files behind links out of it", async () => {
    await using app = await appWithRuns();
    await app.write(`${app.directory}/large`, "l".repeat(1_000_000));
    await Deno.symlink(`${app.directory}/large`, inRun(app, "good/model/link"));
    await Deno.symlink(app.directory, inRun(app, "good/model/directory"));
    const { model_bytes } = await modelFacts(app, "good");
    assertEquals(model_bytes < 20_000, true, String(model_bytes));
  });

  it("the size of a model is null while its run writes it, and --run refuses that run", async () => {
    await using app = await appWithRuns();
    const path = inRun(app, "good/job.json");
    const record = JSON.parse(await Deno.readTextFile(path));
    await Deno.writeTextFile(path, JSON.stringify({ ...record, outcome: null }));
    claim(inRun(app, "good"));
    assertEquals((await modelFacts(app, "good")).model_bytes, null);
    const { stderr } = await run(app, "keep none");
    assertStringIncludes(stderr, "Choose a run that has a model: bad (failed)\n");
  });

  it("the size of a model changes with a file deep in it", async () => {
    await using app = await appWithRuns();
    await app.write(inRun(app, "good/model/a/b"), "m");
    assertEquals((await modelFacts(app, "good")).model_bytes, 10_001);
    await app.write(inRun(app, "good/model/a/b"), "m".repeat(5_000));
    assertEquals((await modelFacts(app, "good")).model_bytes, 15_000);
    assertEquals(await namesIn(inRun(app, "good")), ["job.json", "model"]);
  });
});

suite("mlcli local deploy --run", () => {
  it("local deploy --run warns if the run failed", async () => {
    await using app = await appWithRuns();
    await using engine = await fakeContainers();
    for (
      const [name, warning] of [
        [
          "bad",
          "warning: Run bad failed, so its model might be incomplete\n" +
          "hint: See why: mlcli local describe bad\n",
        ],
        ["good", ""],
      ] as const
    ) {
      const line = ["local", "deploy", "--run", name, "-p", "0"];
      const { stderr } = await runInProcess(line, { cwd: app.directory, engine });
      assertEquals(stderr.split("error:")[0], warning);
    }
  });
});
