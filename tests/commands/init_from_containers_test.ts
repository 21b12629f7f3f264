import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { contentOf, filesBelow, makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import { runInProcess } from "../helpers/in_process.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const PREDICT = "class Predictor:\n    def predict(self, text: str):\n        return text\n";

const FILE = "predict: predict.py";

/** Makes an app in `cwd`, below the directory of the test. */
async function initFrom(
  directory: TestDirectory,
  cwd: string,
  ...args: readonly string[]
): Promise<ProgramResult> {
  await Deno.mkdir(join(directory.path, cwd), { recursive: true });
  return await runInProcess(["init", ...args], { cwd: join(directory.path, cwd) });
}

/** A project of cog with this configuration. */
function cogFiles(yaml: string, more: Readonly<Record<string, string>> = {}) {
  return { "shop/cog.yaml": yaml, "shop/predict.py": PREDICT, ...more };
}

/** The app that is made of one, from a directory beside it, by its files' paths below `mlcli_base/`. */
async function cogApp(yaml: string, more: Readonly<Record<string, string>> = {}) {
  await using directory = await makeDirectory(cogFiles(yaml, more));
  const before = await contentOf(join(directory.path, "shop"));
  const result = await initFrom(directory, "here", "--from", "../shop");
  assertEquals(await contentOf(join(directory.path, "shop")), before);
  const all = await filesBelow(join(directory.path, "here"));
  const below = Object.entries(all).map(([path, text]) =>
    [path.replace("shop/mlcli_base/", ""), text] as const
  );
  return { ...result, files: Object.fromEntries(below), all };
}

function linesOf(text: string | undefined, pattern: RegExp): readonly string[] {
  return (text ?? "").split("\n").filter((line) => pattern.test(line));
}

suite("mlcli init --from a cog project", () => {
  it("takes over its code, its packages, and what its image has", async () => {
    const yaml = `
build:
  python_version: "3.11"
  gpu: true
  system_packages: [libgomp1, ffmpeg=7:4.1]
  python_requirements: needs.txt
  pre_install: ["curl -L https://example.org/a | sh"]
  run:
    - make install
    - command: make private
      mounts: [{type: secret, id: pip, target: /etc/pip.conf}]
environment: [MODE=fast, "GREETING='hi there'"]
predict: "predict.py:Predictor"
train: "train.py:train"
`;
    const { code, stderr, files, all } = await cogApp(yaml, {
      "shop/needs.txt":
        "# ours\nsix==1.16.0 \\\n  --hash=sha256:00\n\n--extra-index-url https://a.b/c\n",
      "shop/words/ends.py": "END = '!'\n",
      "shop/.env": "SECRET=1\n",
      "shop/__pycache__/predict.pyc": "",
    });
    assertEquals(code, 0, stderr);
    assertEquals(JSON.parse(all["shop.json"]!), {
      $schema: "./shop/mlcli_base/.schema.json",
      python_version: "3.11",
      requirements: "shop/mlcli_base/requirements.txt",
      local: { gpus: "all" },
    });
    assertEquals(
      Object.keys(files).filter((path) => /^(prediction|training)\//.test(path)).sort(),
      [
        ...["prediction/cog.yaml", "prediction/needs.txt", "prediction/predict.py"],
        ...["prediction/serve", "prediction/words/ends.py", "training/training.py"],
      ],
    );
    assertEquals(linesOf(files["requirements.txt"], /^[^#]/), [
      "cog",
      "six==1.16.0   --hash=sha256:00",
    ]);
    assertEquals(
      linesOf(files["Dockerfile"], /^(FROM|ENV|RUN|COPY \.mlcli\/ |# From cog)/),
      [
        "FROM ${BASE_IMAGE}",
        "# From cog.yaml.",
        "ENV MODE=fast",
        "ENV GREETING='hi there'",
        "RUN apt-get update && apt-get install -y libgomp1 ffmpeg=7:4.1",
        "RUN curl -L https://example.org/a | sh",
        "RUN --mount=type=cache,target=/root/.cache/pip \\",
        "# From cog.yaml.",
        "RUN make install",
        "COPY .mlcli/ /opt/mlcli/",
        'RUN "$(command -v python3 || command -v python)" -m compileall -qq /opt/mlcli || true',
      ],
    );
    assertStringIncludes(
      files["prediction/serve"]!,
      'load_predictor_from_ref("predict.py:Predictor")',
    );
    const migration = all["shop/MIGRATION.md"]!;
    for (
      const said of [
        /Keys of cog\.yaml that were not converted: "train"/,
        /Move to a base image, because mlcli build does not mount secrets: "make private"/,
        /Not from a package index \(add the ones you trust to shop\/mlcli_base\/requirements\.txt\): "--extra/,
        /base_image/,
        /\.env/,
      ]
    ) {
      assertMatch(stderr, said);
      assertMatch(migration, said);
    }
    assertEquals(linesOf(stderr, /^ {2}mlcli /).map((line) => line.trim()), [
      "mlcli build",
      "mlcli local deploy",
      `mlcli local invoke '{"input": {}}'`,
      "mlcli local stop",
    ]);
  });

  it("takes what its requirements refer to, to where pip looks for it", async () => {
    // https://github.com/replicate/cog/issues/1945
    const { code, stderr, files } = await cogApp(`build: {python_requirements: n.txt}\n${FILE}`, {
      "shop/n.txt": "mylibpackage.zip\n-r more.txt\n./predict.py\n-f https://a.b/c\n",
      "shop/mylibpackage.zip": "zip",
      "shop/more.txt": "six\n../lib\n--trusted-host a.b\n",
    });
    assertEquals(code, 0, stderr);
    assertEquals(linesOf(files["requirements.txt"], /^[^#]/), [
      ...["cog", "mylibpackage.zip", "-r more.txt"],
    ]);
    assertEquals([files["mylibpackage.zip"], files["more.txt"]], ["zip", "six\n"]);
    for (
      const said of [
        "Not copied: more.txt, line 2: ../lib is outside the project's directory",
        '/requirements.txt): "./predict.py", "-f https://a.b/c", "../lib", "--trusted-host a.b"',
      ]
    ) assertStringIncludes(stderr, said);
  });

  for (
    const [what, yaml, files, requirements, said] of [
      [
        // https://github.com/replicate/cog/issues/2077
        "a wheel among python_packages",
        "build: {python_packages: [./dist/tiny-1.0-py3-none-any.whl, six]}",
        { "shop/dist/tiny-1.0-py3-none-any.whl": "zip" },
        ["cog", "./dist/tiny-1.0-py3-none-any.whl", "six"],
        [],
      ],
      [
        "an archive that is not there, or is elsewhere",
        "build: {python_packages: [./dist/a.whl, ../b.whl]}",
        { "b.whl": "zip" },
        ["cog"],
        [
          "Not copied: cog.yaml: ./dist/a.whl does not exist",
          "Not copied: cog.yaml: ../b.whl is outside the project's directory",
        ],
      ],
      [
        // https://github.com/replicate/cog/blob/main/docs/private-package-registry.md
        "a private index with a login",
        "build: {python_packages: ['--index-url https://me:pass@pypi.example.org/simple', --pre, six]}",
        {},
        ["cog", "--pre", "six"],
        ['/requirements.txt): "--index-url https://pypi.example.org/simple"'],
      ],
      [
        "a login whose password has a slash",
        "build: {python_packages: ['--index-url https://me:pa/ss@h.example.org/simple']}",
        {},
        ["cog"],
        ['/requirements.txt): "--index-url https://h.example.org/simple"'],
      ],
      [
        "lines that pip would read as more than a package of an index",
        `build:
  python_packages:
    - six --hash=sha256:00 --index-url https://a.b/c
    - "http://a.b/x.tar.gz"
    - "https://a.b/x.tar.gz"
    - "x @ https://a.b/\${HOME}/x"
    - git+ssh://a.b/x
    - /etc/x
    - six --hash=sha256:00`,
        {},
        ["cog", "https://a.b/x.tar.gz", "six --hash=sha256:00"],
        [
          '"six --hash=sha256:00 --index-url https://a.b/c", "http://a.b/x.tar.gz", ' +
          '"x @ https://a.b/${HOME}/x", "git+ssh://a.b/x", "/etc/x"',
        ],
      ],
      [
        "cog among the packages",
        "build: {sdk_version: 0.18.0, python_packages: [cog==0.9.4, 'Cog[x]>=0.8', coglet, cog-x]}",
        {},
        ["cog==0.18.0", "cog-x"],
        ['The image has cog 0.18.0 instead of: "cog==0.9.4", "Cog[x]>=0.8", "coglet"'],
      ],
      ["a version without quotes", "build: {sdk_version: 0.20}", {}, ["cog==0.20"], []],
      [
        // https://github.com/replicate/cog/pull/2258
        "a cog that fails with a new pydantic",
        "build: {sdk_version: 0.16.12, python_packages: [pydantic-settings]}",
        {},
        ["cog==0.16.12", "pydantic<2.12", "pydantic-settings"],
        [],
      ],
      [
        "a cog that fails with a new pydantic, which the project names",
        "build: {sdk_version: 0.15.0, python_packages: [pydantic==2.12.3]}",
        {},
        ["cog==0.15.0", "pydantic==2.12.3"],
        [],
      ],
      [
        "a cog that fails with a new pydantic, which an included file names",
        "build: {sdk_version: 0.16.0, python_packages: [-c more.txt]}",
        { "shop/more.txt": "pydantic==2.12.3\n" },
        ["cog==0.16.0", "-c more.txt"],
        [],
      ],
      ["a cog without pydantic", "build: {sdk_version: 0.17.0}", {}, ["cog==0.17.0"], []],
      [
        "a package of PyTorch's index",
        "build: {python_packages: [torch==2.1.0+cu118]}",
        {},
        ["cog", "torch==2.1.0+cu118"],
        ["--extra-index-url https://download.pytorch.org/whl/cu118"],
      ],
      [
        // https://github.com/rmokady/CLIP_prefix_caption/issues/58, https://github.com/replicate/cog/pull/1383
        "packages in Git",
        `build:
  python_packages:
    - git+https://github.com/openai/CLIP.git@v1
    - git+ssh://git@github.com/org/private@v1
    - private @ git+https://me:pass@github.com/org/private`,
        {},
        ["cog", "git+https://github.com/openai/CLIP.git@v1"],
        [
          '"git+ssh://github.com/org/private@v1", "private @ git+https://github.com/org/private"',
        ],
      ],
      ["a version of cog", "build: {sdk_version: 0.18.0a1}", {}, ["cog==0.18.0a1"], []],
      [
        "another version of cog",
        "build: {sdk_version: prerelease}",
        {},
        ["cog"],
        [`The image has cog's latest release instead of: "prerelease"`],
      ],
      ["no version", "build: {sdk_version: '1; rm'}", {}, ["cog"], [
        'latest release instead of: "1; rm"',
      ]],
    ] as const
  ) {
    it(`writes requirements for ${what}`, async () => {
      const done = await cogApp(`${yaml}\n${FILE}\n`, files);
      assertEquals(done.code, 0, done.stderr);
      assertEquals(linesOf(done.files["requirements.txt"], /^[^#]/), requirements);
      for (const text of said) assertStringIncludes(done.stderr, text);
      assert(!done.stderr.includes("pass"));
      for (const [path, text] of Object.entries(files)) {
        const place = path.replace("shop/", "");
        const copied = done.all[place] ?? done.files[place];
        assertEquals(copied, path.startsWith("shop/") ? text : undefined);
      }
    });
  }

  for (
    const [packages, installed, said] of [
      // https://github.com/Zeyi-Lin/HivisionIDPhotos/issues/265, https://github.com/replicate/cog/pull/2370
      [
        "ffmpeg, libgl1-mesa-glx, libglib2.0-0",
        "ffmpeg libgl1 libglib2.0-0",
        "Replaced Ubuntu's libgl1-mesa-glx with Debian's libgl1\n",
      ],
      [
        "libgl1, libgl1-mesa-glx",
        "libgl1",
        "Replaced Ubuntu's libgl1-mesa-glx with Debian's libgl1\n",
      ],
      ["libssl1.1, git", "git", "Not installed, because Debian 13 does not have them: libssl1.1"],
      ["libssl1.1", undefined, "Not installed, because Debian 13 does not have them: libssl1.1"],
    ] as const
  ) {
    it(`installs ${installed ?? "nothing"} for Ubuntu's ${packages}`, async () => {
      const { stderr, files } = await cogApp(`build: {system_packages: [${packages}]}\n${FILE}`);
      assertStringIncludes(stderr, said);
      assertEquals(
        linesOf(files["Dockerfile"], /^RUN apt-get/),
        installed === undefined ? [] : [`RUN apt-get update && apt-get install -y ${installed}`],
      );
    });
  }

  for (
    const [code, isOld] of [
      // https://github.com/replicate/cog/issues/427
      ['class Predictor(cog.Predictor):\n    @cog.input("username", type=str)\n', true],
      // https://github.com/JingyunLiang/SwinIR/issues/132
      ["import cog\nclass Predictor(cog.Predictor):\n    def setup(self): pass\n", true],
      ["from cog import Path, Predictor\n", true],
      ["from cog import (\n    Input,\n    Predictor,\n)\n", true],
      ["import cog as c\n\nclass Old(c.Predictor):\n    pass\n", true],
      ["from cog import BasePredictor, Input\n    # @cog.input(1)\n", false],
      ["from cog import BasePredictor as Base\nclass Predictor(Base): pass\n", false],
      ["from cog import BasePredictor as Predictor\nclass P(Predictor): pass\n", false],
      ["from cog import BasePredictor  # was Predictor\n", false],
      ["# class Predictor(cog.Predictor):\nfrom cog import BasePredictor\n", false],
      ['"""Replaces cog.Predictor."""\nimport cog\nclass P(cog.BasePredictor): pass\n', false],
      ["import cog as c\nimport b\nclass P(b.Predictor): pass\n", false],
    ] as const
  ) {
    const does = isOld ? "reports" : "does not report";
    it(`${does} as code for cog before 0.1: ${code.replaceAll("\n", " ")}`, async () => {
      const { code: exit, stderr } = await cogApp(FILE, { "shop/predict.py": code });
      assertEquals([exit, stderr.includes("predict.py uses cog's API before 0.1")], [0, isOld]);
    });
  }

  for (
    const [what, mounts, isReported] of [
      // https://github.com/replicate/cog/pull/1013
      ["two secrets", "[{type: secret, id: a, target: /a}, {type: secret, id: b}]", true],
      ["a bind mount", "[{type: bind, id: a, target: /a}]", true],
      ["mounts that are no list", "a", true],
      ["no mounts", "[]", false],
    ] as const
  ) {
    it(`${isReported ? "reports" : "takes over"} a step of the build with ${what}`, async () => {
      const yaml = `build: {run: [{command: make, mounts: ${mounts}}]}\n${FILE}`;
      const { stderr, files } = await cogApp(yaml);
      const steps = linesOf(files["Dockerfile"], /^RUN .*make$/);
      assertEquals(steps, isReported ? [] : ["RUN make"]);
      assertEquals(stderr.includes('does not mount secrets: "make"'), isReported);
    });
  }

  it("prints at most 20 distinct items of each kind, and 200 characters of each", async () => {
    const many = (item: (index: number) => string) =>
      `[${Array.from({ length: 60 }, (_, index) => item(index % 30)).join()}]`;
    const { code, stderr } = await cogApp(
      `${FILE}\nbuild: {python_packages: ${many((index) => `./no/${index}.py`)}, run: ${
        many((index) => `"[${index} ${"x".repeat(900)}"`)
      }}\n${Array.from({ length: 30 }, (_, index) => `key${index}: 1\n`).join("")}`,
    );
    assertEquals(code, 0);
    assertStringIncludes(stderr, '"./no/19.py" and 10 more');
    assertStringIncludes(stderr, `"[0 ${"x".repeat(195)}", "[1 x`);
    assertStringIncludes(stderr, '"key19" and 10 more');
  });

  it("takes the newer key, cog's default Python, and 3.10 without quotes", async () => {
    for (
      const [yaml, version] of [
        ["run: predict.py", "3.13"],
        ["build: {python_version: 3.10}\npredict: predict.py:Predictor", "3.10"],
        ["build: {python_version: '2.7'}\npredict: predict.py:Predictor", undefined],
      ] as const
    ) {
      const { code, stderr, all } = await cogApp(yaml);
      assertEquals(code, 0, stderr);
      assertEquals(JSON.parse(all["shop.json"]!).python_version, version);
      assertEquals(/python_version/.test(stderr), version === undefined);
    }
  });

  it("gives nothing to a hostile one: what is odd is left out, and said", async () => {
    const yaml = `
build:
  python_version: {toString: 1}
  system_packages: ["x; rm -rf /", "-o=Dir::Etc=/x", "a b", tree]
  python_packages: ["a\\nb", "-r /etc/passwd", "-e git+https://me:pass@a.b/c", "../x", "name @ file:///etc", "--install-option=x", six]
  pre_install: {command: {toString: 1}}
  run: ["--mount=type=bind,source=.mlcli-build,target=/x cat /x/netrc", "a \\\\", "cat <<E", "a\\nUSER b",
    '["x"]', "\\u202eb", 7, [], null, {command: null}, "true"]
environment: [A, "B=1\\nUSER x", "C=\\\\", "D=1", 1.5, {E: 1}]
predict: "predict.py:Predictor"
"odd\\nkey": 1
`;
    const { code, stdout, stderr, files } = await cogApp(yaml, { "shop/a\n\u001b[2J.py": "" });
    assertEquals(code, 0, stderr);
    const lines = linesOf(files["Dockerfile"], /^(ENV|RUN|USER|EOF)/);
    assertEquals(lines.map((line) => line.replace(/ --mount.*|"\$\(.*/, "")), [
      ...["ENV D=1", "RUN apt-get update && apt-get install -y tree", "RUN", "RUN 7", "RUN true"],
      "RUN ",
    ]);
    assertEquals(linesOf(files["requirements.txt"], /^[^#]/), ["cog", "six"]);
    for (const odd of ["-r /etc/passwd", "x; rm -rf /", "odd?key", "a?USER b"]) {
      assertStringIncludes(stderr, odd);
    }
    const said = stdout + stderr + files["Dockerfile"];
    assert(["\nUSER", "\u202e", "\u001b", "pass@"].every((odd) => !said.includes(odd)));
  });

  for (
    const [what, yaml, error] of [
      ["no mapping", "- a", /cog\.yaml must contain a mapping/],
      ["no YAML", "a: [", /Cannot parse \S+\/shop\/cog\.yaml as YAML: .*\(line 1\)/],
      [
        "a bomb",
        "a: &a [1,1]\n" + bomb("b", "a") + bomb("c", "b") + bomb("d", "c"),
        /as YAML: it contains more than 20 aliases/,
      ],
      ["a cog.yaml of 64 KiB", "#".repeat(65_537), /cog\.yaml: Is larger than 64 KiB/],
      ["no predictor", "build: {}", /names a file that is not in the project: ""/],
      ["a predictor elsewhere", "predict: ../x.py:Y", /"\.\.\/x\.py"/],
      ["a private one", "predict: .env:Y", /"\.env"/],
      [
        "one that is code",
        "predict: 'predict.py:Y\")\\nimport os'",
        /names a file that is not in the project/,
      ],
      ["other requirements", `${FILE}\nbuild: {python_requirements: ../x}`, /"\.\.\/x"/],
      ["requirements of no type", `${FILE}\nbuild: {python_requirements: [a]}`, /: ""/],
      ["a link out", "predict: out.py:P", /points outside/],
    ] as const
  ) {
    it(`refuses ${what}`, async () => {
      await using directory = await makeDirectory(
        cogFiles(yaml, { "x.py": PREDICT, "x": "six\n", "shop/.env": PREDICT }),
      );
      await Deno.symlink("../x.py", join(directory.path, "shop/out.py"));
      const { code, stderr } = await initFrom(directory, "here", "--from", "../shop");
      assertEquals(code, 1);
      assertMatch(stderr, error);
      assertEquals(await contentOf(join(directory.path, "here")), {});
    });
  }

  it("may be the current directory; the second time nothing changes", async () => {
    await using directory = await makeDirectory(cogFiles(FILE, {
      // A package that is called as the project is.
      "shop/shop/__init__.py": "A = 1\n",
      "shop/requirements.txt": "six\n",
    }));
    const shop = join(directory.path, "shop");
    const before = await filesBelow(shop);
    assertEquals((await initFrom(directory, "shop", "--from", ".")).code, 0);
    const made = await filesBelow(shop);
    for (const [path, text] of Object.entries(before)) {
      assertEquals([made[path], made[`shop/mlcli_base/prediction/${path}`]], [text, text], path);
    }
    const { stderr } = await initFrom(directory, "shop", "--from", ".");
    assertStringIncludes(stderr, "Nothing to do: shop is complete");
    assertEquals(await filesBelow(shop), made);
  });
});

function bomb(name: string, of: string): string {
  return `${name}: &${name} [${Array(30).fill(`*${of}`).join()}]\n`;
}

/** As scikit_bring_your_own: the container's directory below that of the example. */
const EXAMPLE = {
  "shop/container/Dockerfile":
    "FROM ubuntu:16.04\nENV PATH=/opt/program:$PATH\nCOPY trees /opt/program\n",
  "shop/container/trees/train": "#!/usr/bin/env python\n",
  "shop/container/trees/serve": "#!/usr/bin/env python\n",
  "shop/container/.dockerignore": "local_test\n",
  "shop/container/local_test/payload.csv": "1,2\n",
  "shop/container/local_test/test_dir/input/config/hyperparameters.json": '{"leaves": "5"}',
  "shop/container/local_test/test_dir/input/config/resourceConfig.json": "{}",
  "shop/container/local_test/test_dir/input/data/training/rows.csv": "a,1\n",
  "shop/container/local_test/test_dir/model/old.pkl": "old",
};

const TEST_INPUT = "shop/mlcli_base/local_test/test_dir/input";

suite("mlcli init --from a Dockerfile for SageMaker", () => {
  it("names its directory, and copies its test data", async () => {
    await using directory = await makeDirectory(EXAMPLE);
    const { code, stderr } = await initFrom(directory, ".", "--from", "shop");
    assertEquals(code, 0, stderr);
    const { "shop.json": json, ...files } = await filesBelow(directory.path);
    assertEquals(JSON.parse(json!).context, "shop/container");
    assertEquals(Object.keys(files).filter((path) => path.startsWith(TEST_INPUT)).sort(), [
      `${TEST_INPUT}/config/hyperparameters.json`,
      `${TEST_INPUT}/data/training/rows.csv`,
    ]);
    for (const [path, text] of Object.entries(EXAMPLE)) assertEquals(files[path], text);
    assertMatch(stderr, /^note: FROM ubuntu:16\.04 might be too old/m);
    assertMatch(stderr, /^ {2}mlcli local invoke shop\/container\/local_test\/payload\.csv$/m);
    const again = await initFrom(directory, ".", "--from", "shop", "--dry-run");
    assertEquals([again.code, again.stdout], [0, ""]);
  });

  it("copies a directory that lies elsewhere, modes included", async () => {
    await using directory = await makeDirectory(EXAMPLE);
    await Deno.chmod(join(directory.path, "shop/container/trees/train"), 0o755);
    const { code, stderr } = await initFrom(directory, "here", "trees", "--from", "../shop");
    assertEquals(code, 0, stderr);
    const here = join(directory.path, "here");
    const json = await Deno.readTextFile(join(here, "trees.json"));
    assertEquals(JSON.parse(json).context, "trees/container");
    const copied = await filesBelow(join(here, "trees/container"));
    assertEquals(copied, await filesBelow(join(directory.path, "shop/container")));
    const modes = ["train", "serve"].map((name) =>
      Deno.statSync(join(here, "trees/container/trees", name)).mode! & 0o111
    );
    assertEquals(modes, [0o111, 0]);
  });

  for (
    const [dockerfile, beside, isOne] of [
      ["COPY train /bin/", "train", true],
      ["COPY . /opt/program", "serve", true],
      ["ENV SAGEMAKER_PROGRAM=train.py", "train.py", true],
      ['ENTRYPOINT ["run", "/opt/ml/code/run.py"]', "run.py", true],
      ['ENTRYPOINT ["run", "/opt/ml/processing/run.py"]', "run.py", false],
      ['COPY . /app\nCMD ["uvicorn", "app"]', "app.py", false],
      ["COPY train missing /bin/", "train", false],
      ["COPY --from=other train /bin/", "train", false],
      ["COPY . /app", "train/__init__.py", false],
    ] as const
  ) {
    it(`${isOne ? "takes" : "does not take"} ${dockerfile.replace("\n", ", ")} beside ${beside}`, async () => {
      await using directory = await makeDirectory({ Dockerfile: dockerfile, [beside]: "" });
      const { code, stderr } = await initFrom(directory, ".", "shop", "--from", ".", "--dry-run");
      assertEquals(code, isOne ? 0 : 2, stderr);
    });
  }

  it("does not follow a Dockerfile out of the repository", async () => {
    const dockerfile = { "shop/a": "", Dockerfile: "COPY train /\n", train: "" };
    await using directory = await makeDirectory(dockerfile);
    await Deno.symlink("../Dockerfile", join(directory.path, "shop/Dockerfile"));
    const { code, stderr } = await initFrom(directory, "here", "--from", "../shop");
    assertEquals(code, 2);
    assertMatch(stderr, /^error: No supported project found in /);
  });
});

const WEB = /is a web application.*GET \/ping .* on 0\.0\.0\.0:8080/;

suite("mlcli init --from what mlcli does not take over", () => {
  for (
    const [path, text, hint] of [
      [
        "run.py",
        "import sagemaker\nx.fit(y)\n",
        /: run\.py starts SageMaker jobs.*training-job\/NAME/,
      ],
      ["a/run.py", "from sagemaker.x import ModelTrainer\nModelTrainer()\n", /a\/run\.py starts/],
      ["a.py", "import sagemaker\n", /mlcli converts a/],
      ["app.py", "from fastapi import FastAPI\n", WEB],
      ["src/app.py", "import flask\n", WEB],
      ["service.py", "import bentoml\n", /BentoML/],
      ["handler.py", "from ts.torch_handler.base_handler import B\n", /TorchServe/],
      ["a/b/app.py", "import flask\n", /mlcli converts a/],
      ["venv/app.py", "import flask\n", /mlcli converts a/],
      ["a\nb.py", "import flask\n", /a\?b\.py is a web/],
    ] as const
  ) {
    it(`says what to do with ${text.replaceAll("\n", " ")}in ${path.replace("\n", "?")}`, async () => {
      await using directory = await makeDirectory({ [path]: text });
      const { code, stderr } = await initFrom(directory, ".", "shop", "--from", ".");
      assertEquals(code, 2);
      assertMatch(stderr, /^error: No supported project found in \.\n/);
      assertMatch(stderr.replaceAll("\n", " "), hint);
    });
  }
});

/** What each script reads, as in its report, and directories of the channels in the hint. */
const SCRIPTS: Readonly<Record<string, readonly [text: string, channels: readonly string[]]>> = {
  // https://github.com/aws/sagemaker-python-sdk/issues/2521
  "two channels": [
    `    parser.add_argument('--train, type=str,  default=os.environ['SM_CHANNEL_TRAIN])
    parser.add_argument('--val, type=str, default=os.environ['SM_CHANNEL_VAL])
`,
    ["train", "val"],
  ],
  // https://github.com/aws/sagemaker-python-sdk/issues/1292
  "the channel training": [
    "parser.add_argument('--data-dir', type=str, default=os.environ['SM_CHANNEL_TRAINING'])\n",
    ["training"],
  ],
  // https://github.com/aws/amazon-sagemaker-examples/issues/1886
  "variables that may be unset": [
    "parser.add_argument('--model-dir', type=str, default=os.environ.get('SM_MODEL_DIR'))\n" +
    "parser.add_argument('--train', type=str, default=os.environ.get('SM_CHANNEL_TRAIN'))\n",
    ["train"],
  ],
  // https://github.com/FilledEther20/Multimodal_Sentiment_Analysis
  "three channels, each named twice": [
    ["TRAINING", "VALIDATION", "TEST"].map((name) =>
      `SM_CHANNEL_${name}=os.environ.get('SM_CHANNEL_${name}',"opt/ml/input/data/x")\n`
    ).join(""),
    ["training", "validation", "test"],
  ],
  // https://github.com/akanimax/BMSG-GAN/issues/42
  "a framework": ["import torch\nd = os.environ['SM_CHANNEL_TRAINING'],\n", ["training"]],
  "more channels than mlcli shows": [
    Array.from({ length: 25 }, (_, n) => `os.environ["SM_CHANNEL_N${n}"]\n`).join(""),
    Array.from({ length: 20 }, (_, n) => `n${n}`),
  ],
  "more than mlcli reads": [`SM_CHANNEL_A${"#".repeat(2 ** 20)}`, []],
  "no channel": ["os.environ['SM_CHANNELS'], f'SM_CHANNEL_{name}'\n", []],
};

/** What `mlcli init --from` answers in a directory `work` that has these files. */
async function hintIn(
  files: Readonly<Record<string, string>>,
  from = ".",
  cwd = "lab",
): Promise<string> {
  await using directory = await makeDirectory(files);
  const { code, stderr } = await initFrom(directory, cwd, "--from", from);
  assertEquals(code, 2);
  return stderr.replaceAll(directory.path, "/tmp");
}

suite("mlcli init --from a directory with a script", () => {
  for (const [title, [text, channels]] of Object.entries(SCRIPTS)) {
    it(`prints the commands that run train.py, which reads ${title}`, async () => {
      const files = { "lab/src/train.py": text, "lab/src/requirements.txt": "" };
      const folders = channels.map((name) =>
        `  lab/mlcli_base/local_test/test_dir/input/data/${name}/\n`
      );
      assertEquals(
        await hintIn(files),
        "error: No supported project found in .\n" +
          "hint: src/train.py trains a model. Run it in python:3.12 or in an AWS image:\n" +
          "  mlcli init lab --image python:3.12 --source-dir src --entry-point train.py\n" +
          (folders.length === 0 ? "" : "Put the data of each channel into its directory:\n") +
          `${folders.join("")}Then train the model:\n  mlcli local train --app-name lab\n`,
      );
    });
  }

  // https://github.com/aws/sagemaker-scikit-learn-container/issues/77
  it("prints the commands that serve with inference.py", async () => {
    const hint = await hintIn({ "lab/code/inference.py": "def model_fn(model_dir): ...\n" });
    assertStringIncludes(
      hint,
      "hint: code/inference.py serves a model. Run it in IMAGE, an AWS image for inference:\n" +
        "  mlcli init lab --image IMAGE\n" +
        "Put the model into lab/mlcli_base/local_test/test_dir/model/ and start the server:\n" +
        "  mlcli local deploy --app-name lab --image IMAGE --source-dir code " +
        "--entry-point inference.py\n",
    );
  });

  it("prints the commands for both scripts of a directory", async () => {
    const hint = await hintIn({ "lab/train.py": "", "lab/inference.py": "" });
    assertEquals(hint.split("\n").filter((line) => line.startsWith("  ")), [
      "  mlcli init lab --image python:3.12 --source-dir . --entry-point train.py",
      "  mlcli local train --app-name lab",
      "  mlcli local deploy --app-name lab --image IMAGE --source-dir . --entry-point inference.py",
    ]);
    assertStringIncludes(hint, "List the packages that it imports in requirements.txt.\n");
  });

  /** The script's path and more files; what `--from` names; the line of the hint. */
  const places: Readonly<
    Record<string, readonly [file: string | string[], from: string, line: string]>
  > = {
    "a directory elsewhere": [
      "my shop/train.py",
      "../my shop",
      "cd '/tmp/my shop' && mlcli init my-shop --image python:3.12 --source-dir . --entry",
    ],
    "the directory that is named": ["lab/shop/train.py", "shop", "mlcli init lab --image"],
    "a directory that is called as this one": [
      "lab/lab/train.py",
      "lab",
      "mlcli init lab-app --im",
    ],
    "a directory with a quote": [
      "lab/it's\n/train.py",
      ".",
      "mlcli init lab --image python:3.12 --source-dir 'it'\\''s?' --entry-point train.py",
    ],
    "a directory that begins with a dash": [
      "lab/-x/train.py",
      ".",
      "mlcli init lab --image python:3.12 --source-dir ./-x --entry-point train.py",
    ],
    "a directory with an app of its name": [
      ["lab/train.py", "lab/lab.json", "lab/lab-app/a.csv"],
      ".",
      "mlcli init lab-app-app --image",
    ],
    "a directory with more files below": [
      ["lab/train.py", ...Array.from({ length: 201 }, (_, n) => `lab/data/f${n}.py`)],
      ".",
      "mlcli init lab --image python:3.12 --source-dir . --entry-point train.py",
    ],
  };
  for (const [title, [file, from, line]] of Object.entries(places)) {
    it(`prints a command that works if train.py is in ${title}`, async () => {
      const files = Object.fromEntries([file].flat().map((one) => [one, ""]));
      assertStringIncludes(await hintIn(files, from), `\n  ${line}`);
    });
  }

  it("asks for the directory of a train.py that is deeper", async () => {
    const files = { "lab/src/a/train.py": "" };
    const hint = "For a train.py in a subdirectory, run mlcli init --from DIR\n";
    assertStringIncludes(await hintIn(files), hint);
    assertStringIncludes(await hintIn(files, "src/a"), "--source-dir src/a --entry-point train.py");
  });

  it("prints the script at the top, and none that belongs to another tool", async () => {
    const files = {
      "lab/old/train.py": "",
      "lab/train.py": "",
      "lab/inference.py": "from fastapi import FastAPI\n",
    };
    assertStringIncludes(await hintIn(files), "--source-dir . --entry-point train.py");
    assertEquals((await hintIn(files)).includes("inference.py"), false);
    const starts = { "lab/train.py": "import sagemaker\nestimator.fit(inputs)\n" };
    assertStringIncludes(await hintIn(starts), "train.py starts SageMaker jobs");
  });
});
