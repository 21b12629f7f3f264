/**
 * The servers that are compared, each in a container of its own, from one image: the same Python,
 * the same application, two workers where a server has any.
 */

import { fromFileUrl, join } from "@std/path";
import type { BenchApp } from "../local.ts";
import { run } from "../program.ts";

const FILES = fromFileUrl(new URL("container", import.meta.url));
/** Has wrk, too: `buildImage`. */
export const BENCH_IMAGE = "mlcli-bench-serving";

/** Where the server of a container listens. */
export const PORT = 8080;

/** How each is started. MLCLI_WORKERS is set in all containers. */
const COMMANDS = {
  mlcli: (port) => ["env", `SAGEMAKER_BIND_TO_PORT=${port}`, "/opt/mlcli/entrypoint", "serve"],
  gthread: (port) => [
    ...["gunicorn", "--workers", "2", "--worker-class", "gthread", "--threads", "32"],
    ...["--keep-alive", "65", "--bind", `0.0.0.0:${port}`, "wsgi_app:application"],
  ],
  uvicorn: (port) => [
    ...["uvicorn", "--workers", "2", "--loop", "uvloop", "--http", "httptools"],
    ...["--no-access-log", "--log-level", "warning"],
    ...["--host", "0.0.0.0", "--port", `${port}`, "asgi_app:application"],
  ],
  // It has one process, and takes 100 connections unless told otherwise.
  waitress: (port) => [
    ...["waitress-serve", "--threads", "32", "--connection-limit", "5000"],
    ...["--asyncore-use-poll", `--port=${port}`, "wsgi_app:application"],
  ],
} as const satisfies Readonly<Record<string, (port: number) => readonly string[]>>;

/** The name of a server. */
export type ServerName = keyof typeof COMMANDS;

/** All of them, mlcli's first. */
export const SERVERS = Object.keys(COMMANDS) as readonly ServerName[];

/** The command that starts a server on a port. */
export function commandOf(server: ServerName, port: number): readonly string[] {
  return COMMANDS[server](port);
}

/** Servers that run. */
export interface Servers extends AsyncDisposable {
  /** Runs a command in a server's container, and returns what it prints. */
  readonly execute: (server: ServerName, command: readonly string[]) => Promise<string>;
}

/** Starts all servers. The image gets them from Debian, so its base must be Debian's. */
export async function startServers(app: BenchApp): Promise<Servers> {
  await buildImage(app.image);
  const containers = new Map<ServerName, string>();
  const servers: Servers = {
    execute: (server, command) => run(["docker", "exec", containers.get(server)!, ...command]),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const id of containers.values()) await run(["docker", "rm", "--force", id]);
    },
  };
  try {
    for (const server of SERVERS) containers.set(server, await startServer(server, app));
    for (const server of SERVERS) await untilReady(server, servers);
  } catch (error) {
    await servers[Symbol.asyncDispose]();
    throw error;
  }
  return servers;
}

export async function buildImage(base: string): Promise<void> {
  const context = await Deno.makeTempDir({ prefix: "mlcli-bench-" });
  try {
    await Deno.writeTextFile(join(context, "Dockerfile"), dockerfile(base));
    // The way to the mirror that this machine has, name resolution included.
    await run(["docker", "build", "--quiet", "--network", "host", "--tag", BENCH_IMAGE, context]);
  } finally {
    await Deno.remove(context, { recursive: true });
  }
}

/** All servers run on Debian's Python, also where the base has another; none writes `.pyc` files. */
function dockerfile(base: string): string {
  return `FROM ${base}
RUN apt-get update && apt-get install -y --no-install-recommends \\
  wrk gunicorn uvicorn python3-uvloop python3-httptools python3-waitress
ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH=/bench:/opt/mlcli PYTHONDONTWRITEBYTECODE=1
ENV MLCLI_WORKERS=2
WORKDIR /
`;
}

async function startServer(server: ServerName, { base }: BenchApp): Promise<string> {
  const [program, ...args] = commandOf(server, PORT);
  const id = await run([
    ...["docker", "run", "--detach", "--network", "none", "--entrypoint", program!] as const,
    ...["--volume", `${FILES}:/bench:ro`, "--volume", `${FILES}/code:/opt/ml/code:ro`],
    ...["--volume", `${join(base, "local_test/test_dir/model")}:/opt/ml/model:ro`],
    ...[BENCH_IMAGE, ...args],
  ]);
  return id.trim();
}

/** One prediction that all answer alike, or the comparison would be of different things. */
async function untilReady(server: ServerName, servers: Servers): Promise<void> {
  const url = `http://127.0.0.1:${PORT}/invocations`;
  const attempt = `import urllib.request as u; u.urlopen(u.Request("${url}", b"72,3,15", ` +
    '{"Content-Type": "text/csv"}), timeout=5)';
  const retry = `for i in $(seq 100); do python3 -c '${attempt}' 2>/dev/null && exit 0; ` +
    "sleep 0.1; done; exit 1";
  await servers.execute(server, ["sh", "-c", retry]);
}
