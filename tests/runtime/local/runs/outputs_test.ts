import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { moveOutputs } from "../../../../runtime/local/runs/outputs.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { completeApp } from "../../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { leaveRun } from "../../../helpers/runs.ts";
import { MAY_MOUNT, smallDisk } from "../../../helpers/small_disk.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LINE = ["local", "process", "--file", "p.py"];
const RUN = "local_test/jobs/earlier";

/**
 * Returns the messages of the next command about a leftover processing run, and the run's remaining files.
 */
async function beside(
  state: string | undefined,
  { files = ["clean/a"], hasRecord = true, link }: {
    readonly files?: readonly string[];
    readonly hasRecord?: boolean;
    readonly link?: string;
  } = {},
) {
  await using app = await completeApp();
  const container = `mlcli-${app.name}-process-0badcafe`;
  const kind = "process";
  await leaveRun(app, { container, kind, ...hasRecord ? { outcome: null } : {} });
  await Deno.mkdir(app.path(RUN, "outputs/clean"), { recursive: true });
  for (const file of files) await app.write(app.path(RUN, "outputs", file), "");
  if (link !== undefined) {
    await Deno.remove(app.path(RUN, "outputs"), { recursive: true });
    await Deno.symlink(link, app.path(RUN, "outputs"));
  }
  await using engine = await fakeContainers({
    containers: state === undefined ? [] : [{
      Id: "old",
      Names: [`/${container}`],
      State: state,
      Labels: { "mlcli.app": app.name, "mlcli.role": "process", "mlcli.port": "" },
    }],
    answers: { "POST /containers/old/wait": () => Response.json({ StatusCode: 3 }) },
  });
  const { code, stderr } = await runInProcess(LINE, { cwd: app.directory, engine });
  assertEquals(code, 0, stderr);
  const left = await namesIn(app.path(RUN)).catch(() => []);
  return { stderr, left, path: join(app.name, "mlcli_base", RUN, "outputs") };
}

suite("outputs of a processing that went on when mlcli was killed", () => {
  it("stay with the run, whose end is known or not", async () => {
    const adopted = await beside("exited");
    assertEquals(
      adopted.stderr,
      "note: Processing continued after mlcli was killed, and exited with 3; its outputs " +
        `are in ${adopted.path}\n`,
    );
    assertEquals(adopted.left, ["job.json", "outputs"]);
    for (const hasRecord of [true, false]) {
      const lost = await beside(undefined, { hasRecord });
      assertMatch(
        lost.stderr,
        /^warning: mlcli was interrupted, so the result of run .*; its outputs are in/,
      );
      assertMatch(
        lost.stderr,
        /\nhint: Copy the complete files, then remove the rest: rm -r \S+\/outputs\n/,
      );
      assertEquals(lost.left, hasRecord ? ["job.json", "outputs"] : ["outputs"]);
    }
  });

  it("are nothing where nothing was written, and not looked for behind a link", async () => {
    const empty = await beside("exited", { files: [] });
    assertEquals([empty.left, empty.stderr.includes("outputs")], [["job.json"], false]);
    assertEquals((await beside(undefined, { files: [], hasRecord: false })).left, []);
    await using elsewhere = await makeDirectory({ "mine": "" });
    const linked = await beside("exited", { link: elsewhere.path });
    assertEquals([linked.left, await namesIn(elsewhere.path)], [["job.json"], ["mine"]]);
    assertEquals((await beside("running")).stderr, "");
  });

  it("go with the record of the run", async () => {
    await using app = await completeApp();
    for (let n = 0; n < 101; n++) {
      const name = `run-${String(n).padStart(3, "0")}`;
      const started = new Date(1e12 + n * 1000).toISOString();
      const record = { kind: "process", started, outcome: { status: "Failed", exit_status: 1 } };
      await app.write(app.path("local_test/jobs", name, "job.json"), JSON.stringify(record));
      await app.write(app.path("local_test/jobs", name, "outputs/clean/a"), "");
    }
    await using engine = await fakeContainers();
    assertEquals((await runInProcess(LINE, { cwd: app.directory, engine })).code, 0);
    const names = await namesIn(app.path("local_test/jobs"));
    assertEquals(names.filter((name) => /^run-00[0-3]$/.test(name)), ["run-002", "run-003"]);
    assertEquals(await namesIn(app.path("local_test/jobs/run-002")), ["job.json", "outputs"]);
  });
});

suite("an output that goes to another disk", () => {
  if (!MAY_MOUNT) return;
  it("an output is complete or missing", async () => {
    await using directory = await makeDirectory();
    await using disk = await smallDisk();
    const layout = appObject(directory.path, "demo").paths;
    const { messages } = fakeContext();
    const path = "/opt/ml/processing/x";
    const { signal } = new AbortController();
    const move = async (name: string, size: number, ending: AbortSignal = signal) => {
      const folder = join(layout.jobs, "run/outputs", name);
      await Deno.mkdir(join(folder, "closed"), { recursive: true });
      await Deno.chmod(join(folder, "closed"), 0o700);
      await Deno.mkdir(join(folder, "open"));
      await Deno.chmod(join(folder, "open"), 0o755);
      await Deno.writeFile(join(folder, "a"), new Uint8Array(size));
      const output = { name, path, place: join(disk.path, name) };
      return await moveOutputs(layout, "run", [output], {
        messages,
        signal: ending,
      });
    };
    await move("small", 10);
    assertEquals(await namesIn(join(disk.path, "small")), ["a", "closed", "open"]);
    for (const [name, mode] of [["closed", 0o700], ["open", 0o755]] as const) {
      assertEquals((await Deno.stat(join(disk.path, "small", name))).mode! & 0o7777, mode);
    }
    assertEquals(await namesIn(join(layout.jobs, "run")), []);
    // Ctrl-C, while it is copied.
    await assertRejects(
      () => move("ended", 10, AbortSignal.abort(new Error("Ctrl-C"))),
      Error,
      "Ctrl-C",
    );
    assertEquals(await namesIn(disk.path), ["small"]);
    assertEquals(await namesIn(join(layout.jobs, "run/outputs/ended")), ["a", "closed", "open"]);
    await disk.leave({ blocks: 4 });
    const { hint } = await assertRejects(() => move("large", 1e6), MlcliError, "No space left");
    assertEquals(hint, "Get output large from demo/mlcli_base/local_test/jobs/run/outputs/large");
    assertEquals(await namesIn(disk.path), ["small"]);
    assertEquals(await namesIn(join(layout.jobs, "run/outputs/large")), ["a", "closed", "open"]);
  });
});
