import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { connectToEngine } from "../../../runtime/docker/connect.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { Authority } from "../../helpers/certificates.ts";
import { pong } from "../../helpers/fake_engine.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";
import { TextReader } from "../../helpers/text_reader.ts";

type Variables = Readonly<Record<string, string>>;

/** An authority of its own, and a certificate and key of it: for the server and for clients. */
async function makeCertificates(directory: string): Promise<void> {
  await using authority = await Authority.make();
  const { cert, key } = await authority.certify("localhost");
  await Deno.mkdir(directory);
  await Deno.copyFile(authority.file, `${directory}/ca.pem`);
  await Deno.writeTextFile(`${directory}/cert.pem`, cert);
  await Deno.writeTextFile(`${directory}/key.pem`, key);
}

/**
 * An engine behind TLS that refuses clients without a certificate, as `dockerd --tlsverify` does.
 * (Deno's own servers do not ask for one.)
 */
async function tlsEngine(directory: string): Promise<AsyncDisposable & { readonly port: number }> {
  await Deno.writeTextFile(`${directory}/_ping`, "HTTP/1.0 200 OK\r\nApi-Version: 1.41\r\n\r\nOK");
  const files = ["-cert", "cert.pem", "-key", "key.pem", "-CAfile", "ca.pem"];
  const verify = ["-Verify", "1", "-verify_return_error"];
  const child = new Deno.Command("openssl", {
    args: ["s_server", "-accept", "0", "-HTTP", ...files, ...verify],
    cwd: directory,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(30_000),
  }).spawn();
  const stdout = new TextReader(child.stdout);
  const [, port] = await stdout.until(/^ACCEPT .*:(\d+)$/m);
  return {
    port: Number(port),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill();
      await Promise.all([child.status, stdout.toEnd()]);
    },
  };
}

async function addressOf(variables: Variables): Promise<string> {
  const engine = await connectToEngine({ env: (name) => variables[name] }, { timeout: 5_000 });
  engine.close();
  return engine.address;
}

async function refusalOf(variables: Variables): Promise<string> {
  const { message, quote = "" } = await assertRejects(() => addressOf(variables), MlcliError);
  assertEquals(message, "Cannot connect to a Docker Engine");
  return quote;
}

suite("an engine behind TCP", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
    await makeCertificates(`${directory}/right`);
    await makeCertificates(`${directory}/wrong`);
  });
  afterAll(() => Deno.remove(directory, { recursive: true }));

  it("answers without TLS", async () => {
    const server = Deno.serve({ port: 0, onListen: () => {} }, () => pong("1.41"));
    try {
      const DOCKER_HOST = `tcp://localhost:${server.addr.port}`;
      assertEquals(await addressOf({ DOCKER_HOST }), DOCKER_HOST);
    } finally {
      await server.shutdown();
    }
  });

  it("answers with TLS", async () => {
    await using engine = await tlsEngine(`${directory}/right`);
    const DOCKER_HOST = `tcp://localhost:${engine.port}`;
    const tls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: `${directory}/right` };
    assertEquals(await addressOf({ DOCKER_HOST, ...tls }), DOCKER_HOST);
  });

  it("refuses a client without a certificate", async () => {
    await using engine = await tlsEngine(`${directory}/right`);
    await Deno.mkdir(`${directory}/alone`);
    await Deno.copyFile(`${directory}/right/ca.pem`, `${directory}/alone/ca.pem`);
    const DOCKER_HOST = `tcp://localhost:${engine.port}`;
    const tls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: `${directory}/alone` };
    const refusal = await refusalOf({ DOCKER_HOST, ...tls });
    assertMatch(refusal, /\(DOCKER_HOST\): .*(certificate|alert|connection)/i);
  });

  it("is not believed with a certificate of another authority", async () => {
    await using engine = await tlsEngine(`${directory}/wrong`);
    const DOCKER_HOST = `tcp://localhost:${engine.port}`;
    const tls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: `${directory}/right` };
    const refusal = await refusalOf({ DOCKER_HOST, ...tls });
    assertMatch(refusal, /^tcp:\/\/localhost:\d+ \(DOCKER_HOST\): .*certificate/);
    assertEquals(refusal.split("\n").length, 1);
  });

  it("names a port where nobody listens", async () => {
    const DOCKER_HOST = "tcp://localhost:2";
    assertEquals(
      await refusalOf({ DOCKER_HOST }),
      `${DOCKER_HOST} (DOCKER_HOST): no program listens at this address`,
    );
  });

  it("says which certificate it cannot read", async () => {
    const tls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: `${directory}/nowhere` };
    const refusal = await refusalOf({ DOCKER_HOST: "tcp://localhost", ...tls });
    assertStringIncludes(refusal, "tcp://localhost:2376 (DOCKER_HOST): Cannot read");
    assertStringIncludes(refusal, `${directory}/nowhere/ca.pem`);
  });

  for (const [there, missing] of [["cert.pem", "key.pem"], ["key.pem", "cert.pem"]] as const) {
    it(`misses ${missing} where there is ${there}`, async () => {
      const folder = `${directory}/${there} alone`;
      await Deno.mkdir(folder);
      for (const file of ["ca.pem", there]) {
        await Deno.copyFile(`${directory}/right/${file}`, `${folder}/${file}`);
      }
      const tls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: folder };
      const refusal = await refusalOf({ DOCKER_HOST: "tcp://localhost:1", ...tls });
      assertMatch(refusal, /\(DOCKER_HOST\): Cannot read the TLS certificates: /);
      assertStringIncludes(refusal, `${folder}/${missing}`);
    });
  }
});
