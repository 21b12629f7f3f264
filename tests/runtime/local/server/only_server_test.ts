import { assertEquals } from "@std/assert";
import { markOf } from "../../../helpers/app.ts";
import { fakeContainers, frame } from "../../../helpers/fake_containers.ts";
import { fakeInput } from "../../../helpers/fake_keyboard.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { rawServer, say } from "../../../helpers/raw_server.ts";
import { it, suite } from "../../../helpers/suite.ts";

const HERE = markOf("/");
const ELSEWHERE = markOf("/clone");
const LIST = "GET /containers/json";
const LOG = "GET /containers/ID/logs";

interface Served {
  /** Default: the port. */
  readonly id?: string;
  readonly app?: string;
  readonly port: number | string;
  readonly state?: string;
  /** Default: the current directory. */
  readonly directory?: string;
}

/** Runs a command in `/`, where the app `x` is, beside these servers. */
async function local(
  words: string,
  served: readonly Served[],
  env: Readonly<Record<string, string>> = {},
) {
  await using engine = await fakeContainers({
    containers: served.map((
      { app = "x", port, id = `${port}`, state = "running", directory = HERE },
    ) => ({
      Id: id,
      Names: [`/mlcli-${app}-serve-${port}`],
      Image: "x",
      Status: "",
      Created: 0,
      State: state,
      Labels: {
        "mlcli.app": app,
        "mlcli.role": "serve",
        "mlcli.port": `${port}`,
        "mlcli.directory": directory,
      },
    })),
    answers: { [LOG]: () => new Response(frame(1, "hello\n").slice()) },
  });
  const options = { cwd: "/", engine, env, input: fakeInput(["1,2\n"]) };
  const { code, stdout, stderr } = await runInProcess(["local", ...words.split(" ")], options);
  const logs = engine.calls.filter(({ call }) => call.endsWith("/logs")).map(({ call }) => call);
  return { code, stdout, stderr, logs, listings: engine.callsOf(LIST).length };
}

/** The container's log that `local logs` printed. */
const printed = (port: number) => ({
  code: 0,
  stdout: "hello\n",
  stderr: "",
  logs: [`GET /containers/${port}/logs`],
  listings: 1,
});

const failed = (stderr: string) => ({ code: 1, stdout: "", stderr, logs: [], listings: 1 });

const NONE = "error: Found no server for this directory\n" +
  "hint: Start one (mlcli local deploy), or list all servers: mlcli local status\n";

suite("local logs without --port", () => {
  // https://github.com/docker/compose/issues/11859
  it("local logs uses the app's only server, on any port, beside servers of other directories", async () => {
    const servers = [{ port: 8081 }, { port: 8080, app: "y", directory: ELSEWHERE }];
    assertEquals(await local("logs", servers), printed(8081));
  });

  it("local logs lists several servers with their commands, sorted by port", async () => {
    const servers = [{ port: 8081, state: "exited" }, { port: 80, app: "y" }];
    assertEquals(
      await local("logs", servers),
      failed(
        "error: Found several servers for this directory\nhint: Choose a server: " +
          "mlcli local logs --port 80 (y), mlcli local logs --port 8081 (x)\n",
      ),
    );
  });

  it("local logs prefers the running server of two on one port", async () => {
    const ended = { id: "ended", port: 8081, state: "exited" };
    assertEquals(await local("logs", [ended, { port: 8081 }, ended]), printed(8081));
  });

  it("local logs names mlcli local deploy if there is no server, or only another directory's", async () => {
    const none = `${NONE.trimEnd()}. To see the log of the last run, use mlcli local logs last.\n`;
    assertEquals(await local("logs", []), failed(none));
    const other = { port: 8080, app: "y", directory: ELSEWHERE };
    assertEquals(await local("logs", [other]), failed(none));
  });

  it("local logs --app-name uses the only server of that app, also of another directory", async () => {
    const servers = [{ port: 8080 }, { port: 8081, app: "y", directory: ELSEWHERE }];
    assertEquals(await local("logs --app-name y", servers), printed(8081));
  });

  it("local logs uses MLCLI_PORT rather than the app's only server", async () => {
    const servers = [{ port: 8080 }, { port: 8081, app: "y", directory: ELSEWHERE }];
    assertEquals(await local("logs", servers, { MLCLI_PORT: "8081" }), printed(8081));
  });
});

suite("local invoke without --port", () => {
  it("local invoke asks the app's only running server, beside ended ones", async () => {
    await using server = rawServer((connection) =>
      say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    );
    const servers = [{ port: server.port }, { port: 8079, state: "exited" }];
    const { code, stdout, stderr } = await local("invoke", servers);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "ok", stderr: "" });
    assertEquals(server.calls, ["POST /invocations"]);
  });

  it("local invoke sends nothing to the server of another directory", async () => {
    await using server = rawServer(() => {});
    assertEquals(
      await local("invoke", [{ port: server.port, app: "y", directory: ELSEWHERE }]),
      failed(NONE),
    );
    assertEquals(server.calls, []);
  });
});

suite("local stop without --port", () => {
  it("local stop replaces control characters in the name of a server's app", async () => {
    const { stderr } = await local("stop", [{ port: 8081, app: "y\x1b[2J" }]);
    assertEquals(
      stderr.split("\n")[1],
      "hint: Choose a server: mlcli local stop --port 8081 (y?[2J)",
    );
  });

  it("local stop --app-name names only the servers of that app, if it has some", async () => {
    const servers = [{ port: 8081 }, { port: 8082, app: "y" }];
    const hint = async (name: string) =>
      (await local(`stop --app-name ${name}`, servers)).stderr.split("\n")[1];
    assertEquals(await hint("y"), "hint: Choose a server: mlcli local stop --port 8082 (y)");
    assertEquals(
      await hint("z"),
      "hint: Choose a server: mlcli local stop --port 8081 (x), mlcli local stop --port 8082 (y)",
    );
  });

  it("local stop names the exact command for the server on another port, and does not stop it", async () => {
    assertEquals(
      await local("stop", [{ port: 8081 }, { port: 8081, id: "ended", state: "exited" }]),
      failed(
        "error: Container not found on port 8080\n" +
          "hint: Choose a server: mlcli local stop --port 8081 (x)\n",
      ),
    );
  });
});
