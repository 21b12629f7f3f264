import { join } from "@std/path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readConfiguration } from "../../runtime/app/configuration.ts";
import { appObject } from "../helpers/app_object.ts";
import { filesBelow, makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { type ProgramResult, runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { answerOnTerminal } from "../helpers/terminal.ts";

const FILES = [
  "demo.json",
  "demo/mlcli_base/.schema.json",
  ".dockerignore",
  "requirements.txt",
  "demo/mlcli_base/Dockerfile",
  "demo/mlcli_base/training/training.py",
  "demo/mlcli_base/prediction/serve",
  "demo/mlcli_base/processing/processing.py",
  "demo/mlcli_base/common/linear_model.py",
  "demo/mlcli_base/local_test/test_dir/input/config/hyperparameters.json",
  "demo/mlcli_base/local_test/test_dir/input/data/training/apartments.csv",
  "demo/mlcli_base/local_test/test_dir/input/data/processing/apartments_raw.csv",
  "demo/README.md",
  "demo/mlcli_base/local_test/.gitignore",
  "demo/mlcli_base/local_test/test_dir/model/.gitkeep",
  "demo/mlcli_base/local_test/test_dir/output/.gitkeep",
];

/** Finds what the sample's training prints. */
const SAMPLE_METRICS = [{ Name: "loss", Regex: "\\bloss[=: ]+([0-9.e+-]+)" }];

async function init(directory: TestDirectory, ...args: readonly string[]): Promise<ProgramResult> {
  return await runProgram(["init", ...args], { cwd: directory.path });
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

suite("mlcli init", () => {
  it("makes an app, prints its files, and says what comes next", async () => {
    await using directory = await makeDirectory();
    // On a machine of SageMaker's kind, whatever this one is.
    const { code, stdout, stderr } = await runInProcess(["init", "demo"], { cwd: directory.path });
    assertEquals([code, lines(stdout)], [0, FILES]);
    assertEquals(Object.keys(await filesBelow(directory.path)).sort(), [...FILES].sort());
    assertStringIncludes(stderr, `Created ${FILES.length} files for demo\n`);
    const next = "mlcli build\nmlcli local train\nmlcli local deploy\n" +
      "echo 72,3,15 | mlcli local invoke\n";
    assertMatch(stderr, /\nNext:\n/);
    assertStringIncludes(stderr.replaceAll("\n  ", "\n"), `${next}mlcli local stop\n`);
    const readme = await Deno.readTextFile(join(directory.path, "demo/README.md"));
    assertStringIncludes(readme, `\`\`\`sh\n${next}\`\`\`\n`);
    assertEquals(JSON.parse(await Deno.readTextFile(join(directory.path, "demo.json"))), {
      $schema: "./demo/mlcli_base/.schema.json",
      image_name: "demo",
      python_version: "3.12",
      requirements: "requirements.txt",
      metric_definitions: SAMPLE_METRICS,
    });
    const ignored = await Deno.readTextFile(join(directory.path, ".dockerignore"));
    for (const pattern of ["**/.git", "**/venv", "**/__pycache__", "**/local_test"]) {
      assert(lines(ignored).includes(pattern), pattern);
    }
  });

  it("writes what the options say", async () => {
    await using directory = await makeDirectory();
    const { code, stdout } = await init(
      directory,
      ...["My.App-1", "--requirements", "./deps/image.txt"],
      ...["--base-image", "debian:bookworm", "--image-name", "team/app", "--region", "eu-west-1"],
      ...["--profile", "work", "--platform", "linux/amd64"],
    );
    assertEquals(code, 0);
    assert(lines(stdout).includes(join("deps", "image.txt")));
    assert(!lines(stdout).includes("requirements.txt"));
    const { configuration } = appObject(directory.path, "My.App-1", {
      imageName: "team/app",
      requirements: "deps/image.txt",
      baseImage: "debian:bookworm",
      platform: "linux/amd64",
      cloudRegion: "eu-west-1",
      cloudProfile: "work",
      metricDefinitions: SAMPLE_METRICS.map(({ Name, Regex }) => ({ name: Name, regex: Regex })),
    });
    const file = join(directory.path, "My.App-1.json");
    assertEquals(await readConfiguration(file), configuration);
  });

  // As `deno task demo:cloud` makes its app.
  it("writes a file that build prints no warning about, with --base-image", async () => {
    await using directory = await makeDirectory();
    const { path: cwd } = directory;
    await runInProcess(["init", "demo", "--base-image", "team/python:1"], { cwd });
    const { code, stderr } = await runInProcess(["build", "--dry-run"], { cwd });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
  });

  it("takes a project of uv for the requirements, and makes no others", async () => {
    await using directory = await makeDirectory({ "pyproject.toml": "", "uv.lock": "" });
    const { code, stdout } = await runInProcess(["init", "demo"], { cwd: directory.path });
    assertEquals(code, 0);
    assert(!stdout.includes("requirements.txt"), stdout);
    const { requirements } = await readConfiguration(join(directory.path, "demo.json"));
    assertEquals(requirements, "uv.lock");
  });

  it("makes a sample whose metric is found in a training of any length", async () => {
    await using directory = await makeDirectory();
    await init(directory, "demo");
    const base = join(directory.path, "demo/mlcli_base");
    const { code, stdout } = await new Deno.Command("python3", {
      args: [
        ...["-B", "-c", "import sys, training; training.train(*sys.argv[1:], {'epochs': 2})"],
        ...[join(base, "local_test/test_dir/input/data/training"), directory.path],
      ],
      cwd: directory.path,
      env: { PYTHONPATH: `${join(base, "training")}:${join(base, "common")}` },
    }).output();
    assertEquals(code, 0);
    for (const { Regex } of SAMPLE_METRICS) {
      assertMatch(new TextDecoder().decode(stdout), new RegExp(Regex));
    }
  });

  it("defines no metrics for code of your own", async () => {
    const training = "demo/mlcli_base/training/training.py";
    await using directory = await makeDirectory({ [training]: "def train(a, b): pass\n" });
    await init(directory, "demo");
    const { metricDefinitions } = await readConfiguration(join(directory.path, "demo.json"));
    assertEquals(metricDefinitions, []);
  });

  it("names the image in lower case", async () => {
    await using directory = await makeDirectory();
    assertEquals((await init(directory, "Demo")).code, 0);
    const { imageName } = await readConfiguration(join(directory.path, "Demo.json"));
    assertEquals(imageName, "demo");
  });

  it("init never overwrites a file, and lists the files that it keeps", async () => {
    const own = {
      "demo.json": '{"requirements": "own.txt", "mine": 1}',
      ".dockerignore": "mine\n",
      "own.txt": "numpy\n",
      "notes.md": "mine\n",
      "demo/mlcli_base/training/training.py": "def train(a, b): pass\n",
      "demo/mlcli_base/local_test/test_dir/input/data/training/mine.csv": "1,2\n",
      "demo/mlcli_base/local_test/test_dir/model/model.bin": "mine",
    };
    await using directory = await makeDirectory(own);
    const { code, stdout, stderr } = await init(directory, "demo", "--region", "eu-west-1");
    assertEquals(code, 0);
    // The example's data and hyperparameters are not for code of the user's own; what its serving
    // code imports is for that.
    assertEquals(lines(stdout), [
      "demo/mlcli_base/.schema.json",
      "demo/mlcli_base/Dockerfile",
      "demo/mlcli_base/prediction/serve",
      "demo/mlcli_base/processing/processing.py",
      "demo/mlcli_base/common/linear_model.py",
      "demo/mlcli_base/local_test/.gitignore",
      "demo/mlcli_base/local_test/test_dir/output/.gitkeep",
    ]);
    const found = await filesBelow(directory.path);
    for (const [path, content] of Object.entries(own)) assertEquals(found[path], content, path);
    assertMatch(stderr, /Kept existing files: demo\.json, .*own\.txt, .*training\.py\n/);
    assertStringIncludes(
      stderr,
      "note: demo.json exists, so --region had no effect. Edit that file.\n",
    );
    await Deno.stat(
      join(directory.path, "demo/mlcli_base/local_test/test_dir/input/data/processing"),
    );
  });

  for (const [title, options] of [["the example", []], ["an image", ["--image", "team/a:1"]]]) {
    it(`keeps what runs of ${title} make out of git, and the test data in`, async () => {
      await using directory = await makeDirectory({ ".gitignore": "mine\n" });
      assertEquals((await init(directory, "demo", ...options!)).code, 0);
      const localTest = "demo/mlcli_base/local_test";
      await directory.write({
        [`${localTest}/test_dir/model/model.bin`]: "",
        [`${localTest}/test_dir/model/part/weights.bin`]: "",
        [`${localTest}/test_dir/output/data/metrics.json`]: "",
        [`${localTest}/test_dir/input/data/training/mine.csv`]: "",
        [`${localTest}/test_dir/input/data/model/weights.bin`]: "",
        "mine": "",
      });
      const ignored = "git init -q && git ls-files --others --ignored --exclude-standard";
      const { stdout: found } = await new Deno.Command("sh", {
        args: ["-c", ignored],
        cwd: directory.path,
      }).output();
      assertEquals(lines(new TextDecoder().decode(found)).sort(), [
        `${localTest}/test_dir/model/model.bin`,
        `${localTest}/test_dir/model/part/weights.bin`,
        `${localTest}/test_dir/output/data/metrics.json`,
        "mine",
      ]);
    });
  }

  it("writes a README of the example alone, and over none", async () => {
    await using directory = await makeDirectory({
      "one/README.md": "mine\n",
      "README.md": "mine\n",
    });
    assertMatch((await init(directory, "one")).stderr, /Kept existing files: .*one\/README\.md/);
    assertEquals((await init(directory, "two", "--image", "team/a:1")).code, 0);
    await directory.write({ "three/mlcli_base/training/training.py": "def train(a, b): pass\n" });
    assertEquals((await init(directory, "three")).code, 0);
    const found = Object.entries(await filesBelow(directory.path));
    const readmes = found.filter(([path]) => path.endsWith("README.md"));
    assertEquals(readmes.sort(), [["README.md", "mine\n"], ["one/README.md", "mine\n"]]);
  });

  it("--dry-run prints what it would make, and makes nothing", async () => {
    await using directory = await makeDirectory({ ".dockerignore": "mine\n" });
    const before = await filesBelow(directory.path);
    const { code, stdout, stderr } = await init(directory, "demo", "--dry-run");
    assertEquals([code, lines(stdout)], [0, FILES.filter((path) => path !== ".dockerignore")]);
    assertEquals(stderr, `Would create ${FILES.length - 1} files for demo (dry run)\n`);
    assertEquals(await filesBelow(directory.path), before);
    assertEquals((await init(directory, "demo")).stdout, stdout);
    assertEquals((await init(directory, "demo", "--dry-run")).stdout, "");
    await directory.write({ "other": "a file" });
    const blocked = await init(directory, "other", "--dry-run");
    assertEquals([blocked.code, blocked.stdout], [1, ""]);
    assertStringIncludes(
      blocked.stderr,
      "error: Cannot create other/mlcli_base: Not a directory\n",
    );
  });

  it("does nothing the second time, and says so", async () => {
    await using directory = await makeDirectory();
    await init(directory, "demo");
    const before = await filesBelow(directory.path);
    for (const args of [["demo"], []]) {
      const { code, stdout, stderr } = await init(directory, ...args);
      assertEquals([code, stdout], [0, ""]);
      assertStringIncludes(stderr, "Nothing to do: demo is complete\n");
    }
    assertEquals(await filesBelow(directory.path), before);
  });

  it("writes the schema of its configuration again where another mlcli did", async () => {
    await using directory = await makeDirectory();
    await init(directory, "demo");
    const path = join(directory.path, "demo/mlcli_base/.schema.json");
    const schema = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      schema.replace(/Written by mlcli [^ ]+/, "Written by mlcli 0.0.9."),
    );
    const again = await init(directory, "demo");
    assertEquals([again.code, again.stdout], [0, "demo/mlcli_base/.schema.json\n"]);
    assertEquals(await Deno.readTextFile(path), schema);
    // Not somebody else's, nor what a link leads to.
    await Deno.writeTextFile(path, "mine");
    assertEquals((await init(directory, "demo")).stdout, "");
    assertEquals(await Deno.readTextFile(path), "mine");
  });

  it("completes what an interrupted run left, wherever that was", async () => {
    await using whole = await makeDirectory();
    await init(whole, "demo");
    const expected = await filesBelow(whole.path);
    for (const count of [1, 5, 8, 11]) {
      const start = FILES.slice(0, count).map((path) => [path, expected[path]!] as const);
      await using directory = await makeDirectory(Object.fromEntries(start));
      // What a run that was killed while it wrote a file leaves.
      await directory.write({ ["demo/mlcli_base/.mlcli-new"]: "ha" });
      const { code, stdout } = await init(directory, "demo");
      assertEquals([code, lines(stdout)], [0, FILES.slice(count)]);
      assertEquals(await filesBelow(directory.path), expected);
    }
  });

  it("does not mix the example's data with other data", async () => {
    await using directory = await makeDirectory();
    await init(directory, "demo");
    const data = join(directory.path, "demo/mlcli_base/local_test/test_dir/input/data/training");
    await Deno.rename(join(data, "apartments.csv"), join(data, "mine.csv"));
    const { code, stdout } = await init(directory, "demo");
    assertEquals([code, stdout], [0, ""]);
    assertEquals(Object.keys(await filesBelow(data)), ["mine.csv"]);
  });

  it("does not wait for a pipe in the place of the example", async () => {
    await using directory = await makeDirectory({ "demo/mlcli_base/training/": "" });
    const pipe = join(directory.path, "demo/mlcli_base/training/training.py");
    assert((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
    const { code, stderr } = await init(directory, "demo");
    assertEquals({ code, stderr: stderr.includes("error") }, { code: 0, stderr: false });
  });

  it("does not write through what a killed run left", async () => {
    await using directory = await makeDirectory({ "demo.json": "{}", "demo/mlcli_base/": "" });
    const file = join(directory.path, "demo.json");
    await Deno.link(file, join(directory.path, "demo/mlcli_base/.mlcli-new"));
    assertEquals((await init(directory, "demo")).code, 0);
    const found = await filesBelow(directory.path);
    assertEquals([found["demo.json"], Object.keys(found).length], ["{}", FILES.length]);
  });

  it("takes a second app into the same directory", async () => {
    await using directory = await makeDirectory();
    await init(directory, "one");
    const { code, stdout, stderr } = await init(directory, "two");
    assertEquals([code, lines(stdout).length], [0, FILES.length - 2]);
    assertStringIncludes(stderr, "Kept existing files: .dockerignore, requirements.txt\n");
    assertStringIncludes(stderr, "  mlcli build --app-name two\n");
  });

  it("works in a directory with spaces and letters of any script", async () => {
    await using parent = await makeDirectory({ "a b/Größe 数据/": "" });
    const cwd = join(parent.path, "a b/Größe 数据");
    const { code, stdout } = await runProgram(["init", "demo"], { cwd });
    assertEquals([code, lines(stdout)], [0, FILES]);
  });
});

suite("mlcli init on a machine with another processor than SageMaker's", () => {
  type Row = readonly [
    title: string,
    arch: string,
    args: readonly string[],
    platform: string | undefined,
  ];
  const rows: readonly Row[] = [
    ["writes SageMaker's platform on arm64", "aarch64", [], "linux/amd64"],
    ["writes --platform on arm64", "aarch64", ["--platform", "linux/arm64"], "linux/arm64"],
    ["writes no platform on amd64", "x86_64", [], undefined],
  ];
  for (const [title, arch, args, platform] of rows) {
    it(title, async () => {
      await using directory = await makeDirectory();
      const { path: cwd } = directory;
      const { code, stderr } = await runInProcess(["init", "demo", ...args], { cwd, arch });
      assertEquals(code, 0, stderr);
      const file = JSON.parse(await Deno.readTextFile(join(cwd, "demo.json")));
      assertEquals(file.platform, platform);
    });
  }
});

suite("mlcli init without a terminal", () => {
  it("takes the directory's name, and asks nothing", async () => {
    await using parent = await makeDirectory({ "demo/": "" });
    const { code, stdout, stderr } = await runProgram(["init"], { cwd: join(parent.path, "demo") });
    assertEquals([code, lines(stdout)], [0, FILES]);
    assert(!stderr.includes("["), stderr);
  });

  // https://github.com/npm/cli/issues/1659, https://github.com/astral-sh/uv/pull/16554
  for (const args of [[], ["--yes"]]) {
    it(`asks for a name if the directory's is not valid: ${["init", ...args].join(" ")}`, async () => {
      await using parent = await makeDirectory({ "Untitled Folder/": "" });
      const cwd = join(parent.path, "Untitled Folder");
      const { code, stdout, stderr } = await runInProcess(["init", ...args], { cwd });
      assertEquals([code, stdout], [2, ""]);
      assertMatch(
        stderr,
        /^error: Missing argument NAME: the directory's name "Untitled Folder" is not .*\nhint: /,
      );
      assertEquals(await filesBelow(parent.path), {});
    });
  }

  const REFUSED: readonly (readonly [args: readonly string[], words: string])[] = [
    [["../demo"], 'Argument "NAME"'],
    [["a b"], 'Argument "NAME"'],
    [[".demo"], 'Argument "NAME"'],
    [["demo", "--python-version", "new"], 'Option "--python-version" must be a Python version'],
    [["demo", "--python-version", "3.7"], "of 3.8 or later"],
    [["demo", "--python-version", "3.9", "--base-image", "a"], "cannot be used together"],
    [["demo", "--requirements", "../r.txt"], 'Option "--requirements"'],
    [["demo", "--requirements", "/r.txt"], 'Option "--requirements"'],
    [["demo", "--image-name", "Demo:v1"], 'Option "--image-name"'],
    [["demo", "--platform", "amd64"], 'Option "--platform"'],
    [["demo", "--base-image", "a b"], 'Option "--base-image"'],
    [["demo", "--region", "us-east-1a"], 'Option "--region" must be a region, such as "eu-west-1"'],
    [["a..b"], "--image-name"],
    [["demo", "--unknown"], "--unknown"],
    [["demo", "other"], "other"],
  ];
  for (const [args, words] of REFUSED) {
    it(`refuses ${args.join(" ")}`, async () => {
      await using directory = await makeDirectory();
      const { code, stdout, stderr } = await init(directory, ...args);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^error: .*\nhint: /);
      assertStringIncludes(stderr, words);
      assertEquals(await filesBelow(directory.path), {});
    });
  }

  it("names a configuration file that is broken", async () => {
    await using directory = await makeDirectory({ "demo.json": "{" });
    const { code, stdout, stderr } = await init(directory, "demo");
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "error: demo.json is not valid JSON");
  });

  it("says what is in the way, and makes nothing else", async () => {
    await using directory = await makeDirectory({ demo: "a file" });
    const { code, stdout, stderr } = await init(directory, "demo");
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "error: Cannot create demo/mlcli_base: Not a directory\n");
    assertEquals(await filesBelow(directory.path), { demo: "a file" });
  });
});

suite("mlcli init on a terminal", () => {
  it("asks for the app's name alone, and again after a wrong answer", async () => {
    await using directory = await makeDirectory();
    const { code, screen } = await answerOnTerminal(
      ["init", "--requirements", "r.txt"],
      directory.path,
      "not a name\ndemo\n",
    );
    assertEquals(code, 0, screen);
    assertStringIncludes(screen, "Name of the app [mlcli-test-");
    assertStringIncludes(screen, "Expected a name of letters, digits");
    assertEquals(screen.match(/: \b|\]: /g)?.length, 2, screen);
    assertEquals(JSON.parse(await Deno.readTextFile(join(directory.path, "demo.json"))), {
      $schema: "./demo/mlcli_base/.schema.json",
      image_name: "demo",
      python_version: "3.12",
      requirements: "r.txt",
      metric_definitions: SAMPLE_METRICS,
      ...(Deno.build.arch === "aarch64" ? { platform: "linux/amd64" } : {}),
    });
    // Standard output has results alone: no question.
    const created = lines(await Deno.readTextFile(join(directory.path, "stdout.txt")));
    assertEquals(created, FILES.map((path) => path === "requirements.txt" ? "r.txt" : path));
  });

  type Row = readonly [
    title: string,
    files: Readonly<Record<string, string>>,
    args: readonly string[],
    asked: readonly string[],
  ];
  const rows: readonly Row[] = [
    ["asks for the name of a new app", {}, [], ["Name of the app [demo]"]],
    ["asks nothing if the name is typed", {}, ["demo"], []],
    ["asks nothing about an existing image", {}, ["demo", "--image", "team/a:1"], []],
    ["asks nothing with --yes", {}, ["--yes"], []],
    [
      "converts another tool's project with --yes, without asking",
      {
        ".sagify.json": '{"image_name": "demo", "sagify_module_dir": "src"}',
        "src/sagify_base/training/training.py": "def train(a, b): pass\n",
      },
      ["-y"],
      [],
    ],
  ];
  for (const [title, files, args, asked] of rows) {
    it(title, async () => {
      const entries = Object.entries(files).map(([path, text]) => [`demo/${path}`, text]);
      await using parent = await makeDirectory({ "demo/": "", ...Object.fromEntries(entries) });
      const questions: string[] = [];
      const { code, stdout, stderr } = await runInProcess(["init", ...args], {
        cwd: join(parent.path, "demo"),
        ask: (question, fallback) => {
          questions.push(`${question} [${fallback}]`);
          return Promise.resolve(fallback);
        },
      });
      assertEquals({ code, questions }, { code: 0, questions: asked }, stderr);
      assertEquals(lines(stdout)[0], "demo.json");
      const isConverted = Object.keys(files).length > 0;
      assertEquals(stdout.includes("demo/MIGRATION.md\n"), isConverted, stdout);
    });
  }

  it("asks for the name of another app if the directory has several", async () => {
    const file = '{"image_name": "x"}';
    await using directory = await makeDirectory({ "a.json": file, "b.json": file });
    const { code, stdout } = await runInProcess(["init"], {
      cwd: directory.path,
      ask: () => Promise.resolve("demo"),
    });
    assertEquals([code, lines(stdout)[0]], [0, "demo.json"]);
  });

  it("prints nothing about options that the existing file already has", async () => {
    await using directory = await makeDirectory();
    const { path: cwd } = directory;
    for (let run = 0; run < 2; run++) {
      const { code, stderr } = await runInProcess(["init", "demo", "--region", "eu-west-1"], {
        cwd,
      });
      assertEquals([code, stderr.includes("had no effect")], [0, false]);
    }
  });

  for (const args of [[], ["--from", "."]]) {
    it(`checks options before it asks: ${["init", "--region", "Ireland", ...args].join(" ")}`, async () => {
      await using directory = await makeDirectory({
        ".sagify.json": '{"image_name": "demo", "sagify_module_dir": "src"}',
        "src/sagify_base/training/training.py": "def train(a, b): pass\n",
      });
      const { code, stderr } = await runInProcess(["init", "--region", "Ireland", ...args], {
        cwd: directory.path,
        ask: (question) => Promise.reject(new Error(question)),
      });
      assertEquals(code, 2, stderr);
      assertMatch(stderr, /^error: Option "--region" must be a region, such as "eu-west-1", but /);
    });
  }

  for (
    const [title, redirection] of [
      ["cannot be seen", "2> stderr.txt"],
      ["cannot be answered", "< /dev/null"],
    ] as const
  ) {
    it(`asks nothing that ${title}`, async () => {
      await using directory = await makeDirectory({ "demo/": "" });
      const cwd = join(directory.path, "demo");
      const { code, screen } = await answerOnTerminal(["init"], cwd, "wrong\n", redirection);
      assertEquals(code, 0, screen);
      const stderr = redirection.startsWith("2")
        ? await Deno.readTextFile(join(cwd, "stderr.txt"))
        : screen;
      assert(!`${screen}${stderr}`.includes("Name of the app"), screen);
      assertEquals(
        JSON.parse(await Deno.readTextFile(join(cwd, "demo.json"))).python_version,
        "3.12",
      );
    });
  }

  const ENDS = { "Ctrl-C": "\x03", "Ctrl-D": "\x04" };
  for (const [name, key] of Object.entries(ENDS)) {
    it(`makes nothing after ${name}`, async () => {
      await using directory = await makeDirectory();
      const { code } = await answerOnTerminal(["init"], directory.path, key);
      assertEquals(code, 130);
      assertEquals(await filesBelow(directory.path), { "stdout.txt": "" });
    });
  }

  it("asks nothing about an app that is there", async () => {
    await using directory = await makeDirectory();
    await init(directory, "demo");
    const { code, screen } = await answerOnTerminal(["init"], directory.path, "");
    assertEquals(code, 0);
    assert(!screen.includes("]: "), screen);
  });
});
