import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { namesIn } from "../helpers/directory.ts";
import {
  baseImage,
  buildImage,
  containersOf,
  pipImage,
  removeImage,
  removeVolumes,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { makeWheel } from "../helpers/package_index.ts";
import { resultOf } from "../helpers/program.ts";
import { lastRun } from "../helpers/runs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const NAME = `mlcli-test-processing-${crypto.randomUUID().slice(0, 8)}`;
/** One that runs a program of its own, as another user than root. */
const BARE = `${NAME}:bare`;

/** A script as people have them: arguments, a neighbour, an input and an output by name. */
const SCRIPT = `
import os, sys, time
import neighbour
out = "/opt/ml/processing/output/clean"
print(sys.argv[1:], os.getcwd(), neighbour.NAME, os.getpid() == 1, [n for n in os.environ if n[:3] == "SM_"])
try: open("/opt/ml/processing/input/raw/new", "w")
except OSError: print("the input is read-only", file=sys.stderr)
open("made.txt", "w").close()
with open("/opt/ml/processing/input/raw/a.csv") as file: text = file.read()
with open(out + "/a.csv", "w") as file: file.write(text.upper())
with open(out + "/tool", "w"): pass
os.chmod(out + "/tool", 0o6755)
os.symlink("/etc/passwd", out + "/passwd")
if "--fail" in sys.argv: sys.exit(7)
if "--raise" in sys.argv: raise ValueError("no age column")
if "--wait" in sys.argv:
    print("waiting", flush=True)
    time.sleep(60)
`;

/** An app whose code lies in \`src/\`; its image has been typed. */
async function scriptApp(image: string, entryPoint?: string): Promise<TestApp> {
  const app = await makeApp({
    configuration: { image, source_dir: "src", process: { entry_point: entryPoint } },
  });
  const files = {
    "src/clean.py": SCRIPT,
    "src/neighbour.py": "NAME = 'beside'\n",
    "raw/a.csv": "a\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await app.write(join(app.directory, name), text);
  }
  assertEquals((await app.run(["init", app.name, "--image", image])).code, 0);
  return app;
}

const LINE = ["local", "process", "-i", "raw=raw", "-o", "clean=results"];

suite("local process with a script of the user's own", () => {
  beforeAll(() =>
    buildImage(BARE, {
      Dockerfile: `FROM ${baseImage()}\nUSER 1000\n` +
        'ENTRYPOINT ["python3", "-c", "import os, sys; print(sys.argv[1:], os.getuid())"]\n' +
        'CMD ["by default"]\n',
    })
  );
  afterAll(() => removeImage(BARE));

  it("reads a named input, and moves its output to its place", async () => {
    await using app = await scriptApp(baseImage(), "clean.py");
    const { code, stdout, stderr } = await app.run([...LINE, "--", "--rows", "1 000"]);
    assertEquals([code, stdout], [
      0,
      "['--rows', '1 000'] /opt/ml/processing/input/code beside True []\n",
    ], stderr);
    assertStringIncludes(stderr, "the input is read-only\n");
    assertStringIncludes(
      stderr,
      "Output clean does not include pipes, sockets and links that point outside it: passwd\n",
    );
    const results = join(app.directory, "results");
    assertEquals(await namesIn(results), ["a.csv", "tool"]);
    assertEquals(await Deno.readTextFile(join(results, "a.csv")), "A\n");
    const { mode, uid } = await Deno.lstat(join(results, "tool"));
    assertEquals([mode! & 0o7777, uid], [0o755, Deno.uid()]);
    // It wrote to its own copy.
    assertEquals(await namesIn(join(app.directory, "src")), ["clean.py", "neighbour.py"]);
    assertEquals(await namesIn(await lastRun(app)), ["job.json", "log"]);
    assertEquals(await containersOf(app.name), []);
    // What is there is not replaced.
    const again = await app.run(LINE);
    assertEquals([again.code, again.stdout], [1, ""]);
    assertStringIncludes(
      again.stderr,
      "error: The directory is not empty: results (--output-dir)\n",
    );
  });

  it("has no violation in that under --strict, but for its link", async () => {
    await using app = await scriptApp(baseImage(), "clean.py");
    const bad = await app.run([...LINE, "--strict"]);
    assertEquals(bad.code, 1, bad.stderr);
    assertMatch(bad.stderr, /^note: The outputs of this run are in \S+\/outputs$/m);
    await app.write(join(app.directory, "src/clean.py"), SCRIPT.replace(/^os\.symlink.*$/m, ""));
    const { code, stdout, stderr } = await app.run([...LINE, "--strict"]);
    assertEquals(code, 0, stdout + stderr);
    assertEquals(await namesIn(join(app.directory, "results")), ["a.csv", "tool"]);
  });

  it("leaves its outputs with the run where it fails, or is stopped", async () => {
    await using app = await scriptApp(baseImage(), "clean.py");
    const failed = await app.run([...LINE, "--", "--fail"]);
    assertEquals(failed.code, 7, failed.stderr);
    const kept = await lastRun(app, "outputs/clean");
    assertEquals(await namesIn(kept), ["a.csv", "passwd", "tool"]);
    assertEquals((await Deno.lstat(join(kept, "a.csv"))).uid, Deno.uid());
    const raised = await app.run([...LINE, "--", "--raise"]);
    assertEquals(raised.code, 1);
    assertStringIncludes(raised.stderr, "error: Processing failed: ValueError: no age column");
    const child = app.start([...LINE, "--grace", "1", "--", "--wait"]);
    const said: string[] = [];
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) said.push(text);
    })();
    await eventually(() => Promise.resolve(said.join("").includes("waiting")));
    child.kill("SIGINT");
    const [{ code }] = await Promise.all([child.status, reading, child.stderr.cancel()]);
    assertEquals(code, 130);
    assertEquals(await namesIn(await lastRun(app, "outputs/clean")), ["a.csv", "passwd", "tool"]);
    assertEquals((await namesIn(app.directory)).includes("results"), false);
  });

  it("lies beside the app's own data, as with AWS's processors", async () => {
    await using app = await scriptApp(baseImage(), "list.sh");
    await app.write(app.testPath("input/data/processing/b.csv"), "b");
    await app.write(app.testPath("input/data/processing/deep/c.csv"), "c");
    await app.write(
      join(app.directory, "src/list.sh"),
      'cd ..; find . -name "*.csv" | sort; cat deep/c.csv',
    );
    const { code, stdout, stderr } = await app.run(["local", "process"]);
    assertEquals([code, stdout], [0, "./b.csv\n./deep/c.csv\nc"], stderr);
    const copied = await app.run(["local", "process", "--copy-inputs", "-i", "raw"]);
    assertEquals(copied.stdout, "./a.csv\n", copied.stderr);
  });

  it("installs its packages when it starts", async () => {
    await using app = await scriptApp(pipImage(), "clean.py");
    const wheel = await makeWheel("mlcli_probe", "1.0");
    await app.write(join(app.directory, "src", wheel.name), wheel.bytes);
    await app.write(join(app.directory, "src/requirements.txt"), `./${wheel.name}\n`);
    await app.write(join(app.directory, "src/neighbour.py"), "import mlcli_probe as NAME\n");
    try {
      const { code, stdout, stderr } = await app.run(LINE);
      assertEquals(code, 0, stderr);
      assertMatch(stdout, /Successfully installed mlcli-probe-1\.0\n/);
    } finally {
      await removeVolumes(app.name);
    }
  });

  it("gives way to a program of the image, or to its own", async () => {
    await using app = await scriptApp(BARE);
    const bare = await app.run(["local", "process", "--", "-x", "a b"]);
    assertEquals([bare.code, bare.stdout], [0, "['-x', 'a b'] 1000\n"], bare.stderr);
    const byDefault = await app.run(["local", "process"]);
    assertEquals([byDefault.code, byDefault.stdout], [0, "['by default'] 1000\n"]);
    const words = ["--command", "/bin/sh", "--command=-c", "--", 'echo "$0"; exit 5', "a b"];
    const own = await resultOf(app.start(["local", "process", ...words]));
    assertEquals([own.code, own.stdout], [5, "a b\n"], own.stderr);
    const refused = await app.run(["local", "process", "--file", "clean.py"]);
    assertEquals([refused.code, refused.stdout], [2, ""]);
    assertStringIncludes(refused.stderr, "--entry-point clean.py");
    const missing = await app.run(["local", "process", "--command", "nothing"]);
    assertMatch(
      missing.stderr,
      /Cannot run "nothing" in .*\n(.*\n)*hint: Set --command to a program/,
    );
  });

  it("runs as the user of an image that is not root's", async () => {
    await using app = await scriptApp(BARE, "clean.py");
    await Deno.mkdir(app.testPath("output"), { recursive: true });
    await Deno.chmod(app.testPath("output"), 0o777);
    const { code, stdout, stderr } = await app.run(LINE);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "[] /opt/ml/processing/input/code beside True []\n");
    assertEquals(await namesIn(join(app.directory, "results")), ["a.csv", "tool"]);
  });
});
