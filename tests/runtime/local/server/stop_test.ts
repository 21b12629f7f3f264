import { assertEquals, assertMatch } from "@std/assert";
import { markOf } from "../../../helpers/app.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
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
const RUNNING = { containers: [server("a", "running")] };
const STOPPED = ["POST /containers/a/stop t=30", "DELETE /containers/a force=1&v=1"];

suite("local stop", () => {
  it("gives a server 30 seconds, and removes it with its volumes", async () => {
    const { code, stdout, stderr, asked } = await local(["stop"], RUNNING);
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
      const { code, asked } = await local(["stop"], { ...RUNNING, answers });
      assertEquals([code, asked], [0, STOPPED]);
    });
  }

  for (const status of [404, 409]) {
    it(`is done where the engine answers ${status} to the removal`, async () => {
      const answers = { [REMOVE]: () => refusal(status, "on its way") };
      const { code, stdout, stderr } = await local(["stop"], { ...RUNNING, answers });
      assertEquals([code, stdout, stderr], [0, "mlcli-x-serve-8080\n", ""]);
    });
  }

  for (const [call, title] of [[STOP, "stop"], [REMOVE, "removal"]] as const) {
    it(`fails where the engine refuses the ${title}`, async () => {
      const answers = { [call]: () => refusal(500, "not today") };
      const { code, stdout, stderr } = await local(["stop"], { ...RUNNING, answers });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: The Docker Engine refused .* \(500\): not today\n/);
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
    const { code, stdout, asked } = await local(["logs", "--port", "8080"], {
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
      assertEquals(
        other.stderr,
        "error: Container not found on port 8082\nhint: Choose a server: " +
          `mlcli local ${command} --port 80 (z), mlcli local ${command} --port 8080 (y), ` +
          `mlcli local ${command} --port 8080 (x), mlcli local ${command} --port 8080 (w), ` +
          `mlcli local ${command} --port 8081 (z)\n`,
      );
      const args = ["--app-name", "q", "--port", "8080"];
      const app = await local([command, ...args], { containers: several });
      assertMatch(app.stderr, /^error: Container not found on port 8080 for q\n/);
      assertEquals([app.code, app.asked], [1, []]);
    }
  });
});

suite("a server of another directory", () => {
  const MADE = { code: "", model: "", image: "x:latest", imageId: "x" };
  /** A server of an app of that directory, maybe on another machine. */
  const of = (
    directory: string,
    app = "x",
    host = Deno.hostname(),
    Id = "a",
    State = "running",
  ) => {
    const { Labels, ...container } = server(Id, State, app);
    const base = `${directory}/${app}/mlcli_base`;
    const more = {
      "mlcli.directory": markOf(directory),
      "mlcli.made-of": JSON.stringify({ ...MADE, host, base }),
    };
    return { ...container, Labels: { ...Labels, ...more } };
  };
  const CLONE = of("/home/me/clone");

  interface Row {
    readonly args?: readonly string[];
    readonly containers?: readonly ReturnType<typeof of>[];
    /** What a terminal's user answers; undefined: there is no terminal. */
    readonly answer?: string;
    /** `APP.json` that are in the current directory. */
    readonly here?: readonly string[];
    /** The server's id; undefined: none is stopped. */
    readonly stopped?: string;
    readonly whose?: string;
  }
  const rows: Readonly<Record<string, Row>> = {
    "is not stopped without a question": { whose: "x in /home/me/clone" },
    "is not that of an app of the same name here": { here: ["x"], whose: "x in /home/me/clone" },
    "is not that of another app here": { here: ["y"], whose: "x in /home/me/clone" },
    "may be another machine's": {
      containers: [of("/home/me/clone", "x", "there")],
      whose: "x in /home/me/clone on there",
    },
    "is stopped by who says yes": { answer: "yes", stopped: "a" },
    "is not stopped by who says nothing": { answer: "no", whose: "x in /home/me/clone" },
    "is stopped by --yes": { args: ["--yes"], stopped: "a" },
    "is stopped by its app's name": { args: ["--app-name", "x"], here: ["y"], stopped: "a" },
    "is not stopped by a name that an app here has, too": {
      args: ["--app-name", "x"],
      here: ["x"],
      whose: "x in /home/me/clone",
    },
    "is none where it is this one": { containers: [of("HERE")], answer: "never", stopped: "a" },
    "is left where this one's runs": {
      containers: [of("HERE", "x", "h", "b"), of("/home/me/clone", "x", "h", "c", "exited")],
      stopped: "b",
    },
    "is the only one that yes means": {
      args: ["--yes"],
      containers: [CLONE, of("/home/me/other", "x", "h", "c", "exited")],
      stopped: "a",
    },
  };
  for (const [title, row] of Object.entries(rows)) {
    it(title, async () => {
      const { args = [], containers = [CLONE], answer, here = [], stopped, whose } = row;
      await using directory = await makeDirectory(
        Object.fromEntries(here.map((app) => [`${app}.json`, '{"image_name": "x"}'])),
      );
      const cwd = await Deno.realPath(directory.path);
      const mark = (label: string) => label === markOf("HERE") ? markOf(cwd) : label;
      await using engine = await fakeContainers({
        containers: containers.map(({ Labels, ...container }) => ({
          ...container,
          Labels: { ...Labels, "mlcli.directory": mark(Labels["mlcli.directory"]!) },
        })),
      });
      const questions: string[] = [];
      const { code, stdout, stderr } = await runInProcess(["local", "stop", ...args], {
        cwd,
        engine,
        ask: (question) => {
          questions.push(question);
          return Promise.resolve(answer);
        },
      });
      const removed = engine.calls.flatMap(({ call }) =>
        call.startsWith("DELETE /containers/") ? [call.split("/").at(-1)] : []
      );
      assertEquals(removed, stopped === undefined ? [] : [stopped]);
      const isAsked = whose !== undefined || answer === "yes";
      assertEquals(
        questions,
        isAsked ? [`Stop the server of ${whose ?? "x in /home/me/clone"}? [y/N]`] : [],
      );
      if (whose === undefined) return assertEquals([code, stderr], [0, ""]);
      assertEquals({ code, stdout, stderr }, {
        code: 1,
        stdout: "",
        stderr: `error: The server on port 8080 belongs to another directory's app: ${whose}\n` +
          "hint: To stop it anyway: mlcli local stop --port 8080 --yes\n",
      });
    });
  }
});
