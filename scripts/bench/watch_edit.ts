/**
 * How long an edit takes to be served by `local deploy --watch`, against starting a container of
 * the same by hand.
 */

import { join } from "@std/path";
import { killedAfter, startProgram } from "../../tests/helpers/program.ts";
import { TextReader } from "../../tests/helpers/text_reader.ts";
import { type BenchApp, dockerServe } from "./local.ts";
import type { Comparison } from "./measure.ts";

/** A comparison, and the server that it needs. */
export interface WatchEditBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Between two requests, in ms. */
const INTERVAL = 5;

/** All of it takes less, in ms. */
const TIMEOUT = 300_000;

/** From the end of writing `prediction/serve` to the first answer of what was written. */
export async function makeWatchEditBench(app: BenchApp): Promise<WatchEditBench> {
  const args = ["local", "deploy", "--watch", "--port", "0"];
  const child = killedAfter(
    TIMEOUT,
    startProgram(args, { cwd: app.directory, timeout: TIMEOUT }),
  );
  const out = new TextReader(child.stdout);
  const [, port = ""] = await out.until(/^http:\/\/localhost:(\d+)\n/);
  const err = new TextReader(child.stderr).toEnd();
  let version = 0;
  const edit = async (): Promise<number> => {
    version++;
    const code = `def model_fn(model_dir): return 1
def predict_fn(data, model): return [${version}]
`;
    await Deno.writeTextFile(join(app.base, "prediction/serve"), code);
    const start = performance.now();
    while (await answer(port) !== `{"predictions": [${version}]}`) {
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
    return performance.now() - start;
  };
  return {
    comparison: {
      title: "deploy --watch, from an edit to its answer (the goal is 1,500 ms)",
      unit: "ms",
      ours: { command: `mlcli ${args.join(" ")}; write prediction/serve; POST`, measure: edit },
      theirs: {
        command: `docker run -d (the same two mounts) ${app.image} serve, until /ping is 200`,
        measure: () => dockerServe(app),
      },
      goal: { atMost: 1.5 },
      rounds: 10,
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await Promise.all([child.status, out.toEnd(), err]);
    },
  };
}

async function answer(port: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "[1]",
  });
  return (await response.text()).trim();
}
