import { assertEquals, assertStringIncludes } from "@std/assert";
import { pingUntilReady } from "../../runtime/serving/ready.ts";
import { servePlan } from "../../runtime/local/plan.ts";
import { makeApp } from "../helpers/app.ts";
import { appObject } from "../helpers/app_object.ts";
import { buildTestImage, engineRequest, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { HttpConnection, type RawResponse } from "../helpers/http_connection.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const ECHO = `
def model_fn(model_dir): return None
def predict_fn(data, model): return data
`;

/** Sends a request with these headers and a body; by default as a form of a web page can. */
async function send(
  port: string,
  headers: readonly string[],
  requestLine = "POST /invocations HTTP/1.1",
): Promise<RawResponse> {
  using connection = await HttpConnection.open(port);
  const length = ["Content-Type: application/json", "Content-Length: 3"];
  return await connection.exchange(requestLine, ...headers, ...length, "", "[7]");
}

const OWN_HOSTS = [
  ...["localhost", "localhost:8080", "LocalHost:1", "localhost.", "localhost.:8080", "a.localhost"],
  ...["127.0.0.1", "127.0.0.1:8080", "192.168.1.5:80", "[::1]", "[::1]:8080", "[fe80::1%25eth0]:1"],
  ...[
    "host.docker.internal",
    "host.containers.internal:8080",
    "models.example",
    "MODELS.EXAMPLE.:1",
  ],
];

const FOREIGN_HOSTS = [
  ...["evil.test", "evil.test:8080", "localhost.evil.test", "evillocalhost", "127.0.0.1.evil.test"],
  ...["evil.models.example", "models.example.evil.test", "docker.internal", "xn--localhost-x"],
  ...["127.0.0.1.nip.io:8080", "evil.test:localhost", "localhost:80:80", "localhost@evil.test"],
  ...[
    "localhost,evil.test",
    "localhost, localhost",
    "[evil.test]",
    "[::1",
    "::1",
    "local host",
    "",
  ],
];

const OWN_ORIGINS = [
  ...["http://localhost:3000", "https://localhost", "http://127.0.0.1:3000", "http://127.1.2.3"],
  ...["http://[::1]:3000", "http://0.0.0.0:3000", "http://app.localhost:5173", "tauri://localhost"],
  ...["https://models.example", "http://models.example:8443", "http://192.168.7.7:3000"],
];

const FOREIGN_ORIGINS = [
  ...[
    "http://evil.test",
    "https://evil.test:8080",
    "null",
    "http://localhost.evil.test",
    "file://",
  ],
  // A page anywhere has an address, too.
  ...["http://203.0.113.5", "http://192.168.1.5:8080", "http://[2001:db8::1]", "localhost", ""],
  ...["http://localhost, http://evil.test", "http://localhost@evil.test", "chrome-extension://abc"],
];

suite("who may call the server of local deploy", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    const names = ["--allow-host", "Models.Example.", "--allow-host", "192.168.7.7"];
    server = await deployServer(ECHO, {}, names);
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  const verdict = async (headers: readonly string[], line?: string): Promise<unknown> => {
    const { status, body } = await send(server.port, headers, line);
    const { predictions, error } = JSON.parse(body) as { predictions?: unknown; error?: string };
    return status === 403 ? /^Refused: /.test(error ?? "") && "refused" : [status, predictions];
  };

  it("answers by its own names, by addresses, and by those of --allow-host", async () => {
    const { app, port } = server;
    for (const host of [...OWN_HOSTS, `mlcli-${app.name}-serve-${port}:8080`]) {
      assertEquals(await verdict([`Host: ${host}`]), [200, [7]], host);
    }
  });

  it("refuses every other Host", async () => {
    for (const host of FOREIGN_HOSTS) {
      assertEquals(await verdict([`Host: ${host}`]), "refused", host);
    }
  });

  it("refuses two Hosts", async () => {
    for (const hosts of [["localhost", "evil.test"], ["evil.test", "localhost"]]) {
      const { status } = await send(server.port, hosts.map((host) => `Host: ${host}`));
      assertEquals(status === 400 || status === 403, true, String(status));
    }
  });

  it("looks at the host of an absolute URI instead", async () => {
    const line = (host: string): string => `POST http://${host}/invocations HTTP/1.1`;
    assertEquals(await verdict(["Host: localhost"], line("evil.test")), "refused");
    // No user's name is part of a target (RFC 9110, 4.2.4).
    assertEquals(await verdict(["Host: localhost"], line("localhost@evil.test")), [400, undefined]);
    assertEquals(await verdict(["Host: localhost"], line("evil.test?.localhost")), "refused");
    assertEquals(await verdict(["Host: evil.test"], line("localhost:8080")), [200, [7]]);
  });

  it("answers clients without a Host, which no browser is", async () => {
    assertEquals(await verdict([], "POST /invocations HTTP/1.0"), [200, [7]]);
  });

  it("answers web pages of this machine, and of --allow-host", async () => {
    for (const origin of OWN_ORIGINS) {
      assertEquals(await verdict(["Host: localhost", `Origin: ${origin}`]), [200, [7]], origin);
    }
  });

  it("refuses all other web pages", async () => {
    for (const origin of FOREIGN_ORIGINS) {
      assertEquals(await verdict(["Host: localhost", `Origin: ${origin}`]), "refused", origin);
    }
    const two = ["Origin: http://localhost", "Origin: http://evil.test"];
    assertEquals(await verdict(["Host: localhost", ...two]), "refused");
  });

  it("answers a page of the address that it is asked by, not that of another", async () => {
    const host = "Host: 192.168.1.5:8080";
    assertEquals(await verdict([host, "Origin: http://192.168.1.5:3000"]), [200, [7]]);
    assertEquals(await verdict([host, "Origin: http://192.168.1.6:8080"]), "refused");
  });

  it("says why, and how to let it in", async () => {
    const words = async (...headers: readonly string[]): Promise<unknown> => {
      const { headers: fields, body } = await send(server.port, headers);
      return [fields.get("Content-Type"), JSON.parse(body)];
    };
    assertEquals(await words("Host: Evil.test:8080"), ["application/json", {
      error: 'Refused: the host "Evil.test:8080" is not known to be this server. ' +
        "mlcli local deploy --allow-host evil.test lets it in.",
    }]);
    assertEquals(await words("Host: localhost", "Origin: https://evil.test"), ["application/json", {
      error: 'Refused: a web page of the origin "https://evil.test" asks. ' +
        "mlcli local deploy --allow-host evil.test lets it in.",
    }]);
    assertEquals(await words("Host: localhost", "Origin: null"), ["application/json", {
      error: 'Refused: a web page of the origin "null" asks. Serve it from http://localhost.',
    }]);
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

suite("who may call a server on the platform", () => {
  beforeAll(buildTestImage);

  it("is not for the server to say", async () => {
    await using app = await makeApp({
      files: { "prediction/serve": ECHO, "local_test/test_dir/model/model.txt": "" },
    });
    const name = `mlcli-${app.name}-platform`;
    const job = {
      app: appObject(app.directory, app.name, { imageName: TEST_IMAGE }),
      tag: "latest",
      memory: undefined,
      cpus: undefined,
      shmSize: undefined,
      gpus: undefined,
      network: undefined,
      allowPrivileges: false,
      variables: {},
      strict: false,
      // The engine picks one.
      port: 0,
      timeout: 60,
      allowedHosts: [],
      run: undefined,
    };
    const plan = servePlan(job, {
      name,
      region: "us-east-1",
      port: job.port,
      withInit: true,
      codeFolder: app.path("prediction"),
      commonFolder: undefined,
      reportFile: undefined,
      bodyLimit: {},
      modelFolder: app.testPath("model"),
      published: job.port,
      madeOf: { host: "", base: "", code: "", model: "", image: "", imageId: "" },
      run: undefined,
    });
    await withEngine(async (engine) => {
      const id = await engine.createContainer(name, { ...plan, Env: [] });
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
