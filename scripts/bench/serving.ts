/**
 * How many requests a second the server in the image answers, against Flask's development server
 * with the same functions of the same app, both in one container.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import type { BenchApp } from "./local.ts";
import type { Comparison } from "./measure.ts";
import { run } from "./program.ts";

const FILES = fromFileUrl(new URL("serving", import.meta.url));
const IMAGE = "mlcli-bench-serving";
const OUR_PORT = 8080;
const THEIR_PORT = 8081;
const WRK = ["wrk", "-t1", "-c8", "-d3s", "-s", "/bench/request.lua"] as const;

/** A container in which both servers run. */
export interface ServingBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Starts both servers. The image gets Flask and wrk from Debian, so its base must be Debian's. */
export async function makeServingBench(app: BenchApp): Promise<ServingBench> {
  await buildImage(app.image);
  const container = await startServers(app);
  try {
    for (const port of [OUR_PORT, THEIR_PORT]) await untilReady(container, port);
  } catch (error) {
    await remove(container);
    throw error;
  }
  return {
    comparison: {
      title: "requests a second, 2 workers",
      unit: "requests/s",
      ours: {
        command: `${WRK.join(" ")} http://127.0.0.1/invocations on mlcli's server`,
        measure: () => requestsPerSecond(container, OUR_PORT),
      },
      theirs: {
        command: "the same on Flask's development server, in the same container",
        measure: () => requestsPerSecond(container, THEIR_PORT),
      },
      goal: { atLeast: 5 },
      rounds: 5,
    },
    [Symbol.asyncDispose]: () => remove(container),
  };
}

async function buildImage(base: string): Promise<void> {
  const context = await Deno.makeTempDir({ prefix: "mlcli-bench-" });
  try {
    await Deno.writeTextFile(
      join(context, "Dockerfile"),
      `FROM ${base}
RUN apt-get update && apt-get install -y --no-install-recommends python3-flask wrk
`,
    );
    // The way to the mirror that this machine has, name resolution included.
    await run(["docker", "build", "--quiet", "--network", "host", "--tag", IMAGE, context]);
  } finally {
    await Deno.remove(context, { recursive: true });
  }
}

async function startServers({ base }: BenchApp): Promise<string> {
  const servers = "/opt/mlcli/entrypoint serve & " +
    `exec python3 /bench/flask_app.py /opt/ml/code/serve /opt/ml/model ${THEIR_PORT}`;
  const id = await run([
    ...["docker", "run", "--detach", "--rm", "--network", "none"] as const,
    ...["--env", "MLCLI_WORKERS=2", "--entrypoint", "sh"],
    ...["--volume", `${FILES}:/bench:ro`],
    ...["--volume", `${join(base, "prediction")}:/opt/ml/code:ro`],
    ...["--volume", `${join(base, "local_test/test_dir/model")}:/opt/ml/model:ro`],
    ...[IMAGE, "-c", servers],
  ]);
  return id.trim();
}

/** One request that both answer alike, or the comparison would be of different things. */
async function untilReady(container: string, port: number): Promise<void> {
  const attempt = "import urllib.request as u; " +
    `u.urlopen(u.Request("http://127.0.0.1:${port}/invocations", b"72,3,15", ` +
    '{"Content-Type": "text/csv"}), timeout=5)';
  const retry = `for i in $(seq 100); do python3 -c '${attempt}' 2>/dev/null && exit 0; ` +
    "sleep 0.1; done; exit 1";
  await run(["docker", "exec", container, "sh", "-c", retry]);
}

/** @throws Error when an answer was none: errors are fast. */
async function requestsPerSecond(container: string, port: number): Promise<number> {
  const url = `http://127.0.0.1:${port}/invocations`;
  const report = await run(["docker", "exec", container, ...WRK, url]);
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(report)?.[1];
  if (rate === undefined || /Non-2xx|Socket errors/.test(report)) {
    throw new Error(`Not all requests to port ${port} were answered: ${report}`);
  }
  return Number(rate);
}

async function remove(container: string): Promise<void> {
  await run(["docker", "rm", "--force", container]);
}
