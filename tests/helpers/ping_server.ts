import { type FakeContainer, portOf } from "./fake_containers.ts";

/** One that listens on a port of 127.0.0.1. */
export interface PingServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts one, on a port that was free, or on the one that is named.
 *
 * @param statuses its answers one after another; the last one for ever.
 */
export function pingServer(port = 0, ...statuses: readonly number[]): PingServer {
  const left = statuses.length === 0 ? [200] : [...statuses];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    () => new Response(null, { status: left.length > 1 ? left.shift() : left[0] }),
  );
  return {
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A container's program: one that is given a port answers there, any other ends with 0. */
export function answerOrEnd({ body, end }: FakeContainer, servers: AsyncDisposableStack): void {
  if (body.HostConfig.PortBindings === undefined) end(0);
  else servers.use(pingServer(portOf(body)));
}
