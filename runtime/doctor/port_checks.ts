/**
 * Check of the port that `local deploy` takes.
 *
 * @module
 */

import { containerName, type Engine } from "../docker/engine.ts";
import { managed } from "../local/container/managed.ts";
import type { Check } from "./check.ts";

/** Whether a server can be deployed on the port; if not, what uses it. */
export async function portCheck(
  engine: Engine,
  port: number,
  signal: AbortSignal,
): Promise<Check> {
  const [container] = await engine.containersOnPort(port, signal);
  const name = "port";
  const server = container === undefined ? undefined : managed(container);
  if (server?.role === "serve") {
    return {
      name,
      status: "ok",
      message: `Port ${port} is used by the server of ${server.appName}`,
      hint: `mlcli local stop --port ${port} ends it.`,
    };
  }
  const other = `local deploy --port 0 picks a free one.`;
  if (container !== undefined) {
    const owner = containerName(container);
    return {
      name,
      status: "warning",
      message: `Port ${port} is used by the container ${owner}`,
      hint: `docker stop ${owner} ends it; ${other}`,
    };
  }
  // Where the engine runs on another machine, the ports are that machine's.
  if (!engine.address.startsWith("unix:") || isFree(port)) {
    return { name, status: "ok", message: `Port ${port} is free` };
  }
  const show = Deno.build.os === "linux" ? `ss -ltnp` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return {
    name,
    status: "warning",
    message: `Port ${port} is used by another program`,
    hint: `${show} shows which; ${other}`,
  };
}

function isFree(port: number): boolean {
  try {
    using _listener = Deno.listen({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false;
  }
}
