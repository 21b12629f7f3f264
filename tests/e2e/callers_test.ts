import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pingUntilReady } from "../../runtime/serving/ready.ts";
import { makeApp } from "../helpers/app.ts";
import { buildTestImage, engineRequest, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { HttpConnection, type RawResponse } from "../helpers/http_connection.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const ECHO = `
def model_fn(model_dir): return 1
def predict_fn(data, model): return data
`;

async function send(port: string, headers: readonly string[]): Promise<RawResponse> {
  using connection = await HttpConnection.open(port);
  const length = ["Content-Type: application/json", "Content-Length: 3"];
  return await connection.exchange("POST /invocations HTTP/1.1", ...headers, ...length, "", "[7]");
}

suite("who may call the server of local deploy", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    const names = ["--allow-host", "Models.Example.", "--allow-host", "192.168.7.7"];
    // One worker, because a worker closes kept connections if another worker starts late.
    server = await deployServer(ECHO, {}, [...names, "--env", "MLCLI_WORKERS=1"]);
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  it("are clients that use its names, and pages of this machine; --allow-host adds names", async () => {
    const { app, port } = server;
    const mine = [
      ...["localhost", "host.docker.internal", "host.containers.internal:8080"],
      ...[`mlcli-${app.name}-serve-${port}:8080`, "MODELS.EXAMPLE.:1"],
    ];
    const headers = mine.map((host) => [`Host: ${host}`]);
    headers.push(["Host: localhost", "Origin: http://192.168.7.7:3000"]);
    for (const own of headers) {
      const { status, body } = await send(port, own);
      assertEquals([status, body], [200, '{"predictions": [7]}'], own.join());
    }
    for (const foreign of [["Host: evil.test"], ["Host: localhost", "Origin: http://evil.test"]]) {
      const { status, headers, body } = await send(port, foreign);
      assertEquals([status, headers.get("Content-Type")], [403, "application/json"]);
      assertMatch(JSON.parse(body).error, /^Refused: .* --allow-host evil\.test$/);
    }
  });

  it("has one rule for all paths and methods, and goes on with the connection", async () => {
    using connection = await HttpConnection.open(server.port);
    for (const line of ["GET /ping", "OPTIONS /invocations", "GET /nowhere", "POST /ping"]) {
      const foreign = await connection.exchange(`${line} HTTP/1.1`, "Host: evil.test", "", "");
      assertEquals(foreign.status, 403, line);
    }
    const length = "Content-Length: 5";
    const head = ["POST /invocations HTTP/1.1", "Host: evil.test", length, "", "[1,2]"];
    assertEquals((await connection.exchange(...head)).status, 403);
    const preflight = ["OPTIONS /invocations HTTP/1.1", "Host: localhost"];
    const asking = ["Origin: http://localhost:3000", "Access-Control-Request-Method: POST"];
    const { status, headers } = await connection.exchange(...preflight, ...asking, "", "");
    assertEquals([status, headers.get("Access-Control-Allow-Origin")], [405, null]);
    const ping = await connection.exchange("GET /ping HTTP/1.1", "Host: localhost", "", "");
    assertEquals(ping.status, 200);
  });

  it("has local status and local invoke go through", async () => {
    const { app, port } = server;
    const status = await app.run(["local", "status", "-a", app.name]);
    assertStringIncludes(status.stdout, "  healthy  ");
    await app.write(`${app.directory}/body.json`, "[7]");
    const invoke = await app.run(["local", "invoke", "body.json", "--port", port]);
    assertEquals([invoke.code, invoke.stdout], [0, '{"predictions": [7]}'], invoke.stderr);
  });
});

suite("who may call a server on SageMaker", () => {
  beforeAll(buildTestImage);

  it("is not checked by the server: SageMaker decides", async () => {
    await using app = await makeApp({
      files: { "prediction/serve": ECHO, "local_test/test_dir/model/model.txt": "" },
    });
    const name = `mlcli-${app.name}-platform`;
    const mount = (Source: string, Target: string) => ({
      ...{ Type: "bind", ReadOnly: true } as const,
      ...{ Source, Target },
    });
    await withEngine(async (engine) => {
      const id = await engine.createContainer(name, {
        Image: TEST_IMAGE,
        Cmd: ["serve"],
        Labels: { "mlcli.app": app.name },
        ExposedPorts: { "8080/tcp": {} },
        HostConfig: {
          AutoRemove: false,
          Mounts: [
            mount(app.path("prediction"), "/opt/ml/code"),
            mount(app.testPath("model"), "/opt/ml/model"),
          ],
          // The engine picks one.
          PortBindings: { "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
        },
      });
      try {
        await engine.startContainer(id);
        const port = await publishedPort(id);
        await pingUntilReady(port, AbortSignal.timeout(60_000), () => {});
        for (const headers of [["Host: evil.test"], ["Host: a,b", "Origin: null"]]) {
          const { status, body } = await send(String(port), headers);
          assertEquals([status, body], [200, '{"predictions": [7]}']);
        }
      } finally {
        await engine.removeContainer(id);
      }
    });
  });
});

/** The port of this machine that leads to a container's server. */
async function publishedPort(id: string): Promise<number> {
  const text = await engineRequest("GET", `/containers/${id}/json`, [200]);
  return Number(JSON.parse(text).NetworkSettings.Ports["8080/tcp"][0].HostPort);
}
