import { assertEquals } from "@std/assert";
import { completeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, containersOf, engineRequest, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

/** An app whose image declares a volume: each of its containers gets an anonymous one. */
async function appWithVolume(): Promise<TestApp> {
  const app = await completeApp({
    files: {
      Dockerfile: `FROM ${TEST_IMAGE}\nVOLUME /scratch\n`,
      "training/training.py": `
import time
def train(input_data_path, model_save_path):
    open("/scratch/x", "w").close()
    print("ready", flush=True)
    time.sleep(60)
`,
      "prediction/serve": "def model_fn(d): return 1\ndef predict_fn(i, m): return i\n",
    },
  });
  const { code, stderr } = await app.run(["build"]);
  assertEquals(code, 0, stderr);
  return app;
}

async function volumesOf(app: TestApp): Promise<readonly string[]> {
  const [container] = await containersOf(app.name);
  const text = await engineRequest("GET", `/containers/${container!.Id}/json`, [200]);
  const { Mounts } = JSON.parse(text) as { Mounts: { Type: string; Name?: string }[] };
  return Mounts.filter(({ Type }) => Type === "volume").map(({ Name }) => Name!);
}

async function requireGone(volumes: readonly string[]): Promise<void> {
  assertEquals(volumes.length, 1);
  for (const name of volumes) await engineRequest("GET", `/volumes/${name}`, [404]);
}

suite("anonymous volumes", () => {
  beforeAll(buildTestImage);

  it("go with a server that is stopped", async () => {
    await using app = await appWithVolume();
    const { code, stdout, stderr } = await app.run(["local", "deploy", "--port", "0"]);
    assertEquals(code, 0, stderr);
    const volumes = await volumesOf(app);
    const { port } = new URL(stdout.trim());
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    await requireGone(volumes);
  });

  it("go with a run that is interrupted", async () => {
    await using app = await appWithVolume();
    const child = app.start(["local", "train"]);
    const stdout = new TextReader(child.stdout);
    await stdout.until(/^ready\n/);
    const volumes = await volumesOf(app);
    child.kill("SIGINT");
    await Promise.all([stdout.toEnd(), child.stderr.cancel()]);
    assertEquals((await child.status).code, 130);
    await requireGone(volumes);
  });
});
