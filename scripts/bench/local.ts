/**
 * What the local commands cost, against the same done with `docker`.
 *
 * @module
 */

import { join } from "@std/path";
import { pingUntilReady } from "../../runtime/local/server/ping.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run, time } from "./program.ts";

/** An app with an empty `train` function, whose image is built. */
export interface BenchApp extends AsyncDisposable {
  readonly directory: string;
  readonly image: string;
  /** Directory of the app's code and data. */
  readonly base: string;
}

const NAME = "bench";
/** Ports of the two servers. */
const OUR_PORT = 18080;
const THEIR_PORT = 18081;

/** Makes the app by `mlcli init` and `mlcli build`, and trains it once. */
export async function makeBenchApp(baseImage: string): Promise<BenchApp> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-" });
  const base = join(directory, NAME, "mlcli_base");
  const image = `mlcli-bench:latest`;
  const configuration = { image_name: "mlcli-bench", base_image: baseImage };
  await Deno.writeTextFile(join(directory, `${NAME}.json`), JSON.stringify(configuration));
  for (const args of [["init", NAME], ["build"], ["local", "train"]]) {
    await run(mlcli(...args), { cwd: directory });
  }
  await Deno.writeTextFile(join(base, "training/training.py"), "def train(data, model): pass\n");
  return {
    directory,
    image,
    base,
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

/** `local train` of an empty function against `docker run --rm` with the same mounts. */
export function trainComparison(app: BenchApp): Comparison {
  const test = join(app.base, "local_test/test_dir");
  const mounts = [
    `${join(app.base, "training")}:/opt/ml/code:ro`,
    `${join(test, "input")}:/opt/ml/input:ro`,
    `${join(test, "input/config")}:/opt/ml/input/config:ro`,
    `${join(test, "model")}:/opt/ml/model`,
    `${join(test, "output")}:/opt/ml/output`,
  ].flatMap((mount) => ["-v", mount]);
  return {
    title: "local train, empty function",
    unit: "ms",
    ours: {
      command: "mlcli local train",
      measure: () => time(mlcli("local", "train"), { cwd: app.directory }),
    },
    theirs: {
      command: `docker run --rm --init (the same five mounts) ${app.image} train`,
      measure: () => time(["docker", "run", "--rm", "--init", ...mounts, app.image, "train"]),
    },
    goal: { atMost: 1.10 },
    rounds: 20,
  };
}

/** `local deploy` until it returns against `docker run -d` and asking every 5 ms. */
export function deployComparison(app: BenchApp): Comparison {
  const port = String(OUR_PORT);
  return {
    title: "local deploy, until ready",
    unit: "ms",
    ours: {
      command: "mlcli local deploy",
      async measure(): Promise<number> {
        const taken = await time(mlcli("local", "deploy", "--port", port), { cwd: app.directory });
        await run(mlcli("local", "stop", "--port", port), { cwd: app.directory });
        return taken;
      },
    },
    theirs: {
      command:
        `docker run -d --init -p 127.0.0.1:PORT:8080 (the same two mounts) ${app.image} serve, ` +
        "then GET /ping every 5 ms until 200",
      measure: () => dockerServe(app),
    },
    goal: { atMost: 1.10 },
    rounds: 10,
  };
}

async function dockerServe(app: BenchApp): Promise<number> {
  const start = performance.now();
  const id = await run([
    ...["docker", "run", "-d", "--init", "-p", `127.0.0.1:${THEIR_PORT}:8080`] as const,
    ...["-v", `${join(app.base, "prediction")}:/opt/ml/code:ro`],
    ...["-v", `${join(app.base, "local_test/test_dir/model")}:/opt/ml/model:ro`],
    ...[app.image, "serve"],
  ]);
  try {
    const interval = (): number => 5;
    await pingUntilReady(THEIR_PORT, AbortSignal.timeout(60_000), () => {}, interval);
    return performance.now() - start;
  } finally {
    await run(["docker", "rm", "-f", id.trim()]);
  }
}

/** `mlcli --help` against a program that does nothing. */
export async function helpComparison(): Promise<Comparison> {
  const empty = await Deno.makeTempFile({ prefix: "mlcli-empty-", suffix: ".ts" });
  return {
    title: "mlcli --help",
    unit: "ms",
    ours: { command: "mlcli --help", measure: () => time(mlcli("--help")) },
    theirs: {
      command: "deno run -A empty.ts",
      measure: () => time([Deno.execPath(), "run", "-A", "--quiet", empty]),
    },
    goal: { atMost: 2 },
    rounds: 30,
  };
}
