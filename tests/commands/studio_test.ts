import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp, type TestAppOptions } from "../helpers/app.ts";
import {
  type FakeContainers,
  fakeContainers,
  FOREIGN_IMAGE,
  type Play,
} from "../helpers/fake_containers.ts";
import { Box } from "../helpers/box/box.ts";
import { commandsWith, LOCAL_COMMANDS, wordsWith } from "../helpers/command_lines.ts";
import { type Answers, pong } from "../helpers/fake_engine.ts";
import { makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { pingServer } from "../helpers/ping_server.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { hiding } from "../helpers/replaced.ts";
import { besidesRun } from "../helpers/runs.ts";
import { it, suite } from "../helpers/suite.ts";
import { entriesOf } from "../helpers/tar.ts";
import { connectToEngine } from "../../runtime/docker/connect.ts";
import { freePort } from "../../runtime/serving/ports.ts";

/** Studio's engine says its version alone; without one, nothing. */
const MOVED: Answers = {
  "GET /_ping": () => new Response("", { status: 301, headers: { Location: "http://192.0.2.2/" } }),
  "GET /version": () => Response.json({ Version: "20.10.25", ApiVersion: "1.41", Arch: "amd64" }),
};

function space(): Promise<TestDirectory> {
  const metadata = JSON.stringify({ AppType: "CodeEditor", DomainId: "d-0a1b" });
  return makeDirectory({ "opt/ml/metadata/resource-metadata.json": metadata });
}

interface Ran extends ProgramResult {
  readonly engine: FakeContainers;
}

async function inStudio(
  args: (app: TestApp) => readonly string[],
  play: Play = {},
  options: TestAppOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  await using root = await space();
  await using app = await completeApp(options);
  await using engine = await fakeContainers({ ...play, answers: { ...MOVED, ...play.answers } });
  const system = { os: "linux", root: root.path } as const;
  const result = await runInProcess(args(app), { cwd: app.directory, engine, system, env });
  return { ...result, engine };
}

/** Requires that each local command that has an option refuses it in Studio. */
async function assertRefused(option: readonly string[], message: string): Promise<void> {
  const files = { "../../rows.csv": "1\n" };
  const commands = await commandsWith(option[0]!);
  for (const name of commands.filter((name) => LOCAL_COMMANDS.includes(name))) {
    const { code, stderr, engine } = await inStudio(() => wordsWith(name, ...option), {}, {
      files,
    });
    const created = engine.created.length;
    assertEquals({ name, code, created }, { name, code: 1, created: 0 }, stderr);
    assertStringIncludes(stderr, message);
  }
}

/** A refusal in the filter's form: text that holds JSON. */
function forbidden(message: string): Response {
  return new Response(JSON.stringify({ message }), { status: 403 });
}

suite("in SageMaker Studio", () => {
  it("each call names the version, and no call is redirected", async () => {
    const { code, stderr, engine } = besidesRun(await inStudio(() => ["local", "train"]));
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(engine.requests.filter((one) => !/^\w+ \/v1\.41\//.test(one)), []);
  });

  it("a redirected ping is no engine's elsewhere, either: a path with a version is asked", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({ answers: MOVED });
    const { code, stderr } = besidesRun(
      await runInProcess(["local", "train"], { cwd: app.directory, engine }),
    );
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(engine.requests.slice(0, 2), ["GET /_ping", "GET /v1.41/version"]);
    // It is an ordinary one behind something that redirects.
    assertEquals(engine.created[0].Hostname, "algo-1");
  });

  it("without a socket, the hint is how the domain allows Docker", async () => {
    await using root = await space();
    await using app = await completeApp();
    using _hidden = hiding("/var/run/docker.sock");
    const system = { os: "linux", root: root.path } as const;
    const options = { cwd: app.directory, system };
    const train = await runInProcess(["local", "train"], options);
    assertEquals(train.code, 1);
    assertMatch(
      train.stderr,
      /no such socket\nhint: Enable Docker for the domain with this command, then restart this space: aws /,
    );
    assertStringIncludes(
      train.stderr,
      "sagemaker update-domain --domain-id d-0a1b --domain-settings",
    );
    const doctor = await runInProcess(["doctor"], options);
    assertStringIncludes(
      doctor.stdout,
      "Running in SageMaker Studio (CodeEditor); its domain does not allow Docker",
    );
  });

  it("doctor tells of rootless Docker, where servers are elsewhere", async () => {
    const { stdout } = await inStudio(() => ["doctor"], {
      answers: {
        "GET /info": () => Response.json({ SecurityOptions: ["name=rootless"] }),
      },
    });
    assertStringIncludes(
      stdout,
      "Running in SageMaker Studio (CodeEditor); its domain allows Docker",
    );
    assertStringIncludes(stdout, "mlcli cannot reach servers on 172.17.0.1");
  });

  it("doctor --cloud says where the role of the space is found", async () => {
    await using root = await space();
    await using directory = await makeDirectory();
    await using aws = await Box.open();
    const { stdout } = await runInProcess(["doctor", "--cloud"], {
      cwd: directory.path,
      system: { os: "linux", root: root.path },
      cloud: aws.env(),
    });
    assertStringIncludes(stdout, "warning  No execution role is set");
    assertStringIncludes(stdout, "sagemaker.get_execution_role() returns the role");
  });

  const hint =
    `See "SageMaker Studio" in mlcli's documentation: Studio restricts what Docker can do`;
  for (
    const [title, message] of [
      [
        "a rule that is not known",
        "Forbidden. Reason: [ContainerCreate] SageMaker Studio Docker Usage does not allow x",
      ],
      ["a resource", "The request for current resource is not allowed on SageMaker Studio."],
    ] as const
  ) {
    it(`a refusal is said in the filter's words: ${title}`, async () => {
      const answers = { "POST /containers/create": () => forbidden(message) };
      const { code, stderr } = await inStudio(() => ["local", "train"], { answers });
      assertEquals({ code, stderr }, {
        code: 1,
        stderr: `error: The Docker Engine refused POST /containers/create (403): ${message}\n` +
          `hint: ${hint}\n`,
      });
    });
  }

  it("what the filter refuses after a run hides nothing of how it ended", async () => {
    const { code, stderr } = await inStudio(() => ["local", "train"], {
      program: ({ err, end }) => {
        err("no memory for that\n");
        end(137);
      },
      answers: {
        "GET /events": () => forbidden("The request for current resource is not allowed"),
        "GET /containers/ID/json": () => forbidden("The request for current resource is not"),
      },
    });
    assertEquals(code, 137);
    assertStringIncludes(stderr, "no memory for that\n");
    assertMatch(stderr, /error: .*137/);
  });

  it("a base image that the domain does not allow is refused in the filter's words", async () => {
    const words = "[ValidateVPCOnlyModeImage] Image python:3.12-slim is not an ECR Image";
    const { code, stderr } = await inStudio(() => ["build"], {
      image: null,
      answers: { "POST /images/create": () => forbidden(`Forbidden. Reason: ${words}`) },
    }, { files: { Dockerfile: "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n" } });
    assertEquals(code, 1);
    assertStringIncludes(stderr, words);
    assertStringIncludes(stderr, "hint: Use an image from an Amazon ECR account");
  });

  it("a build has the space's network, the classic builder, and a Dockerfile that it reads", async () => {
    const sent: Record<string, string> = {};
    const { code, engine, stderr } = await inStudio(() => ["build"], {
      answers: {
        "POST /build": async ({ body }) => {
          for (const [path, { text }] of await entriesOf(body!)) sent[path] = text;
          return new Response(`${JSON.stringify({ aux: { ID: "sha256:abc" } })}\n`);
        },
      },
    }, {
      files: {
        Dockerfile: "FROM scratch\nRUN --mount=type=cache,target=/c \\\n x\n",
        "../../requirements.txt": "pandas\n",
      },
    }, { DOCKER_BUILDKIT: "1", PIP_INDEX_URL: "https://me:secret@pypi.corp/simple" });
    assertEquals(code, 0, stderr);
    const { query } = engine.callsOf("POST /build")[0]!;
    assertEquals([query["networkmode"], query["version"]], ["sagemaker", undefined]);
    const [path] = Object.keys(sent).filter((one) => one.endsWith("/Dockerfile"));
    assertEquals(sent[path!], "FROM scratch\nRUN  \\\n x\n");
    assertEquals(Object.keys(sent).filter((one) => one.startsWith(".mlcli-build/.")), []);
    assertStringIncludes(
      stderr,
      "warning: pip cannot use this machine's network settings (PIP_INDEX_URL): ",
    );
    assertEquals(JSON.stringify(sent).includes("secret"), false);
  });

  it("what needs BuildKit is named", async () => {
    const { code, stderr } = await inStudio(() => ["build"], {}, {
      files: { Dockerfile: "FROM scratch\nRUN --network=none x\n" },
    });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Dockerfile:2: RUN --network=none ...");
    assertStringIncludes(stderr, "SageMaker Studio's Docker does not allow BuildKit");
  });

  it("an image that listens on 8080 alone is served there, and nowhere else", async () => {
    const port = 8081;
    const { code, stderr, engine } = await inStudio(
      () => ["local", "deploy", "--port", String(port)],
      { image: FOREIGN_IMAGE },
    );
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The server of .*:latest listens only on port 8080\nhint: In /m);
    assertEquals(engine.created, []);
  });

  for (
    const [title, image] of [
      ["mlcli's own", undefined],
      [
        "one that says that it takes the variable",
        {
          ...FOREIGN_IMAGE,
          Labels: { "com.amazonaws.sagemaker.capabilities.accept-bind-to-port": "true" },
        },
      ],
    ] as const
  ) {
    it(`${title} is told its port, and published nowhere`, async () => {
      await using server = new AsyncDisposableStack();
      const { code, stderr, engine } = await inStudio(
        () => ["local", "deploy", "--port", "0"],
        {
          image,
          program: ({ body }) => {
            const port = /SAGEMAKER_BIND_TO_PORT=(\d+)/.exec(body.Env!.join(" "))?.[1];
            server.use(pingServer(Number(port)));
          },
        },
      );
      assertEquals(code, 0, stderr);
      const [body] = engine.created;
      assertEquals(body.ExposedPorts ?? body.HostConfig.PortBindings ?? body.Hostname, undefined);
      assertEquals(body.HostConfig.NetworkMode, "sagemaker");
      assertEquals(body.Labels["mlcli.listens"], body.Labels["mlcli.port"]);
    });
  }

  it("a server of another app that is still starting uses the port", async () => {
    const port = freePort();
    const other = {
      Id: "other",
      Names: [`/mlcli-other-serve-${port}`],
      State: "created",
      // Just now: nobody has forgotten it.
      Created: Math.floor(Date.now() / 1000),
      Image: "x",
      Labels: { "mlcli.app": "other", "mlcli.role": "serve", "mlcli.port": String(port) },
    };
    let isThere = false;
    const { code, stderr, engine } = await inStudio(
      () => ["local", "deploy", "--port", String(port)],
      {
        answers: { "GET /containers/json": () => Response.json(isThere ? [other] : []) },
        before: (call) => void (isThere ||= call === "POST /containers/create"),
      },
    );
    assertEquals(code, 1);
    assertStringIncludes(stderr, `error: Port already in use: ${port} (by the server of other)`);
    assertEquals(engine.left, []);
    assertEquals(engine.callsOf("POST /containers/ID/start"), []);
  });

  for (
    const network of [
      ["--network", "db"],
      ["--network", "bridge"],
      ["--network-isolation"],
    ]
  ) {
    it(`each local command that has ${network[0]} refuses ${network.join(" ")} before anything`, async () => {
      const message = 'error: SageMaker Studio supports only the container network "sag';
      await assertRefused(network, message);
    });
  }

  it("each local command that has --publish rejects it before it creates a container", async () => {
    const message = "error: SageMaker Studio does not support publishing container ports\n";
    await assertRefused(["--publish", "5678"], message);
  });

  it("an engine elsewhere has none of these rules", async () => {
    await using root = await space();
    const engine = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => pong("1.41"),
    );
    const host = `tcp://127.0.0.1:${engine.addr.port}`;
    const found = await connectToEngine({
      env: (name) => name === "DOCKER_HOST" ? host : undefined,
      system: { root: root.path },
    });
    assertEquals([found.inStudio, found.builder], [false, "buildkit"]);
    found.close();
    await engine.shutdown();
  });
});
