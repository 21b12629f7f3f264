import { assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { namesIn } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const STRANGER = 54_399;

interface Run extends ProgramResult {
  /** Modes while the container ran: of test_dir, and of the run's directory. */
  readonly modes: readonly string[];
  readonly wasStarted: boolean;
}

const modeOf = async (path: string): Promise<string> =>
  ((await Deno.lstat(path)).mode! & 0o7777).toString(8);

/** Runs a command whose container looks at the modes around it. */
async function runIn(
  app: TestApp,
  command: readonly string[],
  caller = { uid: Deno.uid()!, gid: Deno.gid()! },
): Promise<Run> {
  const modes: string[] = [];
  let wasStarted = false;
  await using engine = await fakeContainers({
    program: async ({ body, end }) => {
      wasStarted = true;
      const code = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/code")!.Source;
      modes.push(await modeOf(app.testPath()), await modeOf(code.replace(/\/code$/, "")));
      end(0);
    },
  });
  const result = besidesRun(
    await runInProcess(command, {
      cwd: app.directory,
      engine,
      caller,
      keys: new Keys(),
    }),
  );
  return { ...result, modes, wasStarted };
}

if (Deno.build.os !== "windows") {
  suite("what containers write", () => {
    for (
      const command of [["local", "train"], ["local", "process", "-f", "p.py", "--env", "A=b"]]
    ) {
      for (
        const [before, after] of [[0o755, "700"], [0o2775, "2700"], [0o700, "700"]] as const
      ) {
        it(`lies where the caller alone may enter: ${command[1]}, ${before.toString(8)}`, async () => {
          await using app = await completeApp();
          await Deno.chmod(app.testPath(), before);
          const { code, stderr, modes } = await runIn(app, command);
          assertEquals({ code, stderr, modes }, { code: 0, stderr: "", modes: [after, "700"] });
          const jobs = app.path("local_test/jobs");
          const [record] = (await namesIn(jobs)).filter((name) => name.startsWith(app.name));
          assertEquals(await modeOf(`${jobs}/${record}`), "700");
        });
      }
    }

    for (const name of ["model", "output"]) {
      it(`lies nowhere else: ${name} is no link`, async () => {
        await using app = await completeApp();
        await Deno.mkdir(app.path("elsewhere"));
        await Deno.writeTextFile(app.path("elsewhere/m"), "");
        await Deno.remove(app.testPath(name), { recursive: true }).catch(() => {});
        await Deno.symlink("../../elsewhere", app.testPath(name));
        for (const command of [["train"], ["process", "-f", "p.py"]]) {
          const { code, stderr, wasStarted } = await runIn(app, ["local", ...command]);
          assertEquals([code, wasStarted], [1, false]);
          assertMatch(
            stderr,
            new RegExp(`^error: \\S+/test_dir/${name} is a link, but must be a directory\nhint: `),
          );
        }
      });
    }

    // Only root gives directories to others.
    if (Deno.uid() === 0) {
      it("does not lie where another user could let others in", async () => {
        await using app = await completeApp();
        await Deno.chown(app.testPath(), STRANGER, STRANGER);
        const caller = { uid: 54_321, gid: 54_322 };
        const { code, stderr, wasStarted } = await runIn(app, ["local", "train"], caller);
        assertEquals([code, wasStarted], [1, false]);
        assertMatch(stderr, /^error: Another user \(uid 54399\) owns \S+\/test_dir\nhint: /);
        assertMatch(stderr, /sudo chown -R 54321:54322 \S+\/test_dir\n$/);
      });

      it("is closed by root, too, and left to its owner, which is said", async () => {
        await using app = await completeApp();
        await Deno.chown(app.testPath(), STRANGER, STRANGER);
        await Deno.chmod(app.testPath(), 0o755);
        const { code, stderr, modes } = await runIn(app, ["local", "train"]);
        assertEquals([code, ...modes], [0, "700", "700"]);
        assertMatch(stderr, /^note: Another user \(uid 54399\) owns \S+\/test_dir and can /);
        assertEquals((await Deno.stat(app.testPath())).uid, STRANGER);
      });

      it("of root's run in another user's directory is that user's, and the lock and the earlier model", async () => {
        await using app = await completeApp();
        await Deno.chown(app.path("local_test"), STRANGER, STRANGER);
        for (const _ of [1, 2]) await runIn(app, ["local", "train"]);
        const jobs = app.path("local_test/jobs");
        const names = (await namesIn(jobs)).filter((name) => name !== ".gitignore");
        assertEquals(names.some((name) => name.startsWith("kept-")), true);
        for (const name of names.filter((name) => name !== ".current.json")) {
          assertEquals((await Deno.lstat(`${jobs}/${name}`)).uid, STRANGER, name);
        }
      });
    }
  });
}
