import { assertEquals, assertMatch } from "@std/assert";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { rawServer } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A row of the engine's list: a server on a port. */
function server(port: number, more: Readonly<Record<string, unknown>> = {}) {
  return {
    Id: String(port),
    Names: [`/mlcli-demo-serve-${port}`],
    Image: "demo:latest",
    State: "running",
    Status: "Up 3 minutes",
    Created: 1_700_000_000,
    Labels: { "mlcli.app": "demo", "mlcli.role": "serve", "mlcli.port": String(port) },
    ...more,
  };
}

const RUN = server(1, {
  Names: ["/mlcli-demo-train-1a2b3c4d"],
  Labels: { "mlcli.app": "demo", "mlcli.role": "train", "mlcli.port": "" },
});
const EXITED = server(2, { State: "exited", Status: "Exited (137) 2 hours ago" });
const DEAD = server(3, { State: "dead", Status: "Dead" });
const CREATED = server(4, { State: "created", Status: "Created" });

async function status(
  containers: readonly unknown[],
  args: readonly string[] = [],
  terminal: { readonly isTerminal?: boolean; readonly colour?: boolean } = {},
): Promise<ProgramResult> {
  await using engine = await fakeContainers({ containers: containers as never });
  return await runInProcess(["local", "status", ...args], { cwd: "/", engine, ...terminal });
}

suite("local status --output json", () => {
  // The names are what other programs go by.
  const common = { app: "demo", image: "demo:latest" };
  const none = {
    port: null,
    ping_status: null,
    ping_failure: null,
    exit_status: null,
    stale: null,
  };

  it("says all of a server that answers, and of one that is not ready", async () => {
    await using healthy = pingServer();
    await using busy = pingServer(0, 503);
    for (
      const [{ port }, state, code] of [[healthy, "healthy", 200], [
        busy,
        "unhealthy",
        503,
      ]] as const
    ) {
      const { stdout } = await status([server(port)], ["--output", "json"]);
      const [{ created, ...rest }, ...more] = JSON.parse(stdout);
      assertEquals([new Date(created), more], [new Date(1_700_000_000_000), []]);
      const name = `mlcli-demo-serve-${port}`;
      assertEquals(rest, {
        ...common,
        ...none,
        name,
        role: "serve",
        port,
        state,
        ping_status: code,
      });
    }
  });

  it("says why a server did not answer", async () => {
    await using closing = rawServer(() => {});
    const { stdout } = await status([server(Number(closing.port))], ["--output", "json"]);
    const [{ state, ping_status, ping_failure }] = JSON.parse(stdout);
    assertEquals([state, ping_status], ["unhealthy", null]);
    assertEquals(ping_failure, "it closes the connection");
  });

  it("says how one ended, and that a run goes on", async () => {
    const { stdout } = await status([EXITED, DEAD, RUN], ["--output", "json"]);
    const found = JSON.parse(stdout).map((row: Record<string, unknown>) => [
      ...[row["role"], row["port"], row["state"], row["exit_status"]],
    ]);
    assertEquals(found, [
      ["serve", 2, "exited", 137],
      ["serve", 3, "dead", null],
      ["train", null, "running", null],
    ]);
  });
});

suite("local status on a terminal", () => {
  it("is green for what is well, red for what has ended, and yellow in between", async () => {
    await using healthy = pingServer();
    await using busy = pingServer(0, 503);
    const containers = [server(healthy.port), server(busy.port), EXITED, DEAD, CREATED, RUN];
    const { stdout } = await status(containers, [], { isTerminal: true, colour: true });
    // deno-lint-ignore no-control-regex
    const painted = [...stdout.matchAll(/\x1b\[(3\d)m(.*?)\x1b\[39m/g)]
      .map(([, colour, text]) => `${text} ${colour}`);
    assertEquals(painted.sort(), [
      "HTTP 503 33",
      "created 33",
      "dead 31",
      "exited (137) 31",
      "healthy 32",
      "running 32",
    ]);
  });

  it("has no colour where none is wanted", async () => {
    const { stdout } = await status([EXITED], [], { isTerminal: true });
    assertMatch(
      stdout,
      /^APP +ROLE +PORT +HEALTH +AGE +IMAGE\ndemo +serve +2 +exited \(137\) +\d+d +demo:latest\n$/,
    );
  });

  it("says that there is none, beside the results, and to nobody else", async () => {
    const words = "No server and no run of mlcli. mlcli local deploy starts a server.\n";
    assertEquals(await status([], [], { isTerminal: true }), {
      code: 0,
      stdout: "",
      stderr: words,
    });
    assertEquals(await status([]), { code: 0, stdout: "", stderr: "" });
  });
});
