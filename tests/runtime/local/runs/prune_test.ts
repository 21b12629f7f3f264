import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Engine } from "../../../../runtime/docker/engine.ts";
import { idOf } from "../../../../runtime/files.ts";
import { prune } from "../../../../runtime/local/runs/prune.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { completeApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import {
  type FakeContainers,
  fakeContainers,
  listedServer,
} from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

const PROCESS = ["local", "process", "--file", "p.py"];

/** An app with runs that have a model, the oldest first, and settings in the directory `settings`. */
async function appWithRuns(
  outcomes: Readonly<Record<string, object>>,
  settings: Readonly<Record<string, string>> = {},
  configuration: Readonly<Record<string, unknown>> = {},
) {
  const app = await completeApp({ configuration });
  const jobs = (...parts: string[]): string => app.path("local_test/jobs", ...parts);
  for (const [index, [name, outcome]] of Object.entries(outcomes).entries()) {
    const started = new Date(Date.UTC(2026, 1, 1 + index)).toISOString();
    const record = { kind: "train", started, outcome };
    await app.write(jobs(name, "job.json"), JSON.stringify(record));
    await app.write(jobs(name, "model", "m"), "m");
  }
  await app.write(`${app.directory}/settings/mlcli/config.json`, JSON.stringify(settings));
  return {
    app,
    jobs,
    /** Runs a command line to its end. */
    run: (line: readonly string[], engine: FakeContainers) =>
      runInProcess(line, {
        cwd: app.directory,
        engine,
        env: { XDG_CONFIG_HOME: `${app.directory}/settings` },
      }),
    /** Names of the runs that have a model. */
    async kept(): Promise<readonly string[]> {
      const names: string[] = [];
      for (const name of await namesIn(jobs())) {
        if ((await namesIn(jobs(name)).catch((): string[] => [])).includes("model")) {
          names.push(name);
        }
      }
      return names;
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const SERVER = listedServer(8080, {}, { "mlcli.model": "served" });
const COMPLETED = { status: "Completed", exit_status: 0 };

suite("the models of earlier runs", () => {
  it("a run removes models that are no longer kept, with a warning", async () => {
    await using made = await appWithRuns({
      "0-Lost": { status: "Lost" },
      "1-Failed": { status: "Failed", exit_status: 1 },
      "2-Completed": COMPLETED,
      // Its model could not be moved, though its code ended well.
      "4-Completed": { status: "Failed", exit_status: 0 },
      "5-Failed": { status: "Failed", exit_status: 1 },
      "6-Stopped": { status: "Stopped" },
      "7-Completed": COMPLETED,
    }, { keep_models: "3" });
    // A command that was killed had begun to remove it.
    await made.app.write(made.jobs(".unpacked/gone/m"), "");
    await using engine = await fakeContainers();
    const { code, stderr } = await made.run(PROCESS, engine);
    assertEquals(code, 0);
    const warning = "warning: Removed the model of 2-Completed, 1-Failed " +
      "(mlcli keeps at most 3 models, 10GB in total)\n" +
      "hint: To keep a model: mlcli local keep RUN. To keep more models: mlcli config set " +
      "keep_models NUMBER, or mlcli config set keep_models_size SIZE\n";
    assertStringIncludes(stderr, warning);
    const expected = ["0-Lost", "4-Completed", "5-Failed", "6-Stopped", "7-Completed"];
    assertEquals(await made.kept(), expected);
    assertEquals((await namesIn(made.jobs())).includes(".unpacked"), false);
  });

  it("a run removes models that are older than the current model, which stays", async () => {
    await using made = await appWithRuns(
      { old: COMPLETED, current: COMPLETED, new: COMPLETED },
      { keep_models: "1" },
    );
    const model = made.app.path("local_test/test_dir/model");
    await Deno.remove(model, { recursive: true });
    await Deno.rename(made.jobs("current/model"), model);
    const current = { of: "current", id: await idOf(model), next: "", nextId: "" };
    await made.app.write(made.jobs(".current.json"), JSON.stringify(current));
    await using engine = await fakeContainers();
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    assertEquals(await made.kept(), ["new"]);
    assertEquals(await namesIn(model), ["m"]);
  });

  it("a run keeps a model that a server uses, and one that is pinned right before the removal", async () => {
    await using made = await appWithRuns(
      { served: COMPLETED, pinned: COMPLETED, old: COMPLETED, new: COMPLETED },
      { keep_models: "1" },
    );
    const engine = async () => {
      await Deno.writeTextFile(made.jobs("pinned/pinned"), "");
      return { listContainers: () => Promise.resolve([SERVER]) } as unknown as Engine;
    };
    const layout = appObject(made.app.directory, made.app.name).paths;
    const env = (name: string) =>
      name === "XDG_CONFIG_HOME" ? `${made.app.directory}/settings` : undefined;
    await prune(layout, { ...fakeContext(), engine, env });
    assertEquals(await made.kept(), ["new", "pinned", "served"]);
  });

  it("a run removes no model if the settings are broken: the default limits might be lower", async () => {
    await using made = await appWithRuns({ a: COMPLETED, b: COMPLETED }, { keep_models: "none" });
    await using engine = await fakeContainers();
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    assertEquals(await made.kept(), ["a", "b"]);
  });

  it("a run keeps the best models by a metric that was defined after their runs", async () => {
    const configuration = { metric_definitions: [{ Name: "loss", Regex: "loss=([0-9]+)" }] };
    const names = { a: COMPLETED, b: COMPLETED, c: COMPLETED, d: COMPLETED, e: COMPLETED };
    await using made = await appWithRuns(names, { keep_models: "1" }, configuration);
    for (const [name, loss] of Object.entries({ a: 2, b: 1, c: 3, d: 2, e: 2 })) {
      await made.app.write(made.jobs(name, "log"), `out loss=${loss}\n`);
    }
    await using engine = await fakeContainers();
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    assertEquals(await made.kept(), ["b", "c", "e"]);
  });

  it("a run keeps the best models by the first metric of the app's file", async () => {
    const configuration = { metric_definitions: [{ Name: "loss", Regex: "loss=([0-9]+)" }] };
    const names = { a: COMPLETED, b: COMPLETED, c: COMPLETED, d: COMPLETED, e: COMPLETED };
    await using made = await appWithRuns(names, { keep_models: "1" }, configuration);
    for (const [name, last] of [["a", 2], ["b", 1], ["c", 3], ["d", 2], ["e", 2]] as const) {
      const path = made.jobs(name, "job.json");
      const record = JSON.parse(await Deno.readTextFile(path));
      const metrics = { other: { last: -last }, loss: { last } };
      await Deno.writeTextFile(path, JSON.stringify({ ...record, metrics }));
    }
    await using engine = await fakeContainers();
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    assertEquals(await made.kept(), ["b", "c", "e"]);
  });
});

suite("the record of an old run", () => {
  it("a run removes an old record only after its model is released", async () => {
    const outcomes = Object.fromEntries(
      Array.from({ length: 102 }, (_, index) => [`r${String(index).padStart(3, "0")}`, COMPLETED]),
    );
    await using made = await appWithRuns(outcomes);
    await using engine = await fakeContainers();
    for (const name of ["r000", "r001"]) {
      assertEquals((await made.run(["local", "keep", name], engine)).code, 0);
    }
    await Deno.remove(made.jobs("r001/model"), { recursive: true });
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    const records = async () =>
      (await namesIn(made.jobs())).filter((name) => /^r00[0-2]$/.test(name));
    assertEquals([await records(), (await made.kept())[0]], [["r000", "r001"], "r000"]);
    assertEquals((await made.run(["local", "keep", "--no-keep", "r000"], engine)).code, 0);
    assertEquals((await made.run(PROCESS, engine)).code, 0);
    assertEquals((await namesIn(made.jobs())).includes("r000"), false);
  });
});

suite("an archive that was unpacked for a server", () => {
  it("goes with the next run where the server is gone, and stays where it is not", async () => {
    await using app = await completeApp();
    const unpacked = (...parts: string[]) => app.path("local_test/jobs/.unpacked", ...parts);
    for (const name of ["there", "gone"]) await app.write(unpacked(name, "m"), "");
    const server = {
      Id: "one",
      Names: [`/mlcli-${app.name}-serve-8080`],
      State: "exited",
      Labels: { "mlcli.app": app.name, "mlcli.role": "serve", "mlcli.port": "8080" },
      Mounts: [{ Source: "/somewhere/else/there", Destination: "/opt/ml/model" }],
    };
    await using engine = await fakeContainers({ containers: [server] });
    assertEquals((await runInProcess(PROCESS, { cwd: app.directory, engine })).code, 0);
    assertEquals(await namesIn(unpacked()), ["there"]);
  });

  it("is not looked for, nor put, behind a link that a repository holds; nor is code", async () => {
    await using app = await completeApp();
    const mine = app.path("mine");
    await app.write(`${mine}/deep/notes`, "");
    await app.write(`${mine}/${"0".repeat(32)}.tar.gz`, "");
    const jobs = app.path("local_test/jobs");
    await Deno.mkdir(jobs);
    for (const name of [".unpacked", "code"]) await Deno.symlink(mine, `${jobs}/${name}`);
    const before = await namesIn(mine);
    await using engine = await fakeContainers();
    for (const _ of [1, 2]) {
      assertEquals((await runInProcess(PROCESS, { cwd: app.directory, engine })).code, 0);
      assertEquals(await namesIn(mine), before);
    }
    assertEquals((await Deno.lstat(`${jobs}/code`)).isDirectory, true);
  });
});
