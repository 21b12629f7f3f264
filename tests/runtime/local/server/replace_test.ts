import { assertEquals, assertMatch } from "@std/assert";
import { completeApp, markOf } from "../../../helpers/app.ts";
import {
  type FakeContainer,
  fakeContainers,
  type Play,
  portOf,
} from "../../../helpers/fake_containers.ts";
import { refusal } from "../../../helpers/fake_engine.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import { pingServer } from "../../../helpers/ping_server.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A run, and what became of the servers. */
interface Replaced extends ProgramResult {
  readonly port: number;
  /** What was done to the old container, and to new ones, in order, from the first creation on. */
  readonly course: readonly string[];
  /** The names of new containers that are left. */
  readonly left: readonly string[];
}

const CHANGES =
  /^(?:POST \/containers\/(?:create|ID\/(?:start|stop|rename))|DELETE \/containers\/ID)$/;

/** What is different: of the old server, and of the new ones. */
interface Old {
  /** What the nth new server does instead of answering. */
  readonly fails?: readonly [nth: number, how: (container: FakeContainer) => void];
  readonly app?: string;
  readonly state?: string;
  /** Where its app lies; undefined: nobody knows. */
  readonly directory?: string;
  /** Where it is published, instead of on its port. */
  readonly published?: number;
}

/** Runs `local deploy --replace` where a server of the app is on the port. */
async function replace(
  play: Play = {},
  { app: other, state = "running", directory, published, fails: [nth, fail] = [0, () => {}] }: Old =
    {},
  keys = new Keys(),
): Promise<Replaced> {
  await using app = await completeApp();
  await using servers = new AsyncDisposableStack();
  const port = freePort();
  let starts = 0;
  const owner = other ?? app.name;
  const old = {
    Id: "old",
    Names: [`/mlcli-${owner}-serve-${port}`],
    State: state,
    Image: "x",
    Labels: {
      "mlcli.app": owner,
      "mlcli.role": "serve",
      "mlcli.port": String(port),
      ...directory === undefined ? {} : labelsOf(directory === "own" ? app.directory : directory),
    },
    Ports: [{ PublicPort: published ?? port }],
  };
  await using engine = await fakeContainers({
    program: (container) => {
      if (++starts === nth) return fail(container);
      servers.use(pingServer(portOf(container.body)));
    },
    containers: [old as never],
    ...play,
  });
  const args = ["local", "deploy", "--replace", "--port", String(port)];
  const result = await runInProcess(args, { cwd: app.directory, engine, keys });
  const course = engine.calls.flatMap(({ call, query }) => {
    const kind = call.replace(/containers\/(?!create)[^/]+/, "containers/ID");
    if (!CHANGES.test(kind)) return [];
    const what = kind.split("/").at(-1)!.replace("ID", "remove");
    const whose = call.includes("/old") ? "old" : "new";
    const name = query["name"]?.replace(app.name, "APP").replace(/[0-9a-f]{8}$/, "SPARE");
    const where = name?.replace(new RegExp(`-${port}\\b`), "-PORT").replace(/-\d+$/, "-FREE");
    return [[what === "create" ? "" : `${whose} `, what, where && ` ${where}`].join("")];
  });
  return { ...result, port, course, left: [...engine.left] };
}

/** What a server's labels say of where its app lies. */
function labelsOf(directory: string): Readonly<Record<string, string>> {
  const base = `${directory}/app/mlcli_base`;
  const made = { host: Deno.hostname(), base, code: "", model: "", image: "x", imageId: "x" };
  return { "mlcli.directory": markOf(directory), "mlcli.made-of": JSON.stringify(made) };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

const TRIAL = ["create mlcli-APP-serve-FREE", "new start", "new remove"];
const TURN = [
  "old rename mlcli-APP-serve-PORT-SPARE",
  "create mlcli-APP-serve-PORT",
  "old stop",
  "new start",
];
const BACK = ["new remove", "old rename mlcli-APP-serve-PORT", "old start"];

suite("local deploy --replace", () => {
  it("has the new server prove itself, and then takes the place of the old one", async () => {
    const { code, stdout, stderr, port, course, left } = await replace();
    assertEquals(code, 0, stderr);
    assertEquals(stdout, `http://localhost:${port}\n`);
    assertMatch(
      stderr,
      /^note: Replaced the server; port \d+ did not respond for \d+\.\d\d s\n$/,
    );
    assertEquals(course, [...TRIAL, ...TURN, "old remove"]);
    assertEquals(left.length, 1);
  });

  it("takes the place of this directory's, and leaves the same app's of another one", async () => {
    assertEquals((await replace({}, { directory: "own" })).code, 0);
    const { code, stdout, stderr, port, course } = await replace({}, {
      directory: "/home/me/clone",
    });
    assertEquals([code, stdout, course], [1, "", []]);
    assertMatch(
      stderr,
      new RegExp(
        `^error: Port already in use: ${port} \\(by the server of test-\\w+ in /home/me/clone\\)\n` +
          `hint: Stop the server with mlcli local stop --port ${port} --yes, or choose another --port`,
      ),
    );
  });

  it("starts a server where there is none, and says nothing of a pause", async () => {
    const { code, stderr, course } = await replace({ containers: [] });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(course, ["create mlcli-APP-serve-PORT", "new start"]);
  });

  it("removes one that has ended, and starts another", async () => {
    const { code, stderr, course } = await replace({}, { state: "exited" });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(course, ["old remove", "create mlcli-APP-serve-PORT", "new start"]);
  });

  for (
    const [title, old, owner] of [
      ["of another app", { app: "other" }, "other"],
      ["that is paused", { state: "paused" }, undefined],
      ["of --watch", { published: 1 }, undefined],
    ] as const
  ) {
    it(`leaves a server ${title} alone`, async () => {
      const { code, stdout, stderr, port, course } = await replace({}, old);
      assertEquals([code, stdout, course], [1, "", []]);
      assertMatch(
        stderr,
        new RegExp(`^error: Port already in use: ${port} \\(by the server of ${owner ?? "test-"}`),
      );
    });
  }

  it("leaves the old one serving where the new one does not answer", async () => {
    const { code, stdout, stderr, course, left } = await replace({}, {
      fails: [1, ({ err, end }) => {
        err("no such module\n");
        end(3);
      }],
    });
    assertEquals([code, stdout, course, left], [1, "", TRIAL, []]);
    assertMatch(
      stderr,
      /^note: The previous server keeps running\nerror: The server exited before it was ready: exit code 3\n {2}no such/,
    );
  });

  it("starts the old one again where the new one does not answer a second time", async () => {
    const { code, stdout, stderr, course, left } = await replace({}, {
      fails: [2, ({ end }) => end(3)],
    });
    assertEquals([code, stdout, left], [1, "", []]);
    assertEquals(course, [...TRIAL, ...TURN, ...BACK]);
    assertMatch(
      stderr,
      /^note: Restarted the previous server\nerror: The server exited before/,
    );
  });

  it("starts the old one again after Ctrl-C", async () => {
    const keys = new Keys();
    let stops = 0;
    const before = (call: string): void => {
      if (call === "POST /containers/ID/stop" && stops++ === 0) keys.press();
    };
    const { code, stdout, stderr, course, left } = await replace({ before }, {}, keys);
    assertEquals([code, stdout, left], [130, "", []]);
    assertEquals(course, [...TRIAL, ...TURN.slice(0, 3), ...BACK]);
    assertEquals(stderr, "note: Restarted the previous server\n");
  });

  it("says so where the old one does not start again", async () => {
    const { code, stderr } = await replace({
      answers: { "POST /containers/old/start": () => refusal(500, "port is already allocated") },
    }, { fails: [2, ({ end }) => end(3)] });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /warning: Cannot restart the previous server: .*port is already allocated/,
    );
    assertMatch(stderr, /hint: Start a new one: mlcli local deploy --port \d+/);
  });

  it("does not go with --foreground", async () => {
    await using app = await completeApp();
    const { code, stderr } = await runInProcess(
      ["local", "deploy", "--replace", "--foreground"],
      { cwd: app.directory },
    );
    assertEquals(code, 2);
    assertMatch(stderr, /^error: Options "--replace" and "--foreground" cannot be used together\n/);
  });
});
