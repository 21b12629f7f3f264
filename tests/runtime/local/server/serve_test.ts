import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { MlcliError, OutputClosed } from "../../../../runtime/errors.ts";
import { completeApp } from "../../../helpers/app.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  HARNESS_IMAGE,
  type Play,
  portOf,
} from "../../../helpers/fake_containers.ts";
import { done, refusal } from "../../../helpers/fake_engine.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../../helpers/in_process.ts";
import { type PingServer, pingServer } from "../../../helpers/ping_server.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

const START = "POST /containers/ID/start";
const REMOVED = { force: "1", v: "1" };

interface Deployment extends ProgramResult {
  readonly engine: FakeContainers;
  readonly removals: readonly Readonly<Record<string, string>>[];
  readonly left: readonly string[];
  /** The ports that were asked for. */
  readonly ports: readonly number[];
}

/** Runs local deploy with an engine whose servers answer on the port that was asked for. */
async function deploy(
  play: Play,
  args: readonly string[] = ["--port", "0"],
  options: Partial<InProcessOptions> = {},
): Promise<Deployment> {
  await using app = await completeApp();
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    program: (container) => void servers.use(answering(container)),
    ...play,
  });
  const line = ["local", "deploy", ...args.map((arg) => arg.replace("APP", app.name))];
  const result = await runInProcess(line, { cwd: app.directory, engine, ...options });
  return {
    ...result,
    engine,
    removals: engine.callsOf("DELETE /containers/ID").map(({ query }) => query),
    left: [...engine.left],
    ports: engine.created.map(portOf),
  };
}

/** The server of a container that answers at once. */
function answering({ body }: FakeContainer): PingServer {
  return pingServer(portOf(body));
}

/** A server that says this to standard error, and ends. */
const ends = (status: number, words = "") => ({ err, end }: FakeContainer): void => {
  err(words);
  end(status);
};

const allocated = () =>
  refusal(500, "driver failed programming external connectivity: port is already allocated");

suite("local deploy --port 0", () => {
  it("says where the server is, and leaves it there", async () => {
    const { code, stdout, stderr, ports, left, removals } = await deploy({});
    assertEquals({ code, stderr, removals }, { code: 0, stderr: "", removals: [] });
    assertEquals(stdout, `http://localhost:${ports[0]}\n`);
    assertEquals(left.length, 1);
  });

  for (const busy of [1, 4]) {
    it(`picks another port where ${busy} were taken meanwhile`, async () => {
      let attempts = 0;
      await using servers = new AsyncDisposableStack();
      await using app = await completeApp();
      await using engine = await fakeContainers({
        answers: {
          [START]: () => {
            if (++attempts <= busy) return allocated();
            servers.use(pingServer(portOf(engine.created.at(-1))));
            return done();
          },
        },
      });
      const line = ["local", "deploy", "--port", "0"];
      const { code, stdout, stderr } = await runInProcess(line, { cwd: app.directory, engine });
      const ports = engine.created.map(portOf);
      assertEquals([code, attempts, ports.length], [0, busy + 1, busy + 1], stderr);
      assertEquals(stdout, `http://localhost:${ports.at(-1)}\n`);
      // Each that did not start is gone, with its volumes.
      const removals = engine.callsOf("DELETE /containers/ID").map(({ query }) => query);
      assertEquals(removals, Array(busy).fill(REMOVED));
      assertEquals(engine.left, [`mlcli-${app.name}-serve-${ports.at(-1)}`]);
    });
  }

  it("gives up after five", async () => {
    const { code, stdout, stderr, ports, left } = await deploy({ answers: { [START]: allocated } });
    assertEquals([code, stdout, ports.length, left], [1, "", 5, []]);
    assertEquals(new Set(ports).size > 1, true, "another each time");
    assertMatch(
      stderr,
      /^error: Port already in use: \d+\nhint: .*--port \(0 picks a free one\)\n$/,
    );
  });

  it("tries no other port after Ctrl-C", async () => {
    const keys = new Keys();
    const before = (call: string) => call === START ? keys.press() : undefined;
    const answers = { [START]: allocated };
    const { code, stderr, ports, left } = await deploy({ before, answers }, undefined, { keys });
    assertEquals({ code, stderr, left }, { code: 130, stderr: "", left: [] });
    assertEquals(ports.length, 1);
  });

  it("tries no other port for another reason", async () => {
    const answers = { [START]: () => refusal(500, "no space left on device") };
    const { code, stderr, ports, left } = await deploy({ answers });
    assertEquals([code, ports.length, left], [1, 1, []]);
    assertMatch(stderr, /^error: .*no space left on device\nhint: [^]*docker system df/);
  });
});

suite("local deploy tells the server", () => {
  /** The variables of its body's limit. */
  const limits = ({ engine }: Deployment): readonly string[] =>
    engine.created[0].Env.filter((one: string) => /MAX_/.test(one));

  it("to take no larger body than SageMaker may take, unless the user says otherwise", async () => {
    assertEquals(limits(await deploy({})), ["MLCLI_MAX_BODY_MB=6"]);
    const own = ["--port", "0", "--env", "SAGEMAKER_MAX_PAYLOAD_IN_MB=0"];
    assertEquals(limits(await deploy({}, own)), ["SAGEMAKER_MAX_PAYLOAD_IN_MB=0"]);
  });

  it("nothing of bodies where the image does", async () => {
    const image = { ...HARNESS_IMAGE, Env: ["MLCLI_MAX_BODY_MB=25"] };
    assertEquals(limits(await deploy({ image })), []);
  });
});

suite("local deploy on a port that is taken", () => {
  for (
    const [title, reason] of [
      ["by a container", "Bind for 127.0.0.1:80 failed: port is already allocated"],
      ["by a process", "Error starting userland proxy: address already in use"],
      ["on Podman", "rootlessport listen tcp 127.0.0.1:80: bind: address not available"],
      ["on Docker Desktop", "Ports are not available: exposing port TCP 127.0.0.1:80"],
      ["on Podman's machine", "something went wrong: proxy already running"],
    ] as const
  ) {
    it(`${title} says so at once`, async () => {
      const answers = { [START]: () => refusal(500, reason) };
      const { code, stderr, ports, removals, left } = await deploy({ answers }, ["--port", "80"]);
      assertEquals([code, ports, removals, left], [1, [80], [REMOVED], []]);
      assertMatch(stderr, /^error: Port already in use: 80\nhint: Stop the program that uses it/);
    });
  }

  it("by another deployment that was faster names it", async () => {
    const answers = { "POST /containers/create": () => refusal(409, "Conflict.") };
    const { code, stderr, removals } = await deploy({ answers }, ["--port", "80"]);
    assertEquals([code, removals], [1, []]);
    assertMatch(
      stderr,
      /^error: Port already in use: 80 \(by the server of test-\w+\)\nhint: Stop the server with mlcli local stop --port 80, /,
    );
  });

  const serverOn80 = (State: string) => ({
    Id: "old",
    Names: ["/mlcli-x-serve-80"],
    State,
    Created: Date.now() / 1000,
    Labels: { "mlcli.app": "x", "mlcli.role": "serve", "mlcli.port": "80" },
  });
  for (const state of ["running", "created", "paused", "restarting"]) {
    it(`by a server that is ${state} leaves it alone`, async () => {
      const { code, stderr, ports, removals } = await deploy({
        containers: [serverOn80(state)],
      }, ["--port", "80"]);
      assertEquals([code, ports, removals], [1, [], []]);
      assertMatch(stderr, /^error: Port already in use: 80 \(by the server of x\)\n/);
    });
  }
  for (const state of ["running", "paused"]) {
    it(`by the app's own server that is ${state} names --replace where that would do`, async () => {
      await using app = await completeApp();
      const server = serverOn80(state);
      const own = {
        ...server,
        Names: [`/mlcli-${app.name}-serve-80`],
        Labels: { ...server.Labels, "mlcli.app": app.name },
        Ports: [{ PublicPort: 80 }],
      };
      await using engine = await fakeContainers({ containers: [own as never] });
      const line = ["local", "deploy", "--port", "80"];
      const { stderr } = await runInProcess(line, { cwd: app.directory, engine });
      const replace = state === "running" ? "replace it \\(--replace\\), " : "";
      assertMatch(
        stderr,
        new RegExp(`\nhint: Stop the server with mlcli local stop --port 80, ${replace}or choose`),
      );
    });
  }
  for (const state of ["exited", "dead"]) {
    it(`by a server that is ${state} takes its place`, async () => {
      await using other = pingServer();
      const { port } = other;
      const { code, ports, removals } = await deploy({
        program: () => {},
        containers: [{
          ...serverOn80(state),
          Names: [`/mlcli-x-serve-${port}`],
          Labels: { ...serverOn80(state).Labels, "mlcli.port": String(port) },
        }],
      }, ["--port", String(port)]);
      assertEquals([code, ports, removals], [0, [port], [REMOVED]]);
    });
  }
});

suite("local deploy in the place of a server that has ended", () => {
  for (const status of [204, 500]) {
    it(`waits for its removal, answered with ${status}`, async () => {
      await using other = pingServer();
      const { port } = other;
      const course: string[] = [];
      const { code } = await deploy({
        program: () => {},
        containers: [{
          Id: "old",
          Names: [`/mlcli-x-serve-${port}`],
          State: "exited",
          Labels: { "mlcli.app": "x", "mlcli.role": "serve", "mlcli.port": String(port) },
        }],
        before: (call) => {
          if (call === "POST /containers/create") course.push("created");
        },
        answers: {
          "DELETE /containers/ID": async () => {
            // Everything else goes on meanwhile.
            for (let turn = 0; turn < 20; turn++) await new Promise((next) => setTimeout(next));
            course.push("removed");
            return status === 204 ? done() : refusal(status, "not today");
          },
        },
      }, ["--port", String(port)]);
      assertEquals([code, course], status === 204 ? [0, ["removed", "created"]] : [1, ["removed"]]);
    });
  }
});

suite("local deploy that fails", () => {
  const rows: readonly (readonly [title: string, play: Play, words: RegExp])[] = [
    ...[404, 409, 500].map((status) =>
      [
        `the start is refused with ${status}`,
        { answers: { [START]: () => refusal(status, "not today") } },
        status === 409 ? /^error: Port already in use/ : /^error: .*: not today/,
      ] as const
    ),
    [
      "the image cannot serve",
      { answers: { [START]: () => refusal(400, "not today") } },
      /^error: Cannot run "serve" in test-\w+:latest\n {2}not today\nhint: /,
    ],
    ...[
      // https://github.com/bhavesh0124/Deep-Learning-Container-Deployment-on-Amazon-Sagemaker---Titanic-Dataset/issues/1
      [
        "runc",
        400,
        "failed to create shim task: OCI runtime create failed: runc create failed: unable to start " +
        'container process: exec: "serve": executable file not found in $PATH: unknown',
      ],
      [
        "crun",
        500,
        "crun: executable file `serve` not found in $PATH: No such file or directory: OCI runtime " +
        "attempted to invoke a command that was not found",
      ],
    ].map(([runtime, status, words]) =>
      [
        `the image has no serve, as ${runtime} says`,
        { answers: { [START]: () => refusal(Number(status), String(words)) } },
        /^error: test-\w+:latest has no serve program, which SageMaker requires\nhint: To add mlcli's server to the image, use a new directory: run mlcli init (\S+) --base-image test-\w+:latest, replace \1\/mlcli_base\/prediction\/serve with your inference\.py, and copy your model into \1\/mlcli_base\/local_test\/test_dir\/model\/\. Then run mlcli build\./,
      ] as const
    ),
    [
      "waiting is refused",
      { answers: { "POST /containers/ID/wait": () => refusal(500, "not today") } },
      /^error: .*wait \(500\): not today/,
    ],
    [
      "the server ends at once",
      {
        program: ({ out, err, end }) => {
          out("loading\n");
          err("no such module\n");
          end(3);
        },
      },
      /^error: The server exited before it was ready: exit code 3\n {2}loading\n {2}no such module\nhint: Check its last log lines/,
    ],
    [
      "the server lacks a module",
      {
        program: ends(
          3,
          "ModuleNotFoundError: No module named 'sklearn'\nmlcli: the model did not load\n",
        ),
      },
      /^error: The server .*\n {2}ModuleNotFoundError.*\n {2}mlcli: .*\nhint: Add scikit-learn to req/,
    ],
    [
      "the server does not find a file of the model",
      {
        program: ends(
          3,
          "Traceback (most recent call last):\n  model_fn\nFileNotFoundError: [Errno 2] No such " +
            "file or directory: '/opt/ml/model/model.pkl'\n",
        ),
      },
      /^error: The server exited before it was ready: FileNotFoundError: .*model\.pkl' \(exit code 3\)\n {2}Trace.*\n(.*\n)*hint: Load m from \/opt\/ml\/model, or save model\.pkl in training\n/,
    ],
    [
      "the model was saved with a class of the training",
      { program: ends(3, "ModuleNotFoundError: No module named 'training'\n") },
      /\nhint: Move the code that a saved model needs from .*training\.py to .*common\/, then/,
    ],
    [
      "the server writes to its model",
      {
        program: ends(
          3,
          "OSError: [Errno 30] Read-only file system: '/opt/ml/model/c'\nmlcli: the model ...\n",
        ),
      },
      /^error: The server .*\n {2}OSError.*\n {2}mlcli: .*\nhint: A server's code and model are/,
    ],
    [
      "model_fn cannot resolve host.docker.internal",
      {
        program: ends(
          3,
          'Traceback (most recent call last):\n  connect("host.docker.internal")\n' +
            "socket.gaierror: [Errno -2] Name or service not known\nmlcli: the model ...\n",
        ),
      },
      /\nhint: Use an IP address of this machine: /,
    ],
    // 500: Podman, 501: Docker, for a log driver that cannot be read.
    ...[404, 409, 500, 501].map((status) =>
      [
        `the server ends at once and its log is refused with ${status}`,
        {
          program: ends(3),
          answers: { "GET /containers/ID/logs": () => refusal(status, "being removed") },
        },
        /^error: The server exited before it was ready: exit code 3\nhint: Its log is empty\. Start the server by hand .*: mlcli local shell/,
      ] as const
    ),
    [
      "the server runs out of memory",
      {
        program: ends(137),
        answers: {
          "GET /containers/ID/json": () =>
            Response.json({ State: { Running: false, OOMKilled: true } }),
        },
      },
      /^error: The server exited before it was ready: .*out of memory\)\nhint: .*--memory/,
    ],
    [
      "the server needs privileges",
      { program: ends(1, 'sudo: The "no new privileges" flag is set, which prevents sudo\n') },
      /\nhint: .*, use --allow-privileges$/m,
    ],
  ];
  for (const [title, play, words] of rows) {
    it(`leaves nothing where ${title}`, async () => {
      const port = ["--port", String(unusedPort())];
      const result = await deploy({ program: () => {}, ...play }, port);
      const { code, stdout, stderr, removals, left } = result;
      assertMatch(stderr, words);
      assertEquals([code, stdout, removals, left], [1, "", [REMOVED], []]);
    });
  }

  for (
    const [title, statuses, words] of [
      [
        "is 200 once and 500 afterwards",
        [200, 500],
        /^error: The server returned 200 for \/ping at first, but later did not \(HTTP 500\)\n {2}so it says\nhint: Return 200 for each request to \/ping: /,
      ],
      [
        "is 404 always",
        [404],
        /^error: The server did not return 200 for \/ping within 1 s \(GET \/ping returns 404, not 200\)\n {2}so it says\nhint: Add a route GET \/ping/,
      ],
      [
        "is 503 always",
        [503],
        /^error: The server did not return 200 for \/ping within 1 s \(HTTP 503\)\n {2}so it says\nhint: Increase --timeout/,
      ],
    ] as const
  ) {
    it(`leaves nothing where its /ping ${title}`, async () => {
      await using servers = new AsyncDisposableStack();
      const { code, stdout, stderr, removals, left } = await deploy({
        program: (container) => {
          container.err("so it says\n");
          servers.use(pingServer(portOf(container.body), ...statuses));
        },
      }, ["--port", "0", "--timeout", "1"]);
      assertMatch(stderr, words);
      assertEquals([code, stdout, removals, left], [1, "", [REMOVED], []]);
    });
  }

  it("the error of a server whose /ping fails quotes its last exception", async () => {
    // https://github.com/aws-samples/amazon-sagemaker-local-mode/issues/15
    await using servers = new AsyncDisposableStack();
    const { stderr } = await deploy({
      program: (container) => {
        container.err(
          "Traceback (most recent call last):\n  model_fn\nsagemaker_containers._errors.ClientError: " +
            "[Errno 2] No such file or directory: '/opt/ml/model/xgboost-model'\n",
        );
        servers.use(pingServer(portOf(container.body), 500));
      },
    }, ["--port", "0", "--timeout", "1"]);
    assertMatch(
      stderr,
      /within 1 s \(HTTP 500; sagemaker_containers\._errors\.ClientError: \[Errno 2\]/,
    );
    assertMatch(
      stderr,
      /\nhint: Load m from \/opt\/ml\/model, or save xgboost-model in training\n/,
    );
  });

  it("the error of a server reads 200 lines of its log and shows the last 30", async () => {
    const output = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");
    const { engine, stderr } = await deploy({ program: ends(1, output) });
    const [logs] = engine.callsOf("GET /containers/ID/logs");
    assertEquals(logs?.query, { stdout: "1", stderr: "1", tail: "200" });
    assertMatch(
      stderr,
      /exit code 1\n {2}line 10\n[^]* {2}line 39\nhint: Check its last log lines/,
    );
  });

  for (const when of ["GET /containers/json", "GET /images/NAME/json"]) {
    it(`is not begun after Ctrl-C at ${when}`, async () => {
      const keys = new Keys();
      const before = (call: string) => call === when ? keys.press() : undefined;
      const { code, stderr, left, engine } = await deploy({ before }, undefined, { keys });
      assertEquals({ code, stderr, left }, { code: 130, stderr: "", left: [] });
      assertEquals(engine.course.includes(START), false);
    });
  }
  for (const when of ["POST /containers/create", START, "POST /containers/ID/wait"]) {
    it(`leaves nothing after Ctrl-C at ${when}`, async () => {
      const keys = new Keys();
      const before = (call: string) => call === when ? keys.press() : undefined;
      const play = { before, program: () => {} };
      const { code, stdout, stderr, removals, left } = await deploy(play, undefined, { keys });
      assertEquals({ code, stdout, stderr, left }, { code: 130, stdout: "", stderr: "", left: [] });
      assertEquals(removals, [REMOVED]);
    });
  }
});

/** A port that nobody listens on. */
function unusedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

suite("local deploy --foreground", () => {
  const FOREGROUND = ["--port", "0", "--foreground"];
  const isAddress = (text: string): boolean => text.startsWith("http://");

  it("passes the log on, stops the server at Ctrl-C, and leaves nothing", async () => {
    const keys = new Keys();
    await using servers = new AsyncDisposableStack();
    const play: Play = {
      program: (container) => {
        container.err("loading\n");
        servers.use(answering(container));
      },
      onStop: ({ err, end }) => {
        err("good bye\n");
        end(0);
      },
    };
    const onOutput = (text: string) => isAddress(text) ? keys.press() : undefined;
    const result = await deploy(play, FOREGROUND, { keys, onOutput });
    const { code, stdout, stderr, engine, removals, left, ports } = result;
    assertEquals({ code, stdout, stderr }, {
      code: 130,
      stdout: `http://localhost:${ports[0]}\n`,
      stderr: "loading\ngood bye\n",
    });
    const queries = (call: string) => engine.callsOf(call).map(({ query }) => query);
    assertEquals(queries("POST /containers/ID/stop"), [{ t: "30" }]);
    assertEquals([removals, left], [[REMOVED], []]);
    assertEquals(queries("GET /containers/ID/logs"), [
      { stdout: "1", stderr: "1", tail: "all", follow: "1" },
    ]);
  });

  /** How many lines were passed on before the removal, to who takes one after the other. */
  async function passedBefore(play: (servers: AsyncDisposableStack) => Play) {
    const keys = new Keys();
    await using servers = new AsyncDisposableStack();
    let passed = 0;
    let before: number | undefined;
    const { code, stderr } = await deploy(
      {
        ...play(servers),
        before: (call) => {
          if (call === "DELETE /containers/ID") before = passed;
        },
      },
      FOREGROUND,
      {
        keys,
        // While everything else goes on.
        onOutput: async (text) => {
          if (isAddress(text)) return keys.press();
          await new Promise((resolve) => setTimeout(resolve));
          passed++;
        },
      },
    );
    return { code, before, stderr };
  }
  const LINES = 20;
  const writes = (status: number) => ({ out, end }: FakeContainer): void => {
    for (let line = 0; line < LINES; line++) out("saving\n");
    end(status);
  };

  it("removes the server only when its last lines were passed on", async () => {
    const { code, before } = await passedBefore((servers) => ({
      program: (container) => void servers.use(answering(container)),
      onStop: writes(0),
    }));
    assertEquals([code, before], [130, LINES]);
  });

  it("removes one that is not ready only when its last lines were passed on", async () => {
    const { code, before, stderr } = await passedBefore(() => ({ program: writes(3) }));
    assertEquals([code, before], [1, LINES], stderr);
  });

  it("ends with a server that ends by itself", async () => {
    await using servers = new AsyncDisposableStack();
    let server: FakeContainer | undefined;
    const program = (container: FakeContainer): void => {
      servers.use(answering(container));
      server = container;
    };
    const onOutput = (text: string) => isAddress(text) ? server?.end(2) : undefined;
    const { code, stderr, removals, left } = await deploy({ program }, FOREGROUND, { onOutput });
    assertEquals([code, removals, left], [1, [REMOVED], []]);
    assertMatch(
      stderr,
      /^error: The server stopped unexpectedly: exit code 2\nhint: See its log above\n$/,
    );
  });

  it("ends where nobody reads the log", async () => {
    const play: Play = { program: ({ out }) => out("loading\n") };
    const onOutput = () => Promise.reject(new OutputClosed());
    const { code, stderr, removals, left } = await deploy(play, FOREGROUND, { onOutput });
    assertEquals([code, stderr, removals, left], [141, "", [REMOVED], []]);
  });
});

suite("a server whose address cannot be written", () => {
  for (
    const [title, refusal, code, words] of [
      ["to a full disk", () => new MlcliError("Cannot write to standard output: No room"), 1, /./],
      ["since nobody reads", () => new OutputClosed(), 141, /^warning: The server is running/],
    ] as const
  ) {
    it(`${title} runs on, and is named on standard error`, async () => {
      const onOutput = () => Promise.reject(refusal());
      const { stderr, left, ports, ...result } = await deploy({}, undefined, { onOutput });
      assertEquals([result.code, left.length], [code, 1]);
      const port = ports[0];
      assertStringIncludes(
        stderr,
        `warning: The server is running on http://localhost:${port}\n` +
          `hint: Stop it: mlcli local stop --port ${port}\n`,
      );
      assertMatch(stderr, words);
    });

    it(`${title} is stopped where it stays in the foreground`, async () => {
      const onOutput = () => Promise.reject(refusal());
      const { left, ...result } = await deploy({}, ["--port", "0", "--foreground"], { onOutput });
      assertEquals([result.code, left], [code, []]);
    });
  }
});
