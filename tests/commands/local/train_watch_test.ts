import { assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { type FakeContainer, fakeContainers } from "../../helpers/fake_containers.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the nth run does before it ends, and with which status; it is the last one without. */
type Run = (app: TestApp, container: FakeContainer) => Promise<number>;

/** Trains as often as there are runs, and presses Ctrl-C in the last one. */
async function watch(runs: readonly Run[]): Promise<ProgramResult & { readonly runs: number }> {
  await using app = await completeApp();
  const keys = new Keys();
  let count = 0;
  await using engine = await fakeContainers({
    program: async (container) => {
      const run = runs[count++];
      if (run === undefined) return keys.press();
      container.end(await run(app, container));
    },
  });
  const result = await runInProcess(["local", "train", "--watch"], {
    cwd: app.directory,
    engine,
    keys,
  });
  return { ...result, runs: count };
}

const TIME = "\\d\\d:\\d\\d:\\d\\d";

suite("local train --watch", () => {
  const edits: readonly (readonly [shown: string, path: string])[] = [
    ["training/training.py", "training/training.py"],
    ["training/lib/new.py", "training/lib/new.py"],
    ["common/features.py", "common/features.py"],
    ["input/data/training/data.csv", TRAINING_DATA],
    [
      "input/config/hyperparameters.json",
      "local_test/test_dir/input/config/hyperparameters.json",
    ],
  ];
  for (const [shown, path] of edits) {
    it(`trains again after an edit of ${shown}, also one during a run`, async () => {
      const edit: Run = async (app) => {
        await app.write(app.path(path), '{"a": "1"}');
        return 0;
      };
      const { code, stderr, runs } = await watch([edit]);
      assertEquals([code, runs], [130, 2]);
      assertMatch(
        stderr,
        new RegExp(
          `^${TIME} trained; watching for changes .*\n${TIME} ${shown} edited: retraining\n`,
          "m",
        ),
      );
    });
  }

  it("says why a run failed, and waits for the next edit", async () => {
    const { code, stderr, runs } = await watch([async (app, { err }) => {
      err("no such column\n");
      await app.write(app.path("training/training.py"), "better");
      return 1;
    }]);
    assertEquals([code, runs], [130, 2]);
    assertMatch(
      stderr,
      new RegExp(
        `no such column\n(?:.*\n)*error: Training failed: exit code 1[^]*\n${TIME} training failed;`,
      ),
    );
  });

  it("is refused with options that are about one run", async () => {
    await using app = await completeApp();
    for (const [other, ...value] of [["--strict"], ["--stop-after", "5"]]) {
      const { code, stderr } = await runInProcess(
        ["local", "train", "--watch", other!, ...value],
        { cwd: app.directory },
      );
      assertEquals(code, 2);
      assertMatch(
        stderr,
        new RegExp(`^error: Options "--watch" and "${other}" cannot be used together\n`),
      );
    }
  });
});
