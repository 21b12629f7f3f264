import { assertEquals } from "@std/assert";
import { containerStatuses } from "../../../../runtime/local/server/status.ts";
import { connectToEngine } from "../../../../runtime/docker/connect.ts";
import { fakeEngine, pong } from "../../../helpers/fake_engine.ts";
import { Keys } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A row of the engine's list: a server on a port. */
function server(port: number, more: Readonly<Record<string, unknown>> = {}) {
  return {
    Id: "1",
    Names: [`/mlcli-demo-serve-${port}`],
    Image: `sha256:${"0123456789abcdef".repeat(4)}`,
    State: "running",
    Status: "Up 3 minutes",
    Created: 1_700_000_000,
    Labels: { "mlcli.app": "demo", "mlcli.role": "serve", "mlcli.port": String(port) },
    ...more,
  };
}

async function statusesOf(containers: readonly unknown[]) {
  await using fake = await fakeEngine({
    "GET /_ping": () => pong("1.41"),
    "GET /containers/json": () => Response.json(containers),
  });
  const host = `unix://${fake.socket}`;
  const engine = await connectToEngine({
    env: (name) => name === "DOCKER_HOST" ? host : undefined,
  });
  const statuses = await containerStatuses(undefined, {
    engine: () => Promise.resolve(engine),
    interruption: new Keys().interruption,
  });
  engine.close();
  return statuses;
}

suite("containerStatuses", () => {
  it("gives up on servers that do not answer, on all at once", async () => {
    // They take connections, and leave it at that.
    using first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using second = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const ports = [first.addr.port, second.addr.port].sort((a, b) => a - b);
    const statuses = await statusesOf(ports.map((port) => server(port)));
    assertEquals(statuses.map(({ port }) => port), ports);
    for (const { health } of statuses) {
      assertEquals(health.state === "unhealthy" && health.answer.status === undefined, true);
    }
  });

  it("tells a server that is not ready from one that is", async () => {
    await using http = Deno.serve(
      { port: 0, onListen: () => {} },
      () => new Response(null, { status: 503 }),
    );
    const [status] = await statusesOf([server(http.addr.port)]);
    assertEquals(status?.health, { state: "unhealthy", answer: { status: 503 } });
    assertEquals(status?.image, "sha256:0123456789ab");
    assertEquals(status?.created, new Date("2023-11-14T22:13:20Z"));
  });

  it("does not ask what does not run", async () => {
    const [status] = await statusesOf([
      server(1, { State: "exited", Status: "Exited (137) 2 hours ago" }),
    ]);
    assertEquals(status?.health, { state: "other", name: "exited", exitStatus: 137 });
  });
});
