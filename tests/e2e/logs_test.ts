import { assertEquals, assertMatch } from "@std/assert";
import { buildTestImage, containersOf, killOnly } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

/** Writes to each stream for every request. (The engine keeps text alone, so no other bytes.) */
const SERVING = `
import sys
def model_fn(model_dir): return 1
def predict_fn(input_data, model):
    sys.stdout.write("asked é\\t %s\\n" % input_data); sys.stdout.flush()
    sys.stderr.write("asked err\\n"); sys.stderr.flush()
    return input_data
`;

async function ask({ port }: TestServer, value: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: `[${value}]`,
  });
  await response.body?.cancel();
}

suite("local logs", () => {
  beforeAll(buildTestImage);

  it("--tail shows the last lines alone, also of a server that has ended", async () => {
    // To one stream: which of the lines of two is the last is up to the engine.
    await using server = await deployServer(SERVING.replace(/^.*stderr.*$/m, ""));
    const { app, port } = server;
    const logs = (tail: string) => app.run(["local", "logs", "-p", port, "--tail", tail]);
    await ask(server, 1);
    await ask(server, 2);
    await eventually(async () => (await logs("all")).stdout.endsWith("[2]\n"));
    await killOnly(app.name);
    const shown = (stdout: string) => ({ code: 0, stdout, stderr: "" });
    assertEquals(await logs("0"), shown(""));
    assertEquals(await logs("1"), shown("asked é\t [2]\n"));
    assertEquals(await logs("all"), shown("asked é\t [1]\nasked é\t [2]\n"));
  });

  it("--follow shows what comes, and ends with Ctrl-C", async () => {
    await using server = await deployServer(SERVING);
    const { app, port } = server;
    const child = app.start(["local", "logs", "--port", port, "--follow", "--tail", "0"]);
    const stdout = new TextReader(child.stdout);
    const stderr = new TextReader(child.stderr);
    // Until the program follows, nothing tells; so ask until it has heard of it.
    const asked: Promise<void>[] = [];
    const asking = setInterval(() => asked.push(ask(server, 3)), 100);
    try {
      await stdout.until(/asked é\t \[3\]\n/);
      await stderr.until(/asked err\n/);
    } finally {
      clearInterval(asking);
      await Promise.all(asked);
    }
    child.kill("SIGINT");
    await Promise.all([stdout.toEnd(), stderr.toEnd()]);
    assertEquals((await child.status).code, 130);
    assertMatch(stderr.text, /^(asked err\n)+$/);
    assertEquals((await containersOf(app.name)).map(({ State }) => State), ["running"]);
  });
});
