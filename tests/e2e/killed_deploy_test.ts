import type { Rows } from "../helpers/call_sweep.ts";
import { SCENARIOS, sweep } from "../helpers/deploy_sweep.ts";
import type { JobApp } from "../helpers/job_app.ts";
import { runProgramUntil } from "../helpers/stopped_call.ts";
import { it, suite } from "../helpers/suite.ts";
import { isInSample } from "../helpers/sweep.ts";

/** How the program is ended at a call, when it comes and when it is done, in turns. */
const SIGNALS = [["SIGKILL", "SIGINT"], ["SIGKILL", "SIGTERM"]] as const;

/** One row of so many is tested by day: each takes a second. */
const SHARE = 40;

/** Without an engine: the image is in the registry, and asked for there. */
const ENGINE = { DOCKER_HOST: "unix:///nonexistent.sock" };

suite("the program, ended at each of its calls", () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`leaves what serves, and goes on when it is repeated: ${name}`, async () => {
      const rows = (job: JobApp): Rows => (call, row) =>
        SIGNALS[(call.at + row) % 2]!.filter((_, index) => isInSample(2 * row + index, SHARE))
          .map((signal) => ({
            fault: signal,
            run: () =>
              runProgramUntil(job.box, scenario.args, { ...call, signal }, {
                cwd: job.app.directory,
                env: ENGINE,
              }),
          }));
      await sweep(scenario, rows);
    });
  }
});
