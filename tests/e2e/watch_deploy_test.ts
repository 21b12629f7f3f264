import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { killedAfter } from "../helpers/program.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

/** Says its version, and how long the request's body was. */
const SERVING = `
VERSION = 0
def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()
def input_fn(body, content_type): return len(body)
def predict_fn(data, model): return [VERSION, data, model]
def output_fn(prediction, accept): return " ".join(map(str, prediction)), "text/plain"
`;

/**
 * Clients that ask all the time, until their input ends: two that keep their connections, and one
 * that closes each. It says how many answers each had, and what failed.
 */
const CLIENTS = `
import http.client, json, sys, threading

BODY = b"x" * 200000

def ask(port, keeps, seen, failures):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while not over.is_set():
        try:
            headers = {"Content-Type": "text/csv"}
            if not keeps:
                headers["Connection"] = "close"
            connection.request("POST", "/invocations", BODY, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200 or text.split(" ")[1] != str(len(BODY)):
                raise ValueError("%d %s" % (answer.status, text[:200]))
            seen.append(text)
        except Exception as error:
            failures.append(repr(error))
            connection.close()

over = threading.Event()
results = [([], []) for _ in range(3)]
threads = [
    threading.Thread(target=ask, args=(int(sys.argv[1]), number < 2, *results[number]))
    for number in range(3)
]
for thread in threads: thread.start()
print("asking", flush=True)
sys.stdin.read()
over.set()
for thread in threads: thread.join()
print(json.dumps([
    {"answers": len(seen), "failures": failures} for seen, failures in results
]))
`;

function servingApp(): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "prediction/serve": SERVING, "local_test/test_dir/model/model.txt": "seven" },
  });
}

interface Watching {
  readonly child: Deno.ChildProcess;
  readonly port: string;
  readonly err: TextReader;
}

async function watching(app: TestApp, port = "0"): Promise<Watching> {
  const child = app.start(["local", "deploy", "--watch", "--port", port]);
  const out = new TextReader(child.stdout);
  const [, found = ""] = await out.until(/^http:\/\/localhost:(\d+)\n/);
  out.toEnd();
  return { child, port: found, err: new TextReader(child.stderr) };
}

async function ask(port: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "text/csv" },
    body: "ab",
  });
  return await response.text();
}

async function isFree(port: string): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port: Number(port) })).close();
    return false;
  } catch {
    return true;
  }
}

suite("local deploy --watch", () => {
  beforeAll(buildTestImage);

  it("serves ten edits without losing a request, and no broken one", async () => {
    const EDITS = 10;
    await using app = await servingApp();
    const { child, port, err } = await watching(app);
    const clients = killedAfter(
      100_000,
      new Deno.Command("python3", {
        args: ["-c", CLIENTS, port],
        stdin: "piped",
        stdout: "piped",
        stderr: "inherit",
      }).spawn(),
    );
    const said = new TextReader(clients.stdout);
    await said.until(/asking/);
    for (let edit = 1; edit <= EDITS; edit++) {
      await app.write(app.path("prediction/serve"), SERVING.replace("= 0", `= ${edit}`));
      await err.until(
        new RegExp(`(?:serve edited: new server ready in [\\d.]+ s\\n[^]*){${edit}}`),
      );
      assertEquals(await ask(port), `${edit} 2 seven`);
    }
    await clients.stdin.close();
    const results = JSON.parse((await said.toEnd()).replace("asking", ""));
    for (const { answers, failures } of results) {
      assertEquals(failures, []);
      assert(answers > EDITS, `${answers}`);
    }

    await app.write(app.path("prediction/serve"), `${SERVING}\nimport nothing_of_that_name\n`);
    await err.until(/serve edited: new server failed; the previous one keeps running\n/);
    assertEquals(err.text.match(/Traceback/g)?.length, 1, err.text);
    assertEquals(await ask(port), `${EDITS} 2 seven`);

    await app.write(app.path("prediction/serve"), SERVING.replace("= 0", "= 11"));
    await app.write(app.testPath("model/model.txt"), "eight");
    await err.until(/new server failed[^]*model trained: new server ready/);
    assertEquals(await ask(port), "11 2 eight");

    // The one before may still be on its way out.
    await eventually(async () => {
      const { stdout } = await app.run(["local", "status", "--app-name", app.name]);
      return new RegExp(`^${app.name}  serve  ${port}  (?:healthy|stale)  [^\n]*\n$`).test(stdout);
    });
    const second = await app.run(["local", "deploy", "--watch", "--port", port]);
    assertMatch(second.stderr, new RegExp(`^error: Port already in use: ${port} `));
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    assertEquals([await isFree(port), await containersOf(app.name)], [true, []]);
    assertMatch(await err.toEnd(), /\nnote: Stopped by mlcli local stop\n$/);
    assertEquals((await child.status).code, 0);
  });

  it("leaves nothing at Ctrl-C, and what can be stopped where it is killed", async () => {
    await using app = await servingApp();
    const killed = await watching(app);
    killed.child.kill("SIGKILL");
    await killed.err.toEnd();
    const { port } = killed;
    assertEquals((await containersOf(app.name)).length, 1);
    const refused = await app.run(["local", "deploy", "--watch", "--port", port]);
    assertMatch(
      refused.stderr,
      new RegExp(
        `^error: Port already in use: ${port} .*\nhint: Stop the server with mlcli local stop`,
      ),
    );
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    assertEquals(await containersOf(app.name), []);

    const { child, err } = await watching(app, port);
    await err.until(/watching for changes/);
    child.kill("SIGINT");
    await err.toEnd();
    assertEquals((await child.status).code, 130);
    assertEquals([await isFree(port), await containersOf(app.name)], [true, []]);
  });
});
