import { assertEquals } from "@std/assert";
import { completeApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("the models of earlier runs", () => {
  it("are kept: the last three, the last that failed, and those whose end nobody saw", async () => {
    await using app = await completeApp();
    const jobs = (...parts: string[]) => app.path("local_test/jobs", ...parts);
    const runs = [
      "Lost",
      "Failed",
      "Completed",
      "Lost",
      "Completed",
      "Failed",
      "Stopped",
      "Completed",
    ];
    for (const [index, status] of runs.entries()) {
      // The fifth had no room in its place, though its code ended well.
      const outcome = index === 4 ? { status: "Failed", exit_status: 0 } : { status };
      const record = { kind: "train", started: `2026-03-0${index + 1}`, outcome };
      await app.write(jobs(`${index}-${status}`, "job.json"), JSON.stringify(record));
      await app.write(jobs(`${index}-${status}`, "model", "m"), "");
    }
    // What an earlier command had begun to remove when it was killed.
    await app.write(jobs(".unpacked/gone/m"), "");
    await using engine = await fakeContainers();
    const line = ["local", "process", "--file", "p.py"];
    const { code, stderr } = await runInProcess(line, { cwd: app.directory, engine });
    assertEquals(code, 0);
    const said = "note: Removed the model of 1-Failed, 2-Completed: the last 3 runs keep theirs\n";
    assertEquals(stderr.includes(said), true, stderr);
    const kept: string[] = [];
    for (const name of await namesIn(jobs())) {
      if ((await namesIn(jobs(name)).catch((): string[] => [])).includes("model")) kept.push(name);
    }
    const expected = ["0-Lost", "3-Lost", "4-Completed", "5-Failed", "6-Stopped", "7-Completed"];
    assertEquals(kept, expected);
    assertEquals((await namesIn(jobs())).includes(".unpacked"), false);
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
    const line = ["local", "process", "--file", "p.py"];
    assertEquals((await runInProcess(line, { cwd: app.directory, engine })).code, 0);
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
      const line = ["local", "process", "--file", "p.py"];
      assertEquals((await runInProcess(line, { cwd: app.directory, engine })).code, 0);
      assertEquals(await namesIn(mine), before);
    }
    assertEquals((await Deno.lstat(`${jobs}/code`)).isDirectory, true);
  });
});
