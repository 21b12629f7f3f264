import type { Rows } from "../../../helpers/call_sweep.ts";
import { SCENARIOS, sweep } from "../../../helpers/deploy_sweep.ts";
import type { JobApp } from "../../../helpers/job_app.ts";
import { runInProcessUntil } from "../../../helpers/stopped_call.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { isInSample } from "../../../helpers/sweep.ts";

suite("a command line, ended at each of its calls", () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`leaves what serves, and goes on when it is repeated: ${name}`, async () => {
      const rows = (job: JobApp): Rows => (call, row) => {
        const run = () => runInProcessUntil(job, scenario.args, call);
        return isInSample(row + call.at) ? [{ fault: "SIGINT", run }] : [];
      };
      await sweep(scenario, rows);
    });
  }
});
