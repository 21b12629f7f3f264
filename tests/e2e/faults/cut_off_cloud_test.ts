import { type Rows, sweepCalls } from "../../helpers/call_sweep.ts";
import { type Cut, sweptScene } from "../../helpers/cut_off/scene.ts";
import { SCENES } from "../../helpers/cut_off/scenes.ts";
import { SCENARIOS, sweep } from "../../helpers/deploy_sweep.ts";
import { type EndingSignal, runProgramUntil } from "../../helpers/stopped_call.ts";
import { it, suite } from "../../helpers/suite.ts";
import { isInSample } from "../../helpers/sweep.ts";

/** How the program is ended at a call, when it comes and when it is done, in turns. */
const SIGNALS = [["SIGKILL", "SIGINT"], ["SIGKILL", "SIGTERM"]] as const;

/** One row of so many is tested by day: each takes a second. */
const SHARE = 20;

/** The signals for a call, of the sample. */
function signalsOf(at: number, row: number, share: number): readonly EndingSignal[] {
  return SIGNALS[(at + row) % 2]!.filter((_, index) => isInSample(2 * row + index, share));
}

/** Without an engine: the image is in the registry, where mlcli finds it. */
const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent.sock" };

/** Those that follow a job wait for seconds between two questions. */
const SLOW = /^(train|transform|wait .*|logs .* --follow)$/;

suite("the program of a cloud command, ended at each of its calls", () => {
  for (const [name, open] of Object.entries(SCENES).filter(([name]) => !SLOW.test(name))) {
    it(`leaves nothing that nobody knows of, and completes when it is repeated: ${name}`, async () => {
      await using scene = await open();
      const { box, args, cwd, env } = scene;
      const rows: Rows<Cut> = (call, row) =>
        signalsOf(call.at, row, SHARE).map((signal) => ({
          fault: signal,
          run: () =>
            runProgramUntil(box, args, { ...call, signal }, {
              cwd,
              env: { ...NO_ENGINE, ...env },
            }),
        }));
      await sweepCalls(sweptScene(scene), rows);
    });
  }

  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`leaves what serves, and goes on when it is repeated: ${name}`, async () => {
      await sweep(
        scenario,
        ({ app, box }) => (call, row) =>
          signalsOf(call.at, row, 2 * SHARE).map((signal) => ({
            fault: signal,
            run: () =>
              runProgramUntil(box, scenario.args, { ...call, signal }, {
                cwd: app.directory,
                env: NO_ENGINE,
              }),
          })),
      );
    });
  }
});
