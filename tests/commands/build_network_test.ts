import { assertEquals } from "@std/assert";
import { extract } from "tar-stream";
import { completeApp } from "../helpers/app.ts";
import { type Answers, type FakeEngine, fakeEngine, pong } from "../helpers/fake_engine.ts";
import { runInProcess } from "../helpers/in_process.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const MOUNT = "--mount=type=bind,source=.mlcli-build,target=/run/mlcli-build";
const IMAGE = { Created: "2026-01-01T00:00:00Z", Os: "linux", Architecture: "amd64" };
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

/** The files of a tar archive, by their paths. */
async function filesIn(archive: ReadableStream<Uint8Array>): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const unpacker = extract();
  const feeding = (async () => {
    for await (const bytes of archive) unpacker.write(bytes);
    unpacker.end(undefined);
  })();
  for await (const entry of unpacker) {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of entry) text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (entry.header.type === "file") files[entry.header.name] = text;
  }
  await feeding;
  return files;
}

/** Runs mlcli build in an app whose requirements name a package. */
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
      for (const [path, text] of Object.entries(await filesIn(request.body!))) {
        if (path.startsWith(".mlcli-build/")) sent[path] = text;
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

suite("mlcli build and this machine's network", () => {
  it("hands it to the step that asks for it, and says where there is a password, not which", async () => {
    const { code, stderr, sent, query } = await build(`FROM x\nRUN ${MOUNT} /opt/mlcli/install\n`);
    assertEquals({ code, stderr }, {
      code: 0,
      stderr: "note: The password or token in PIP_INDEX_URL and HTTPS_PROXY goes to the steps of " +
        "this build that mount it. By itself it gets into no layer; --no-network-settings keeps it here\n",
    });
    assertEquals(sent, {
      ".mlcli-build/environment": `export HTTPS_PROXY='${VARIABLES.HTTPS_PROXY}'\n` +
        `export PIP_INDEX_URL='${VARIABLES.PIP_INDEX_URL}'\n`,
    });
    // Arguments and labels stay in the image's history.
    assertEquals(query.includes("secret"), false);
  });

  it("says nothing where no password is handed over", async () => {
    const env = { PIP_INDEX_URL: "https://pypi.corp/simple" };
    const { stderr, sent } = await build(`FROM x\nRUN ${MOUNT} x\n`, [], env);
    assertEquals(stderr, "");
    assertEquals(Object.keys(sent), [".mlcli-build/environment"]);
  });

  it("names the line that an older Dockerfile lacks, and keeps all of it", async () => {
    const { code, stderr, sent, app } = await build("FROM x\nRUN /opt/mlcli/install\n");
    assertEquals({ code, stderr, sent }, {
      code: 0,
      stderr: `warning: ${app}/mlcli_base/Dockerfile does not let pip use this machine's network ` +
        "settings: PIP_INDEX_URL and HTTPS_PROXY\nhint: Add this line to the Dockerfile, between RUN and " +
        `/opt/mlcli/install, and run mlcli build: ${MOUNT}\n`,
      sent: {},
    });
  });

  it("keeps it where the Dockerfile would copy it into the image", async () => {
    const { stderr, sent } = await build(`FROM x\nRUN ${MOUNT} x\nCOPY . /src\n`);
    assertEquals(
      stderr,
      "warning: This machine's network settings (PIP_INDEX_URL and HTTPS_PROXY) are not handed " +
        "to pip: the Dockerfile copies ., which would put them into the image\n" +
        "hint: Copy what the image needs, such as ${APP}/ after ARG APP of the same stage.\n",
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
        `Add this line to the Dockerfile, between RUN and /opt/mlcli/install, and run mlcli build: ${MOUNT}`,
    }]);
  });
});
