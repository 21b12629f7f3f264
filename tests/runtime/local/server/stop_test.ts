import { assertEquals, assertMatch } from "@std/assert";
import { fakeContainers, frame, type Play } from "../../../helpers/fake_containers.ts";
import { done, refusal } from "../../../helpers/fake_engine.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A server's container, as the engine lists it. */
function server(Id: string, State: string, app = "x", port = "8080") {
  return {
    Id,
    Names: [`/mlcli-${app}-serve-${port}`],
    Image: "x",
    Status: "",
    Created: 0,
    State,
    Labels: { "mlcli.app": app, "mlcli.role": "serve", "mlcli.port": port },
  };
}

async function local(args: readonly string[], play: Play, keys = new Keys()) {
  await using engine = await fakeContainers(play);
  const result = await runInProcess(["local", ...args], { cwd: "/", engine, keys });
  const asked = engine.calls.filter(({ call }) => /^(POST|DELETE|GET .*logs)/.test(call));
  return {
    ...result,
    asked: asked.map(({ call, query }) =>
      `${call} ${Object.entries(query).map((pair) => pair.join("=")).join("&")}`.trim()
    ),
  };
}

const STOP = "POST /containers/ID/stop";
const REMOVE = "DELETE /containers/ID";
const STOPPED = ["POST /containers/a/stop t=30", "DELETE /containers/a force=1&v=1"];

suite("local stop", () => {
  it("gives a server 30 seconds, and removes it with its volumes", async () => {
    const { code, stdout, stderr, asked } = await local(["stop"], {
      containers: [server("a", "running")],
    });
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "mlcli-x-serve-8080\n", stderr: "" });
    assertEquals(asked, STOPPED);
  });

  it("stops all that is there of the app on the port", async () => {
    const spare = { ...server("b", "running"), Names: ["/mlcli-x-serve-8080-0badcafe"] };
    const ended = { ...server("c", "exited"), Names: ["/mlcli-x-serve-8080-1badcafe"] };
    const { code, stdout, asked } = await local(["stop"], {
      containers: [ended, spare, server("a", "running"), server("d", "exited", "y")],
    });
    assertEquals([code, stdout], [0, "mlcli-x-serve-8080-0badcafe\n"]);
    assertEquals(asked.map((call) => call.replace(/ \w+=.*/, "")).sort(), [
      "DELETE /containers/a",
      "DELETE /containers/b",
      "DELETE /containers/c",
      "POST /containers/a/stop",
      "POST /containers/b/stop",
    ]);
  });

  for (const status of [204, 304, 404]) {
    it(`is done where the engine answers ${status} to the stop`, async () => {
      const answers = { [STOP]: () => status === 404 ? refusal(404, "gone") : done(status) };
      const { code, asked } = await local(["stop"], {
        containers: [server("a", "running")],
        answers,
      });
      assertEquals([code, asked], [0, STOPPED]);
    });
  }

  for (const status of [404, 409]) {
    it(`is done where the engine answers ${status} to the removal`, async () => {
      const answers = { [REMOVE]: () => refusal(status, "on its way") };
      const { code, stdout, stderr } = await local(["stop"], {
        containers: [server("a", "running")],
        answers,
      });
      assertEquals({ code, stdout, stderr }, {
        code: 0,
        stdout: "mlcli-x-serve-8080\n",
        stderr: "",
      });
    });
  }

  for (const [call, title] of [[STOP, "stop"], [REMOVE, "removal"]] as const) {
    it(`fails where the engine refuses the ${title}`, async () => {
      const answers = { [call]: () => refusal(500, "not today") };
      const { code, stdout, stderr } = await local(["stop"], {
        containers: [server("a", "running")],
        answers,
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: The Docker Engine refused \(.*: 500\): not today\n/);
    });
  }

  it("only removes a server that has ended", async () => {
    const { code, asked } = await local(["stop"], { containers: [server("a", "exited")] });
    assertEquals([code, asked], [0, STOPPED.slice(1)]);
  });

  it("does not wait after Ctrl-C, and removes the server", async () => {
    const keys = new Keys();
    const { code, stdout, stderr, asked } = await local(["stop"], {
      containers: [server("a", "running")],
      before: (call) => call === STOP ? keys.press() : undefined,
      answers: { "POST /containers/ID/kill": () => done() },
    }, keys);
    assertEquals({ code, stdout, stderr }, { code: 130, stdout: "", stderr: "" });
    assertEquals(asked.toSorted(), [...STOPPED, "POST /containers/a/kill"].toSorted());
  });
});

suite("of several servers on a port", () => {
  const several = [
    server("b", "exited", "y"),
    server("c", "running", "z", "8081"),
    server("d", "running", "z", "80"),
    server("a", "running"),
    server("e", "created", "w"),
  ];

  it("local stop takes the one that runs", async () => {
    const { stdout, asked } = await local(["stop"], { containers: several });
    assertEquals([stdout, asked], ["mlcli-x-serve-8080\n", STOPPED]);
  });

  it("local logs takes the one that runs", async () => {
    const { code, stdout, asked } = await local(["logs"], {
      containers: several,
      answers: {
        "GET /containers/a/logs": () => new Response(frame(1, "hello\n").slice()),
      },
    });
    assertEquals([code, stdout], [0, "hello\n"]);
    assertEquals(asked, ["GET /containers/a/logs stdout=1&stderr=1&tail=all"]);
  });

  it("--app-name takes that app's, though it has ended", async () => {
    const { asked } = await local(["stop", "--app-name", "y"], { containers: several });
    assertEquals(asked, ["DELETE /containers/b force=1&v=1"]);
    const logs = await local(["logs", "-a", "y", "--tail", "3"], { containers: several });
    assertEquals(logs.asked, ["GET /containers/b/logs stdout=1&stderr=1&tail=3"]);
  });

  it("none is taken of another port or app: those there are are named", async () => {
    for (const command of ["stop", "logs"]) {
      const other = await local([command, "--port", "8082"], { containers: several });
      assertEquals([other.code, other.stdout, other.asked], [1, "", []]);
      assertMatch(other.stderr, /^error: Container not found on port 8082\nhint: .*z on 8081, /);
      const app = await local([command, "--app-name", "q"], { containers: several });
      assertMatch(app.stderr, /^error: Container not found on port 8080 for q\n/);
      assertEquals([app.code, app.asked], [1, []]);
    }
  });
});
