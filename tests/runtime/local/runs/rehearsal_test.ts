import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp } from "../../../helpers/app.ts";
import { sourceOf } from "../../../helpers/app_on_disk.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { type FakeContainer, fakeContainers, type Play } from "../../../helpers/fake_containers.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { besidesRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

interface Run extends ProgramResult {
  /** The seconds that the engine was told to wait between SIGTERM and SIGKILL. */
  readonly graces: readonly (string | undefined)[];
  /** Directories of the layout that were mounted, by their targets. */
  readonly targets: readonly string[];
  readonly model: readonly string[];
}

function write(container: FakeContainer, target: string, name: string): void {
  Deno.writeTextFileSync(`${sourceOf(container, target)}/${name}`, "");
}

async function run(play: Play, args: readonly string[], keys?: Keys): Promise<Run> {
  await using app = await completeApp();
  await using engine = await fakeContainers(play);
  const result = besidesRun(
    await runInProcess(["local", ...args], { cwd: app.directory, engine, keys }),
  );
  return {
    ...result,
    stderr: result.stderr.replaceAll(`${app.name}/mlcli_base/local_test/`, ""),
    graces: engine.callsOf("POST /containers/ID/stop").map(({ query }) => query["t"]),
    targets: engine.created[0].HostConfig.Mounts.map(({ Target }: { Target: string }) => Target),
    model: await namesIn(app.testPath("model")),
  };
}

const REHEARSE = ["train", "--stop-after", "1"];
const CHECKPOINTS = "/opt/ml/checkpoints";
const MODEL = "/opt/ml/model";
const untilStopped = () => {};

suite("a rehearsal of a stop", () => {
  it("gives SageMaker's time, tells what was saved, and ends with 0", async () => {
    const { code, stdout, stderr, graces, targets, model } = await run({
      program: untilStopped,
      onStop: (container) => {
        write(container, MODEL, "half");
        write(container, CHECKPOINTS, "one");
        write(container, CHECKPOINTS, "two");
        container.end(143);
      },
    }, REHEARSE);
    assertEquals([code, stdout, graces, model], [0, "", ["120"], ["half"]]);
    assertEquals(targets.includes(CHECKPOINTS), true);
    assertMatch(
      stderr,
      /^Stopping \(up to 120 s; press Ctrl-C twice to kill\)\nnote: test_dir\/model contains what this run wrote before it was stopped\nStopped training after 1 s, as SageMaker does\. It exited \d\.\d s after SIGTERM: exit code 143 \(killed by SIGTERM\)\.\nSaved so far: test_dir\/model \(1 file\), test_dir\/checkpoints \(2 files\)\n$/,
    );
  });

  it("does not take the earlier model for what was saved", async () => {
    const { code, stderr, model } = await run({ program: untilStopped }, REHEARSE);
    assertEquals([code, model], [0, ["m"]]);
    assertMatch(stderr, /\nNothing was saved: neither a model nor a checkpoint\n$/);
  });

  it("says of code that does not end that it was killed, and ends with 137", async () => {
    const { code, stderr, graces, model } = await run({
      program: untilStopped,
      onStop: (container) => {
        write(container, MODEL, "half");
        write(container, CHECKPOINTS, "one");
        container.end(137);
      },
    }, [...REHEARSE, "--grace", "7"]);
    assertEquals([code, graces, model], [137, ["7"], ["m"]]);
    assertMatch(
      stderr,
      /\nSaved so far: test_dir\/checkpoints \(1 file\)\nerror: Training did not stop within 7 s: exit code 137 \(killed by SIGKILL\)\nhint: Save results and exit on SIGTERM/,
    );
    assertStringIncludes(stderr, "note: The model of this run is in jobs/");
    assertEquals(stderr.includes("memory"), false, stderr);
  });

  it("says that nothing was stopped, however the code ended before", async () => {
    const args = ["train", "--stop-after", "600"];
    const said = "Training exited within 600 s, before it was stopped\n";
    const good = await run({}, args);
    assertEquals([good.code, good.stderr, good.graces], [0, said, []]);
    const bad = await run({ program: ({ end }) => end(3) }, args);
    assertEquals([bad.code, bad.stderr], [3, `${said}error: Training failed: exit code 3\n`]);
  });

  it("is over at Ctrl-C, which tells nothing more", async () => {
    const keys = new Keys();
    const { code, stderr, graces } = await run({ program: () => keys.press() }, [
      "train",
      "--stop-after",
      "1000",
    ], keys);
    assertEquals([code, graces], [130, ["120"]]);
    assertEquals(stderr, "Stopping (up to 120 s; press Ctrl-C again to kill)\n");
  });

  it("is not confused by Ctrl-C after its time", async () => {
    const keys = new Keys();
    const { code, model } = await run(
      { program: untilStopped, onStop: () => keys.press() },
      REHEARSE,
      pressedTwice(keys),
    );
    assertEquals([code, model], [130, ["m"]]);
  });
});

/** Keys of which the first press brings the second, too. */
function pressedTwice(keys: Keys): Keys {
  keys.interruption.signal.addEventListener("abort", () => keys.press());
  return keys;
}

suite("checkpoints without a rehearsal", () => {
  it("are mounted when asked for alone", async () => {
    const [without, with_] = [await run({}, ["train"]), await run({}, ["train", "--checkpoints"])];
    assertEquals([without.code, with_.code], [0, 0]);
    assertEquals(without.targets.includes(CHECKPOINTS), false);
    assertEquals(with_.targets.includes(CHECKPOINTS), true);
    assertEquals(with_.stderr, "");
  });
});

suite("--grace", () => {
  const rows: readonly (readonly [args: readonly string[], grace: string])[] = [
    [["train"], "10"],
    [["train", "--grace", "45"], "45"],
    [["train", "--strict"], "120"],
    [["train", "--strict", "--grace", "45"], "45"],
    [["process", "--file", "p.py"], "10"],
    [["process", "--file", "p.py", "--grace", "45"], "45"],
    [["process", "--file", "p.py", "--strict"], "120"],
  ];
  for (const [args, grace] of rows) {
    it(`is ${grace} s with ${args.join(" ")}, and is said`, async () => {
      const keys = new Keys();
      const { code, stderr, graces } = await run({ program: () => keys.press() }, args, keys);
      assertEquals([code, graces], [130, [grace]]);
      assertStringIncludes(stderr, `Stopping (up to ${grace} s; press Ctrl-C again to kill)\n`);
    });
  }

  for (const value of ["0", "-1", "1.5", "", "ten", "1e9"]) {
    it(`is no ${JSON.stringify(value)}`, async () => {
      await using app = await completeApp();
      for (const option of ["--grace", "--stop-after"]) {
        const args = ["local", "train", `${option}=${value}`];
        const { code, stderr } = await runInProcess(args, { cwd: app.directory });
        assertEquals(code, 2, stderr);
        assertStringIncludes(stderr, option);
      }
    });
  }
});
