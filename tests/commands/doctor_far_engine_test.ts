import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { pong } from "../helpers/fake_engine.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

/** That the template sets. */
const BIND_LABEL = "com.amazonaws.sagemaker.capabilities.accept-bind-to-port";

/** When the image was built; the app's files are older, but for those that a test makes newer. */
const BUILT = new Date("2024-02-29T12:00:00Z");
const BEFORE = new Date("2024-02-29T11:59:59Z");
const AFTER = new Date("2024-02-29T12:00:01Z");

/** An engine that answers on TCP or on a socket, as others do. */
interface Engine extends AsyncDisposable {
  /** For `DOCKER_HOST`. */
  readonly host: string;
}

/** What it says of itself, with an app's image. */
async function engine(
  app: TestApp,
  listen: "tcp" | "unix",
  info: Readonly<Record<string, unknown>>,
): Promise<Engine> {
  const folder = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  const unexpected: string[] = [];
  const handler = (request: Request): Response => {
    const path = new URL(request.url).pathname.replace(/^\/v[\d.]+/, "");
    switch (`${request.method} ${path}`) {
      case "GET /_ping":
        return pong("1.41");
      case "GET /version":
        return Response.json({ Version: "20.10.24", ApiVersion: "1.41", Arch: "amd64" });
      case "GET /info":
        return Response.json(info);
      case "GET /containers/json":
        return Response.json([]);
      case `GET /images/${app.name}%3Alatest/json`:
        return Response.json({
          Created: BUILT.toISOString(),
          Os: "linux",
          Architecture: "amd64",
          Config: { Labels: { "mlcli.app": app.name, [BIND_LABEL]: "true" } },
        });
      default:
        unexpected.push(`${request.method} ${path}`);
        return new Response(null, { status: 599 });
    }
  };
  const onListen = (): void => {};
  const socket = `${folder}/docker.sock`;
  let host = `unix://${socket}`;
  let server: { shutdown(): Promise<void> };
  if (listen === "unix") server = Deno.serve({ path: socket, onListen }, handler);
  else {
    const tcp = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, handler);
    host = `tcp://127.0.0.1:${tcp.addr.port}`;
    server = tcp;
  }
  return {
    host,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
      assertEquals(unexpected, []);
    },
  };
}

/** A complete app, all of which is older than its image. */
async function completeApp(files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const own = {
    [TRAINING_DATA]: "1\n",
    Dockerfile: "",
    "training/training.py": "",
    "prediction/serve": "",
    "processing/steps/clean.py": "",
    "local_test/test_dir/model/model.txt": "",
    "../../requirements.txt": "",
    ...files,
  };
  const app = await makeApp({
    configuration: { requirements: "requirements.txt" },
    files: own,
  });
  for (const path of Object.keys(own)) await Deno.utime(app.path(path), BEFORE, BEFORE);
  return app;
}

async function doctor(
  app: TestApp,
  listen: "tcp" | "unix",
  info: Readonly<Record<string, unknown>> = { Name: "elsewhere", DockerRootDir: "/x" },
): Promise<ProgramResult> {
  await using fake = await engine(app, listen, info);
  return await app.run(["doctor"], { env: { DOCKER_HOST: fake.host } });
}

/**
 * Holds the port that doctor looks at, or finds that some other program of this machine does: then
 * that is as good.
 */
function portTaken(): Disposable {
  try {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 8080 });
    return { [Symbol.dispose]: () => listener.close() };
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    return { [Symbol.dispose]: () => {} };
  }
}

suite("mlcli doctor: this machine's engine and another's", () => {
  // Its name may be the same, as that of a container that the engine is reached from.
  const here = { Name: Deno.hostname(), DockerRootDir: Deno.cwd() };

  it("looks neither at the disk nor at the port for an engine on the network", async () => {
    await using app = await completeApp();
    using _ = portTaken();
    const { code, stdout, stderr } = await doctor(app, "tcp", here);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^ok {7}Engine 20\.10\.24 \(API 1\.41\) at tcp:\/\/\S+ \(DOCKER_HOST\)\n/);
    assertMatch(
      stdout,
      /^unknown {2}The engine's disk is not this machine's\n {9}hint: docker system df/m,
    );
    assertMatch(stdout, /^ok {7}Port 8080 is free$/m);
    assertEquals(stdout.includes("warning"), false);
  });

  it("looks at both for the one on this machine", async () => {
    await using app = await completeApp();
    using _ = portTaken();
    const { stdout } = await doctor(app, "unix", here);
    assertMatch(stdout, /^(ok {7}|warning {2}|problem {2})\d+\.\d GB free in \//m);
    assertMatch(
      stdout,
      /^warning {2}Port 8080 is used by another program\n {9}hint: .* local deploy --port 0 picks/m,
    );
  });

  it("says which directory of the engine cannot be looked at", async () => {
    await using app = await completeApp();
    const { stdout } = await doctor(app, "unix", { ...here, DockerRootDir: "/nonexistent/x" });
    assertMatch(
      stdout,
      /^unknown {2}The free space in \/nonexistent\/x is not known: .*\n {9}hint: df -h \/nonexistent\/x/m,
    );
  });

  for (const info of [{ ...here, Name: "elsewhere" }, { Name: here.Name }, {}]) {
    it(`knows of no disk by ${Object.keys(info).join(" and ") || "nothing"}`, async () => {
      await using app = await completeApp();
      const { stdout } = await doctor(app, "unix", info);
      assertMatch(stdout, /^unknown {2}The engine's disk is not this machine's$/m);
    });
  }
});

suite("mlcli doctor: the age of an image", () => {
  async function age(files: readonly string[]): Promise<string> {
    await using app = await completeApp(Object.fromEntries(files.map((path) => [path, ""])));
    for (const path of files) await Deno.utime(app.path(path), AFTER, AFTER);
    const { code, stdout } = await doctor(app, "tcp");
    assertEquals(code, 0);
    const [, line = ""] = /^((?:ok|warning) +\S+:latest is .*)$/m.exec(stdout) ?? [];
    return line.replaceAll(app.name, "NAME");
  }

  const FRESH = "ok       NAME:latest is as new as the code";

  it("is that of the code, none of which is newer", async () => {
    assertEquals(await age([]), FRESH);
  });

  it("is not changed by what Python leaves behind, nor by hidden files", async () => {
    assertEquals(
      await age([
        "training/__pycache__/training.cpython-312.pyc",
        "processing/steps/__pycache__/deep/clean.pyc",
        "training/.training.py.swp",
        "prediction/.ipynb_checkpoints/serve.py",
        "processing/steps/.hidden",
      ]),
      FRESH,
    );
  });

  it("is not changed by test data", async () => {
    assertEquals(await age(["local_test/test_dir/input/data/training/b.csv", "notes.txt"]), FRESH);
  });

  for (
    const path of [
      "training/training.py",
      "prediction/serve",
      "processing/steps/clean.py",
      "training/pycache/a.py",
      "training/a.pyc",
      "training/__pycache__.py",
      "Dockerfile",
    ]
  ) {
    it(`is less than that of ${path}`, async () => {
      assertEquals(
        await age([path]),
        `warning  NAME:latest is older than NAME/mlcli_base/${path}`,
      );
    });
  }

  it("is less than that of the requirements", async () => {
    assertEquals(
      await age(["../../requirements.txt"]),
      "warning  NAME:latest is older than requirements.txt",
    );
  });
});
