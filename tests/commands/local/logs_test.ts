import { assertEquals } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { makeRun } from "../../helpers/made_runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const LOG = "out epoch 1\nerr careful\n\n... 9 bytes omitted ...\nout epoch 2\n";

async function logs(args: readonly string[], log = LOG) {
  await using app = await completeApp();
  await makeRun(app, 1, { name: "first", ...log !== "" && { log } });
  const { code, stdout, stderr } = await runInProcess(["local", "logs", ...args], {
    cwd: app.directory,
  });
  return { code, stdout, stderr };
}

suite("mlcli local logs RUN", () => {
  it("local logs RUN prints what the run wrote, each stream to its own", async () => {
    assertEquals(await logs(["last"]), {
      code: 0,
      stdout: "epoch 1\n\n... 9 bytes omitted ...\nepoch 2\n",
      stderr: "careful\n",
    });
  });

  for (const [tail, stdout] of [["1", "epoch 2\n"], ["0", ""]] as const) {
    it(`prints the last ${tail} lines of a run`, async () => {
      assertEquals(await logs(["first", "--tail", tail]), { code: 0, stdout, stderr: "" });
    });
  }

  it("local logs RUN fails for a run without a log", async () => {
    const stderr = "error: Run first has no log\n";
    assertEquals(await logs(["1"], ""), { code: 1, stdout: "", stderr });
  });

  it("local logs RUN refuses --follow", async () => {
    const stderr = 'error: Option "--follow" cannot be used with the name of a run\n' +
      "hint: Remove --follow. To follow a run, use the terminal where it was started.\n";
    assertEquals(await logs(["1", "--follow"]), { code: 2, stdout: "", stderr });
  });
});
