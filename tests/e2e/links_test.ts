import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { baseImage } from "../helpers/engine.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const DATA = "local_test/test_dir/input/data";

/** Prints the content of all files below a directory, and which of them are links. */
const LIST = `
import os
def listed(folder):
    found = {}
    for top, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            found[os.path.relpath(path, folder)] = open(path).read()
        for name in folders + names:
            if os.path.islink(os.path.join(top, name)):
                print("link:", name)
    return sorted(found.items())
`;

const FILES = {
  "../../shared/training.py": `
import os
from listing import listed
def train(data, model):
    print(listed(data) if len(listed(data)) < 9 else len(listed(data)))
    os.mkdir(model + "/step-3")
    open(model + "/step-3/m", "w").write("7")
    if os.path.exists(data + "/steps"):
        os.symlink("step-3", model + "/current")
    if os.path.exists(data + "/plant"):
        os.symlink("../../../../../customers.csv", model + "/weights")
`,
  "../../shared/listing.py": LIST,
  "../../shared/clean.py": `
from listing import listed
print(listed("/opt/ml/processing/input"))
`,
  "../../shared/serve": `
import os
def model_fn(model_dir):
    return open(model_dir + "/current/m").read(), os.path.islink(model_dir + "/current")
def predict_fn(data, model):
    return list(model)
`,
  "../../body.json": "{}",
  "../../customers.csv": "private to the caller",
  "../../data/2026-11/a.csv": "1",
};

suite("Links inside the repository", () => {
  let app: TestApp;
  const port = "0";

  async function link(path: string, to: string): Promise<void> {
    await Deno.mkdir(dirname(app.path(path)), { recursive: true });
    await Deno.symlink(to, app.path(path));
  }

  async function run(...args: readonly string[]) {
    const { code, stdout, stderr } = await app.run(args);
    assertEquals({ args, code, stderr }, { args, code: 0, stderr });
    return { stdout, stderr };
  }

  beforeAll(async () => {
    app = await makeApp({
      configuration: { base_image: baseImage() },
      files: FILES,
    });
    // https://github.com/aws/sagemaker-python-sdk/issues/2337
    await link("training/training.py", "../../../shared/training.py");
    await link("processing/clean.py", "../../../shared/clean.py");
    await link("prediction/serve", join(app.directory, "shared/serve"));
    await link("common/listing.py", "../../../shared/listing.py");
    await run("init", app.name);
    await run("build");
  });
  afterAll(async () => await app?.[Symbol.asyncDispose]());

  /** Makes the channel anew. */
  async function channel(links: Readonly<Record<string, string>>): Promise<void> {
    await Deno.remove(app.path(`${DATA}/training`), { recursive: true }).catch(() => {});
    for (const [path, to] of Object.entries(links)) await link(`${DATA}/training/${path}`, to);
  }

  it("gives a training the content of links, also with the code of the image", async () => {
    // https://github.com/moby/moby/issues/13382, and DVC's links
    await channel({
      "current": "../../../../../../../data/2026-11",
      "deep/b.csv": join(app.directory, "data/2026-11/a.csv"),
    });
    const expected = "[('current/a.csv', '1'), ('deep/b.csv', '1')]\n";
    for (const more of [[], ["--copy-inputs"], ["--strict"]]) {
      assertEquals((await run("local", "train", ...more)).stdout, expected);
    }
  });

  // https://github.com/huggingface/datasets/issues/5098
  it("makes hard links of many files, and leaves their owners and modes", async () => {
    const blobs = join(app.directory, "blobs");
    await Deno.mkdir(blobs);
    const names = Array.from({ length: 150 }, (_, index) => `${index}.jpg`);
    for (const name of names) {
      await Deno.writeTextFile(join(blobs, name), name, { mode: 0o640 });
    }
    await channel(Object.fromEntries(names.map((name) => [name, join(blobs, name)])));
    assertEquals((await run("local", "train")).stdout, "150\n");
    const { mode, nlink } = await Deno.stat(join(blobs, "7.jpg"));
    assertEquals([mode! & 0o777, nlink], [0o640, 1]);
  });

  it("gives a processing run the content of links", async () => {
    await link(`${DATA}/processing/p.csv`, "../../../../../../../data/2026-11/a.csv");
    const { stdout } = await run("local", "process", "-f", "clean.py");
    assertEquals(stdout, "[('p.csv', '1')]\n");
  });

  it("serves the content of links that a training left in its model", async () => {
    await channel({ "steps": "../../../../../../../data/2026-11/a.csv" });
    await run("local", "train");
    const address = (await run("local", "deploy", "-p", port)).stdout.trim();
    const its = ["-p", new URL(address).port];
    try {
      const { stdout } = await app.run(["local", "invoke", "body.json", ...its]);
      assertEquals(JSON.parse(stdout), { predictions: ["7", false] });
    } finally {
      await run("local", "stop", ...its);
    }
  });

  // A hostile run must not choose a file of the repository that deploy uploads.
  it("refuses to serve links that a training planted in its model", async () => {
    await channel({ "plant": "../../../../../../../data/2026-11/a.csv" });
    await run("local", "train");
    const planted = await Deno.readTextFile(app.testPath("model/weights"));
    assertStringIncludes(planted, "private to the caller");
    const { code, stderr } = await app.run(["local", "deploy", "-p", port]);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /error: \S+\/model\/weights points to \S+customers\.csv, outside a directory that containers write to\n/,
    );
  });
});
