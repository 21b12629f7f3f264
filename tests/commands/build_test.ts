import { assert, assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../helpers/app.ts";
import {
  type Answers,
  type FakeEngine,
  fakeEngine,
  pong,
  refusal,
} from "../helpers/fake_engine.ts";
import { runInProcess } from "../helpers/in_process.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { screenOf } from "../helpers/screen.ts";
import { it, suite } from "../helpers/suite.ts";
import { entriesOf } from "../helpers/tar.ts";
import { type TerminalResult, watchOnTerminal } from "../helpers/terminal.ts";

const FIRST = [
  { stream: "Step 1/3 : FROM python:3.12-slim\n" },
  { stream: "Step 2/3 : COPY a b\n" },
  { stream: " ---> Using cache\n" },
  { stream: "Step 3/3 : RUN --mount=type=cache,target=/c pip install -r /opt/requirements.txt\n" },
  { stream: "Collecting numpy (from -r /opt/requirements.txt (line 1))\n" },
  { stream: "\x1b]0;mine\x07Downloading \x1b[32mnumpy-2.4.6-cp311-cp311-manylinux_2_27.whl\n" },
  { stream: "10%\r20%" },
];

/** Builds on a terminal; what comes at the end is said, or typed, once the output is on the screen. */
async function buildOnTerminal(
  [columns, rows]: readonly [columns: number, rows: number],
  end: { readonly last: readonly unknown[] } | { readonly keys: string },
): Promise<TerminalResult & { readonly app: string; readonly frame: readonly string[] }> {
  await using app = await completeApp();
  const { promise: shown, resolve } = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  const lines = (messages: readonly unknown[]) =>
    encoder.encode(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  async function* said(): AsyncGenerator<Uint8Array, void, void> {
    yield lines(FIRST);
    await shown;
    if ("last" in end) yield lines(end.last);
  }
  let isBuilt = false;
  await using engine = await fakeEngine((call) => {
    if (call === "GET /_ping") return () => pong("1.41");
    if (call !== "POST /build") {
      return () =>
        isBuilt
          ? Response.json({ Os: "linux", Architecture: "amd64" })
          : refusal(404, "No such image");
    }
    return async (request) => {
      isBuilt = true;
      await request.body?.pipeTo(new WritableStream());
      return new Response(ReadableStream.from(said()));
    };
  });
  let frame: readonly string[] = [];
  const result = await watchOnTerminal(["build"], {
    cwd: app.directory,
    columns,
    rows,
    env: { DOCKER_HOST: `unix://${engine.socket}` },
    onScreen(screen) {
      // What was drawn is whole when the next drawing begins, and the clocks see to that.
      const drawn = screen.slice(0, Math.max(0, screen.search(/\r\r(?!\n)(?!.*\r\r(?!\n))/s)));
      if (frame.length > 0 || !drawn.includes("20%")) return undefined;
      frame = screenOf(drawn, columns);
      if ("keys" in end) return end.keys;
      resolve();
      return undefined;
    },
  });
  resolve();
  return { ...result, app: app.name, frame };
}

function timeless(line: string, app: string): string {
  return line.replaceAll(app, "APP").replaceAll(/ *\d+\.\ds/g, " T");
}

const BUILT = [{ stream: "\n" }, { aux: { ID: "sha256:abc" } }];

suite("mlcli build on a terminal", () => {
  it("of 80 columns shows its steps and what the running one says, and leaves a line", async () => {
    const { code, screen, frame, app } = await buildOnTerminal([80, 24], { last: BUILT });
    assertEquals(frame.map((line) => timeless(line, app)), [
      "Building APP:latest ( T)",
      "✓ [1/3] FROM python:3.12-slim T",
      "✓ [2/3] COPY a b                                                         cached",
      "• [3/3] RUN pip install -r /opt/requirements.txt T",
      "    Collecting numpy (from -r /opt/requirements.txt (line 1))",
      "    Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27.whl",
      "    20%",
    ]);
    assertEquals([code, screenOf(screen, 80).map((line) => timeless(line, app))], [0, [
      "Built APP:latest in T (1 of 3 steps cached)",
      "APP:latest",
    ]]);
  });

  it("of 40 columns and 10 lines stays within them", async () => {
    const { code, screen, frame, app } = await buildOnTerminal([40, 10], { last: BUILT });
    assert(frame.every((line) => line.length < 40), frame.join("\n"));
    assertEquals(frame.slice(2).map((line) => timeless(line, app)), [
      "✓ [2/3] COPY a b                 cached",
      "• [3/3] RUN pip install -r /opt/r… T",
      "    Collecting numpy (from -r /opt/req…",
      "    Downloading numpy-2.4.6-cp311-cp31…",
      "    20%",
    ]);
    assertEquals([code, screenOf(screen, 40).at(-1)], [0, `${app}:latest`]);
  });

  it("that fails leaves the failing step's output and the error", async () => {
    const last = [{ stream: "\nno such package\n" }, { errorDetail: { message: "exit 1" } }];
    const { code, screen } = await buildOnTerminal([80, 24], { last });
    assertEquals([code, screenOf(screen, 80).slice(0, 6)], [1, [
      "[3/3] RUN pip install -r /opt/requirements.txt",
      "Collecting numpy (from -r /opt/requirements.txt (line 1))",
      "Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27.whl",
      "20%",
      "no such package",
      "error: Build failed: exit 1",
    ]]);
  });

  it("that is interrupted leaves nothing, and the cursor as it was", async () => {
    // So narrow that an echo behind the last line would begin another one.
    const { code, screen } = await buildOnTerminal([8, 24], { keys: "\x03" });
    assertEquals(code, 130);
    assertMatch(screen, /\^C/); // the terminal's own echo
    assertEquals(screenOf(screen, 8), []);
    assert(!screen.includes("\x1b[?"), "no mode of the terminal was changed");
  });
});

const MOUNT = "--mount=type=bind,source=.mlcli-build,target=/run/mlcli-build";
const IMAGE = {
  Id: "sha256:abc",
  Created: "2026-01-01T00:00:00Z",
  Os: "linux",
  Architecture: "amd64",
};
const VARIABLES = {
  PIP_INDEX_URL: "https://me:index-secret@pypi.corp/simple",
  HTTPS_PROXY: "http://me:proxy-secret@proxy:3128",
};

/** What a build printed, asked for, and sent as settings of the network. */
interface Build extends ProgramResult {
  readonly app: string;
  readonly query: string;
  readonly sent: Readonly<Record<string, string>>;
}

async function build(
  dockerfile: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = VARIABLES,
): Promise<Build> {
  await using app = await completeApp({
    files: { Dockerfile: dockerfile, "../../requirements.txt": "pandas\n" },
  });
  const sent: Record<string, string> = {};
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    "GET /info": () => Response.json({}),
    "POST /build": async (request) => {
      for (const [path, { header, text }] of await entriesOf(request.body!)) {
        if (header.type === "file" && path.startsWith(".mlcli-build/")) sent[path] = text;
      }
      return new Response(`${JSON.stringify({ aux: { ID: "sha256:abc" } })}\n`);
    },
  };
  await using engine: FakeEngine = await fakeEngine((call) =>
    call.startsWith("GET /images/")
      ? () => Response.json({ ...IMAGE, Config: { Labels: { "mlcli.app": app.name } } })
      : answers[call]
  );
  const result = await runInProcess(["build", ...args], {
    cwd: app.directory,
    engine,
    env,
  });
  const { query } = engine.calls.find(({ call }) => call === "POST /build")!;
  // How long it took is another test's.
  const stderr = result.stderr.replace(/^Built .*\n$/m, "");
  return { ...result, stderr, app: app.name, query: JSON.stringify(query), sent };
}

suite("the result of mlcli build", () => {
  it("is the image's name, or JSON", async () => {
    const { app, stdout } = await build("FROM x\n", ["--quiet", "--output", "json"], {});
    assertEquals(JSON.parse(stdout), { image: `${app}:latest`, id: "sha256:abc" });
    const text = await build("FROM x\n", [], {});
    assertEquals(text.stdout, `${text.app}:latest\n`);
  });
});

suite("mlcli build and this machine's network", () => {
  it("hands it to the step that asks for it, and says where there is a password, not which", async () => {
    const { code, stderr, sent, query } = await build(`FROM x\nRUN ${MOUNT} /opt/mlcli/install\n`);
    assertEquals({ code, stderr }, {
      code: 0,
      stderr:
        "note: Build steps can mount the credentials in PIP_INDEX_URL and HTTPS_PROXY, but the " +
        "image does not store them (to withhold them: --no-network-settings)\n",
    });
    assertEquals(sent, {
      ".mlcli-build/environment": `export HTTPS_PROXY='${VARIABLES.HTTPS_PROXY}'\n` +
        `export PIP_INDEX_URL='${VARIABLES.PIP_INDEX_URL}'\n`,
    });
    // Arguments and labels stay in the image's history.
    assertEquals(query.includes("secret"), false);
  });

  it("keeps it where the Dockerfile would copy it into the image", async () => {
    const { stderr, sent } = await build(`FROM x\nRUN ${MOUNT} x\nCOPY . /src\n`);
    assertEquals(
      stderr,
      "warning: pip cannot use this machine's network settings (PIP_INDEX_URL and HTTPS_PROXY): " +
        "the Dockerfile copies ., which would put them into the image\n" +
        "hint: Copy only what the image needs, such as ${APP}/ after ARG APP in the same stage\n",
    );
    assertEquals(sent, {});
  });

  it("keeps it with --no-network-settings, without a word", async () => {
    const { stderr, sent } = await build(
      `FROM x\nRUN ${MOUNT} x\n`,
      ["--no-network-settings"],
    );
    assertEquals([stderr, sent], ["", {}]);
  });

  it("is looked at by mlcli doctor, too", async () => {
    await using app = await completeApp({
      files: { Dockerfile: "FROM x\n", "../../requirements.txt": "pandas\n" },
    });
    const { stdout } = await runInProcess(["doctor", "--output", "json"], {
      cwd: app.directory,
      env: VARIABLES,
    });
    const found = JSON.parse(stdout).filter(({ name }: { name: string }) => name === "network");
    assertEquals(found, [{
      name: "network",
      status: "warning",
      message: `${app.name}/mlcli_base/Dockerfile does not let pip use this machine's network ` +
        "settings: PIP_INDEX_URL and HTTPS_PROXY",
      hint:
        `Add this option to the Dockerfile, between RUN and /opt/mlcli/install, then run mlcli build: ${MOUNT}`,
    }]);
  });
});
