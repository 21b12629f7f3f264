/** What the local commands cost, against the same done with `docker`. */

import { join } from "@std/path";
import { pingUntilReady } from "../../runtime/serving/ready.ts";
import type { OtherUser } from "../../tests/helpers/other_user.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run, time } from "./program.ts";

/** An app whose `train` function writes an empty model, which loads, and whose image is built. */
export interface BenchApp extends AsyncDisposable {
  readonly directory: string;
  readonly image: string;
  /** Directory of the app's code and data. */
  readonly base: string;
  /** Runs mlcli there, and returns how long that took, in ms. */
  time(...args: readonly string[]): Promise<number>;
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
  const code = 'def train(data, model): open(model + "/model.json", "w").write("{}")\n';
  await Deno.writeTextFile(join(base, "training/training.py"), code);
  return {
    directory,
    image,
    base,
    time: (...args) => time(mlcli(...args), { cwd: directory }),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

/** The same app, run by the binary. */
export function byBinary(binary: string, app: BenchApp): BenchApp {
  return { ...app, time: (...args) => time([binary, ...args], { cwd: app.directory }) };
}

/** The same app, given to a user who is not root: mlcli gives that user what a run wrote. */
export async function givenTo(user: OtherUser, app: BenchApp): Promise<BenchApp> {
  await user.owns(app.directory);
  return {
    ...app,
    async time(...args): Promise<number> {
      const start = performance.now();
      const { code, stderr } = await user.run(args, app.directory);
      if (code !== 0) throw new Error(`mlcli ${args.join(" ")} ended with ${code}: ${stderr}`);
      return performance.now() - start;
    },
  };
}

/** `local train` of next to nothing against `docker run --rm` with the same mounts. */
export function trainComparison(
  app: BenchApp,
  title = "local train, empty model",
  atMost = 1.25,
): Comparison {
  const test = join(app.base, "local_test/test_dir");
  const mounts = [
    `${join(app.base, "training")}:/opt/ml/code:ro`,
    `${join(test, "input")}:/opt/ml/input:ro`,
    `${join(test, "input/config")}:/opt/ml/input/config:ro`,
    `${join(test, "model")}:/opt/ml/model`,
    `${join(test, "output")}:/opt/ml/output`,
  ].flatMap((mount) => ["-v", mount]);
  return {
    title,
    unit: "ms",
    ours: {
      command: "mlcli local train",
      measure: () => app.time("local", "train"),
    },
    theirs: {
      command: `docker run --rm --init (the same five mounts) ${app.image} train`,
      measure: () => time(["docker", "run", "--rm", "--init", ...mounts, app.image, "train"]),
    },
    goal: { atMost },
    rounds: 20,
  };
}

/** How many files of earlier runs lie in `output/`, right in it and in `output/data/`. */
const OUTPUT_FILES = 100_000;

/** The same where earlier runs have left many files. */
export async function fullOutputComparison(app: BenchApp): Promise<Comparison> {
  const output = join(app.base, "local_test/test_dir/output");
  for (const folder of [output, join(output, "data")]) {
    await Deno.mkdir(folder, { recursive: true });
    for (let number = 0; number < OUTPUT_FILES / 2; number++) {
      Deno.writeTextFileSync(join(folder, `file-${number}`), "");
    }
  }
  return trainComparison(app, "local train, 100,000 files in output/");
}

/** How many files the channel of a training has. */
const CHANNEL_FILES = 100_000;

/** Compares `local train` on a channel with many files, among which mlcli looks for links, and with one. */
export async function largeChannelComparison(
  app: BenchApp,
  small: BenchApp,
): Promise<Comparison> {
  const channel = join(app.base, "local_test/test_dir/input/data/training");
  for (let number = 0; number < CHANNEL_FILES; number++) {
    const folder = join(channel, `part-${Math.floor(number / 1_000)}`);
    if (number % 1_000 === 0) await Deno.mkdir(folder, { recursive: true });
    Deno.writeTextFileSync(join(folder, `file-${number}`), "1");
  }
  return {
    title: "local train, a channel of 100,000 files",
    unit: "ms",
    ours: {
      command: "mlcli local train (100,000 files)",
      measure: () => app.time("local", "train"),
    },
    theirs: {
      command: "mlcli local train (one file)",
      measure: () => small.time("local", "train"),
    },
    goal: { atMost: 1.35 },
    rounds: 20,
  };
}

/** `local deploy` until it returns against `docker run -d` and asking every 5 ms. */
export function deployComparison(
  app: BenchApp,
  title = "local deploy, until ready",
  atMost = 1.25,
): Comparison {
  const port = String(OUR_PORT);
  return {
    title,
    unit: "ms",
    ours: {
      command: "mlcli local deploy",
      async measure(): Promise<number> {
        const taken = await app.time("local", "deploy", "--port", port);
        await app.time("local", "stop", "--port", port);
        return taken;
      },
    },
    theirs: {
      command:
        `docker run -d --init -p 127.0.0.1:PORT:8080 (the same two mounts) ${app.image} serve, ` +
        "then GET /ping every 5 ms until 200",
      measure: () => dockerServe(app),
    },
    goal: { atMost },
    rounds: 10,
  };
}

/** Calls `work` with the address of the app's server, for predictions. */
export async function deployed<T>(app: BenchApp, work: (url: string) => Promise<T>): Promise<T> {
  const port = ["--port", String(OUR_PORT)];
  await app.time("local", "deploy", ...port);
  try {
    return await work(`http://127.0.0.1:${OUR_PORT}/invocations`);
  } finally {
    await app.time("local", "stop", ...port);
  }
}

/** Starts a server by docker, and returns how long it took to be ready, in ms. */
export async function dockerServe(app: BenchApp): Promise<number> {
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
