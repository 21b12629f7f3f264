import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { lastRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("the code of a run", () => {
  it("is kept once for all runs that had the same, without private files", async () => {
    await using app = await completeApp({
      files: { "training/training.py": "1", "training/.env": "SECRET=1" },
    });
    await using engine = await fakeContainers();
    const train = async (...args: readonly string[]) => {
      const line = ["local", "train", ...args];
      await runInProcess(line, { cwd: app.directory, engine });
      return JSON.parse(await Deno.readTextFile(await lastRun(app, "job.json"))).code;
    };
    const kept = () => namesIn(app.path("local_test/jobs/code"));
    const first = await train();
    assertMatch(first, /^[0-9a-f]{32}$/);
    assertEquals(await kept(), [`${first}.tar.gz`]);
    const args = ["-tzf", app.path("local_test/jobs/code", `${first}.tar.gz`)];
    const { stdout } = await new Deno.Command("tar", { args }).output();
    assertEquals(new TextDecoder().decode(stdout), "code/training.py\n");

    // Neither a private file nor a time makes it another.
    await app.write(app.path("training/.env"), "SECRET=2");
    await Deno.utime(app.path("training/training.py"), 0, 0);
    assertEquals(await train(), first);
    for (
      const change of [
        () => Deno.chmod(app.path("training/training.py"), 0o755),
        () => app.write(app.path("training/training.py"), "2"),
        () => app.write(app.path("training/other.py"), "2"),
      ]
    ) {
      const before = (await kept()).length;
      await change();
      assertEquals(await train() === first, false);
      assertEquals((await kept()).length, before + 1);
    }
    // Under --strict it is the image's.
    assertEquals(await train("--strict"), null);
  });
});
