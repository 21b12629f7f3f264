import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { fakeContainers, HARNESS_IMAGE } from "../../helpers/fake_containers.ts";
import { fakeClock } from "../../helpers/fake_context.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import { listedServer } from "../../helpers/fake_containers.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { rawServer } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const RUN = listedServer(1, {
  Names: ["/mlcli-demo-train-1a2b3c4d"],
  Labels: { "mlcli.app": "demo", "mlcli.role": "train", "mlcli.port": "" },
});
const EXITED = listedServer(2, { State: "exited", Status: "Exited (137) 2 hours ago" });
const DEAD = listedServer(3, { State: "dead", Status: "Dead" });
const CREATED = listedServer(4, { State: "created", Status: "Created" });

async function status(
  containers: readonly unknown[],
  args: readonly string[] = [],
  terminal: {
    readonly isTerminal?: boolean;
    readonly colour?: boolean;
    readonly columns?: number;
  } = {},
): Promise<ProgramResult> {
  await using engine = await fakeContainers({ containers: containers as never });
  return await runInProcess(["local", "status", ...args], { cwd: "/", engine, ...terminal });
}

suite("local status --output json", () => {
  // Other programs find resources by these names.
  const common = { app: "demo", image: "demo:latest" };
  const none = {
    port: null,
    ping_status: null,
    ping_failure: null,
    exit_status: null,
    model_run: null,
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
      const { stdout } = await status([listedServer(port)], ["--output", "json"]);
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
    const { stdout } = await status([listedServer(Number(closing.port))], ["--output", "json"]);
    const [{ state, ping_status, ping_failure }] = JSON.parse(stdout);
    assertEquals([state, ping_status], ["unhealthy", null]);
    assertEquals(ping_failure, "it closed the connection");
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

suite("local status asks each server", () => {
  it("and gives up on those that do not answer, on all at once", async () => {
    // They take connections, and leave it at that.
    using first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using second = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const ports = [first.addr.port, second.addr.port].sort((a, b) => a - b);
    const { stdout } = await status(ports.map((port) => listedServer(port)), ["--output", "json"]);
    const found = JSON.parse(stdout).map((row: Record<string, unknown>) => [
      ...[row["port"], row["state"], row["ping_status"]],
    ]);
    assertEquals(found, ports.map((port) => [port, "unhealthy", null]));
  });

  it("and shows the beginning of an image's id", async () => {
    const Image = `sha256:${"0123456789abcdef".repeat(4)}`;
    const { stdout } = await status([{ ...EXITED, Image }], ["--output", "json"]);
    assertEquals(JSON.parse(stdout)[0].image, "sha256:0123456789ab");
  });
});

suite("local status on a terminal", () => {
  it("is green for what is well, red for what has ended, and yellow in between", async () => {
    await using healthy = pingServer();
    await using busy = pingServer(0, 503);
    const containers = [
      listedServer(healthy.port),
      listedServer(busy.port),
      EXITED,
      DEAD,
      CREATED,
      RUN,
    ];
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
      /^APP +ROLE +PORT +HEALTH +AGE +IMAGE +MODEL\ndemo +serve +2 +exited \(137\) +\d+d +demo:latest +-\n$/,
    );
  });

  it("local status cuts images and models on a narrow terminal, and names the columns that do not fit", async () => {
    const server = { ...EXITED, Image: `team/${"long".repeat(10)}:1` };
    const narrow = await status([server], [], { isTerminal: true, columns: 60 });
    const row = /^demo +serve +2 +exited \(137\) +\d+d +team\/[long]+… +-$/m;
    assertMatch(narrow.stdout, row);
    assertEquals(narrow.stdout.split("\n").filter((line) => line.length > 60), []);
    assertEquals(narrow.stderr, "");
    const { stderr } = await status([server], [], { isTerminal: true, columns: 35 });
    const note = "note: Columns not shown: AGE, IMAGE, MODEL (use --output json)\n";
    assertEquals(stderr.replace(/\n +/g, " "), note);
  });

  it("local status says on a terminal that there is no server and no run, also of one app", async () => {
    for (const [args, whose] of [[[], ""], [["-a", "churm"], " of churm"]] as const) {
      const stderr = `No active servers or runs${whose}. Start a server: mlcli local deploy\n`;
      const expected = { code: 0, stdout: "", stderr };
      assertEquals(await status([], args, { isTerminal: true }), expected);
    }
    assertEquals(await status([]), { code: 0, stdout: "", stderr: "" });
  });
});

/** At which the edits of these tests were made, and later on that day. */
const EDITED = new Date("2026-03-01T12:03:00");
const NOW = new Date("2026-03-01T18:00:00");

interface Deployed {
  readonly app: TestApp;
  readonly port: number;
  /** Runs `local status` or `local invoke`. */
  readonly run: (args: readonly string[]) => Promise<ProgramResult>;
  /** The label that says what the server was made of, to be changed. */
  readonly labels: Record<string, string>;
  /** The image that is there now. */
  readonly image: Record<string, unknown>;
}

/** Deploys an app on an engine whose list shows that server, and calls `work`. */
async function deployed(work: (deployed: Deployed) => Promise<void>): Promise<void> {
  await using app = await completeApp();
  await using server = pingServer();
  const { port } = server;
  const listed: { Labels: Record<string, string> }[] = [];
  const image: Record<string, unknown> = {
    Id: "sha256:1",
    Created: "2026-03-01T10:00:00Z",
    Os: "linux",
    Architecture: "amd64",
    Config: HARNESS_IMAGE,
  };
  await using engine = await fakeContainers({
    program: () => {},
    answers: {
      "GET /containers/json": () => Response.json(listed),
      "GET /images/NAME/json": () => Response.json(image),
    },
  });
  const clock = fakeClock(NOW);
  const run = (args: readonly string[]) =>
    runInProcess(args, { cwd: app.directory, engine, clock });
  const { code, stderr } = await run(["local", "deploy", "--port", String(port)]);
  assertEquals(code, 0, stderr);
  const Labels = { ...engine.created[0].Labels };
  listed.push({
    ...{ Id: "c1", Names: [`/mlcli-${app.name}-serve-${port}`], Image: "demo:latest" },
    ...{ State: "running", Status: "Up", Created: 1_700_000_000, Ports: [], Labels },
  } as never);
  await work({ app, port, run, labels: Labels, image });
}

const STATUS = ["local", "status"];

async function edit(path: string, content = "edited"): Promise<void> {
  await Deno.writeTextFile(path, content);
  await Deno.utime(path, EDITED, EDITED);
  // A new file changes its directory.
  await Deno.utime(join(path, ".."), EDITED, EDITED);
}

/** Edits of a deployed app, and what is said of its server. */
const CASES: readonly (readonly [
  title: string,
  change: (deployed: Deployed) => Promise<void> | void,
  words: string | undefined,
])[] = [
  ["nothing was edited", () => {}, undefined],
  [
    "the prediction code was edited",
    ({ app }) => edit(app.path("prediction/serve")),
    "code edited 12:03",
  ],
  [
    "the code was written again as it was",
    ({ app }) => edit(app.path("prediction/serve"), ""),
    undefined,
  ],
  ["training code was edited", ({ app }) => edit(app.path("training/training.py")), undefined],
  ["a new model was trained", ({ app }) => edit(app.testPath("model/m")), "model trained 12:03"],
  [
    "all of them",
    async ({ app, image }) => {
      await edit(app.path("prediction/lib.py"));
      await edit(app.testPath("model/m"));
      await edit(app.path("prediction/serve"));
      Object.assign(image, { Id: "sha256:2", Created: "2026-02-28T09:05:00" });
    },
    "code edited 12:03, model trained 12:03, image built 2026-02-28 09:05",
  ],
  ["the model is gone", ({ app }) => Deno.remove(app.testPath("model/m")), undefined],
  [
    "the app was deployed from another machine",
    async ({ app, labels }) => {
      await edit(app.path("prediction/serve"));
      const made = JSON.parse(labels["mlcli.made-of"]!);
      labels["mlcli.made-of"] = JSON.stringify({ ...made, host: `${made.host}2` });
    },
    undefined,
  ],
  [
    "the app is not there any more",
    async ({ labels }) => {
      const made = JSON.parse(labels["mlcli.made-of"]!);
      labels["mlcli.made-of"] = JSON.stringify({ ...made, base: "/nonexistent" });
      await Promise.resolve();
    },
    undefined,
  ],
  ...["", "{", "[]", "null", '{"host":1}'].map((label) =>
    [
      `the label is ${label}, as an image may have it`,
      async ({ app, labels }: Deployed) => {
        await edit(app.path("prediction/serve"));
        labels["mlcli.made-of"] = label;
      },
      undefined,
    ] as const
  ),
];

suite("a server is stale", () => {
  for (const [title, change, words] of CASES) {
    it(`${words ? "" : "not "}where ${title}`, async () => {
      await deployed(async (one) => {
        const { app, port, run } = one;
        await change(one);
        const remedy = `; update it: mlcli local deploy --port ${port} --replace\n`;
        const status = await run(STATUS);
        assertMatch(status.stdout, words ? /\bstale\b/ : /\bhealthy\b/);
        assertEquals(
          status.stderr,
          words
            ? `note: The server of ${app.name} on port ${port} is stale: ${words}${remedy}`
            : "",
        );
        await Deno.writeTextFile(join(app.directory, "rows.csv"), "1\n");
        const answer = await run(["local", "invoke", "--port", String(port), "rows.csv"]);
        assertEquals(answer, {
          code: 0,
          stdout: "",
          stderr: words ? `note: The server is stale: ${words}${remedy}` : "",
        });
      });
    });
  }

  for (
    const [expires, words] of [
      ["2026-03-01T18:03:00", "AWS credentials expire 18:03"],
      ["2026-03-01T17:59:00", "AWS credentials expired 17:59"],
      ["2099-01-01T00:00:00", undefined],
      ["an unknown time", undefined],
    ] as const
  ) {
    it(`invoke and status call a server with credentials until ${expires} ${words ? "" : "not "}stale`, async () => {
      await deployed(async ({ app, port, run, labels }) => {
        const made = JSON.parse(labels["mlcli.made-of"]!);
        const credentials = { profile: "my team", expires: Date.parse(expires) };
        labels["mlcli.made-of"] = JSON.stringify({ ...made, credentials });
        await Deno.writeTextFile(join(app.directory, "rows.csv"), "1\n");
        const answer = await run(["local", "invoke", "--port", String(port), "rows.csv"]);
        const renewal = `--port ${port} --replace --aws-credentials 'my team'`;
        const note = `${words}; update it: mlcli local deploy ${renewal}\n`;
        assertEquals(answer.stderr, words ? `note: The server is stale: ${note}` : "");
        const listed = await run([...STATUS, "--output", "json"]);
        const at = JSON.parse(listed.stdout)[0].stale?.credentials_expire;
        assertEquals(at && new Date(at), words && new Date(expires));
      });
    });
  }

  it("status calls a server stale from five minutes before its AWS credentials expire", async () => {
    await deployed(async ({ run, labels }) => {
      const made = JSON.parse(labels["mlcli.made-of"]!);
      const staleIn = async (minutes: number) => {
        const credentials = { profile: "team", expires: Date.now() + minutes * 60_000 };
        labels["mlcli.made-of"] = JSON.stringify({ ...made, credentials });
        return JSON.parse((await run([...STATUS, "--output", "json"])).stdout)[0].stale !== null;
      };
      assertEquals([await staleIn(4), await staleIn(6)], [true, false]);
    });
  });

  it("the command that replaces a server gives the new one the credentials of the profile", async () => {
    await deployed(async ({ app, port, run, labels }) => {
      const made = JSON.parse(labels["mlcli.made-of"]!);
      labels["mlcli.made-of"] = JSON.stringify({ ...made, credentials: { profile: "team" } });
      await edit(app.path("prediction/serve"));
      assertEquals(
        (await run(STATUS)).stderr,
        `note: The server of ${app.name} on port ${port} is stale: code edited 12:03; update it: ` +
          `mlcli local deploy --port ${port} --replace --aws-credentials team\n`,
      );
    });
  });

  it("the command that replaces a server keeps the run that was chosen, and status names it", async () => {
    await deployed(async ({ app, port, run, labels }) => {
      const made = JSON.parse(labels["mlcli.made-of"]!);
      labels["mlcli.made-of"] = JSON.stringify({ ...made, model: "" });
      labels["mlcli.model"] = "best-run";
      await edit(app.path("prediction/serve"));
      const { stdout, stderr } = await run(STATUS);
      assertMatch(stdout, / {2}best-run\n$/);
      assertEquals(
        stderr,
        `note: The server of ${app.name} on port ${port} is stale: code edited 12:03; update it: ` +
          `mlcli local deploy --port ${port} --replace --run best-run\n`,
      );
    });
  });

  it("local status prints the time of creation and the whole name of a run in a pipe", async () => {
    await deployed(async ({ app, run, labels }) => {
      labels["mlcli.model"] = `${app.name}-1`;
      const [, , , , created, , model] = (await run(STATUS)).stdout.trimEnd().split("  ");
      assertMatch(created!, /^20\d\d-\d\d-\d\dT\d\d:\d\d:/);
      assertEquals(model, `${app.name}-1`);
    });
  });

  it("and status says when in JSON", async () => {
    await deployed(async (one) => {
      const asked = [...STATUS, "--output", "json"];
      assertEquals(JSON.parse((await one.run(asked)).stdout)[0].stale, null);
      await edit(one.app.path("prediction/serve"));
      const { stdout, stderr } = await one.run(asked);
      const [{ state, stale }] = JSON.parse(stdout);
      assertEquals(stderr, "");
      assertEquals([state, stale.model_trained, stale.image_built], ["healthy", null, null]);
      assertEquals(new Date(stale.code_edited), EDITED);
    });
  });
});
