import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { type FakeContainer, fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { lastRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const IMAGE = "team/torch:2";
const INPUT = "/opt/ml/processing/input";
const OUTPUT = "/opt/ml/processing/output";

/** An app whose image has been typed, or is typed by these words. */
async function scriptApp(
  process: Readonly<Record<string, unknown>> = { entry_point: "clean.py" },
): Promise<TestApp> {
  const app = await completeApp({ configuration: { image: IMAGE, source_dir: "src", process } });
  await app.write(join(app.directory, "src/clean.py"), "1");
  await app.write(join(app.directory, "raw/a.csv"), "1");
  return app;
}

function sourceOf({ body }: Pick<FakeContainer, "body">, target: string): string | undefined {
  return body.HostConfig.Mounts.find(({ Target }) => Target === target)?.Source;
}

/** What a run's container was given, and how the command ended. */
async function process(
  app: TestApp,
  args: readonly string[],
  play: Play & { readonly keys?: Keys } = {},
) {
  // deno-lint-ignore no-explicit-any -- JSON
  let config: any;
  let codeFiles: readonly string[] = [];
  await using engine = await fakeContainers({
    image: {},
    ...play,
    program: async (container) => {
      if (!container.name.includes("-process-")) return container.end(0);
      const file = join(sourceOf(container, "/opt/ml/config")!, "processingjobconfig.json");
      config = JSON.parse(await Deno.readTextFile(file));
      const own = sourceOf(container, `${INPUT}/code`);
      const within = join(sourceOf(container, INPUT) ?? "/nowhere", "code");
      codeFiles = await namesIn(own ?? within).catch(() => []);
      await (play.program ?? (({ end }) => end(0)))(container);
    },
  });
  const result = await runInProcess(["local", "process", ...args], {
    cwd: app.directory,
    engine,
    env: { XDG_STATE_HOME: app.state },
    ...play.keys && { keys: play.keys },
  });
  const [body] = engine.created;
  const all: { Source: string; Target: string; ReadOnly: boolean }[] = body?.HostConfig.Mounts ??
    [];
  const run = await lastRun(app);
  const mounts = all.filter(({ Target }) => /^\/opt\/ml\/(processing|output|code)/.test(Target))
    .map(({ Source, Target, ReadOnly }) => {
      const from = Source.replace(run, "RUN").replace(app.testPath(), "TEST")
        .replace(app.directory, "DIR");
      return `${from}:${Target.replace(/^\/opt\/ml\//, "")}${ReadOnly ? ":ro" : ""}`;
    });
  return { ...result, body, mounts, config, codeFiles };
}

/** Has written these files to outputs: `clean/a.csv`. */
function writing(files: Readonly<Record<string, string>>, status = 0): Play {
  return {
    program: async (container) => {
      for (const [path, text] of Object.entries(files)) {
        const [name, ...rest] = path.split("/");
        const folder = sourceOf(container, `${OUTPUT}/${name}`)!;
        await Deno.writeTextFile(join(folder, ...rest), text);
      }
      container.end(status);
    },
  };
}

const TYPED = ["--image", IMAGE];

suite("local process with a script of the user's own", () => {
  it("starts it as SDK v2 does, beside the data, with its arguments", async () => {
    await using app = await scriptApp();
    await app.write(app.testPath("input/data/processing/more/x"), "");
    await Deno.symlink("p.csv", app.testPath("input/data/processing/link"));
    const data = app.testPath("input/data/processing/p.csv");
    const run = await process(app, [...TYPED, "--", "--rows", "1 000"], {
      program: async (container) => {
        const copy = sourceOf(container, `${INPUT}/link`)!;
        assertEquals(await Deno.readTextFile(copy), await Deno.readTextFile(data));
        container.end(0);
      },
    });
    assertEquals(run.code, 0, run.stderr);
    assertEquals([run.body.Entrypoint, run.body.Cmd, run.body.HostConfig.Init], [
      ["/bin/sh", `${INPUT}/code/start.sh`, "clean.py"],
      ["--rows", "1 000"],
      undefined,
    ]);
    assertEquals(run.mounts, [
      "RUN/input/input:processing/input",
      "RUN/linked/input/link:processing/input/link:ro",
      "RUN/linked/input/more:processing/input/more:ro",
      "RUN/linked/input/p.csv:processing/input/p.csv:ro",
      "TEST/output:processing/output",
      "TEST/output:output",
    ]);
    assertEquals(run.codeFiles, ["sourcedir.tar.gz", "start.sh"]);
    const { AppSpecification, ProcessingInputs } = run.config;
    assertEquals([AppSpecification.ContainerEntrypoint, AppSpecification.ContainerArguments], [
      run.body.Entrypoint,
      run.body.Cmd,
    ]);
    assertEquals(ProcessingInputs.map((one: { InputName: string }) => one.InputName), [
      "input",
      "code",
    ]);
    const { options, code } = JSON.parse(await Deno.readTextFile(await lastRun(app, "job.json")));
    assertEquals(options, {
      arguments: 2,
      launcher: "script",
      entry_point: "clean.py",
      source_dir: "src",
    });
    assertEquals(await namesIn(app.path("local_test/jobs/code")), [`${code}.tar.gz`]);
    // Nothing of the run's own is left.
    assertEquals(await namesIn(await lastRun(app)), ["job.json"]);
  });

  it("has its code in an input of its own beside named data, in images of mlcli, too", async () => {
    await using app = await scriptApp();
    const data = ["-i", "raw=raw", "-i", "a:/opt/ml/processing/b=src"];
    for (const image of [{}, { Entrypoint: ["/opt/mlcli/entrypoint"] }]) {
      const run = await process(app, [...TYPED, ...data], { image });
      assertEquals([run.code, run.mounts, run.codeFiles], [0, [
        "DIR/raw:processing/input/raw:ro",
        "DIR/src:processing/b:ro",
        "RUN/input/code:processing/input/code",
        "TEST/output:processing/output",
        "TEST/output:output",
      ], ["sourcedir.tar.gz", "start.sh"]], run.stderr);
    }
    const copied = await process(app, [
      ...TYPED,
      ...data,
      "--copy-inputs",
      "-o",
      "clean",
      "--strict",
    ]);
    assertEquals([copied.code, copied.mounts], [0, [
      "RUN/input/raw:processing/input/raw",
      "RUN/input/a:processing/b",
      "RUN/input/code:processing/input/code",
      "RUN/outputs/clean:processing/output/clean",
      "RUN/output:output",
    ]], copied.stderr);
    const plain = await process(app, [...TYPED, "-i", "raw", "--copy-inputs"]);
    assertEquals([plain.mounts[0], plain.codeFiles.length], [
      "RUN/input/input:processing/input",
      2,
    ]);
  });

  it("gives pip what a training's has", async () => {
    await using app = await scriptApp();
    await app.write(join(app.directory, "src/requirements.txt"), "six\n");
    const caches = async (...args: readonly string[]) => {
      const { body, stderr } = await process(app, [...TYPED, ...args]);
      return [body.Env.some((one: string) => one.startsWith("PIP_CACHE_DIR=")), stderr] as const;
    };
    assertEquals((await caches())[0], true);
    assertEquals((await caches("--strict"))[0], false);
    const [hasCache, said] = await caches("--network-isolation");
    assertEquals(hasCache, false);
    assertStringIncludes(said, "warning: The code's packages cannot be installed");
  });

  for (
    const [what, prepare, words, hint] of [
      [
        "something called code",
        (app: TestApp) => app.write(app.testPath("input/data/processing/code/a"), ""),
        /^error: \S+\/processing\/code conflicts with the code, which is mounted at \/opt\/ml\/processing\/input\/code$/m,
        "--input NAME=DIR",
      ],
      [
        "over 100 entries",
        async (app: TestApp) => {
          for (let n = 0; n < 100; n++) {
            await app.write(app.testPath("input/data/processing", `${n}`), "");
          }
        },
        /^error: \S+\/processing contains more than 100 files and directories/m,
        "or copy it with --copy-inputs",
      ],
    ] as const
  ) {
    it(`does not run beside data with ${what}`, async () => {
      await using app = await scriptApp();
      await prepare(app);
      const { code, stderr, body } = await process(app, TYPED);
      assertEquals([code, body], [1, undefined]);
      assertMatch(stderr, words);
      assertStringIncludes(stderr, hint);
    });
  }

  it("gives way to what is typed, and a program of the image to none of its own", async () => {
    await using app = await scriptApp({ command: ["bash", "-c"] });
    const ofFile = await process(app, [...TYPED, "--", "-x"]);
    assertEquals([ofFile.body.Entrypoint, ofFile.body.Cmd], [["bash", "-c"], ["-x"]]);
    const typed = await process(app, [...TYPED, "--entry-point", "./clean.py"]);
    assertEquals([typed.body.Entrypoint[2], typed.body.Cmd], ["clean.py", []]);
    const other = await process(app, [...TYPED, "--command", "own"]);
    assertEquals([other.body.Entrypoint, other.body.HostConfig.Init], [["own"], undefined]);
  });

  it("is refused where the app's file names two programs", async () => {
    for (const [key, value] of [["entry_point", "clean.py"], ["command", ["x"]]] as const) {
      await using app = await scriptApp({ file: "p.py", [key]: value });
      const { code, stderr, body } = await process(app, TYPED);
      assertEquals([code, body], [1, undefined]);
      assertStringIncludes(stderr, `"file" in "process" cannot be used together with "${key}"`);
    }
  });

  for (
    const [args, words] of [
      [["-i", "code=raw"], 'Input name "code" is reserved for code'],
      [["-i", "a=nowhere"], "Not a directory: nowhere (--input a=...)"],
      [["-i", "nowhere"], "Not a directory: nowhere (--input)"],
      [["-i", "a="], 'Option "--input" must end with a directory'],
      [["-i", "a=raw", "-i", "a=src"], 'Two inputs have the name "a"'],
      [["-i", "a:/tmp=raw"], 'Option "--input" must have a path below /opt/ml/processing'],
      [["-i", "raw", "-o", "b:/opt/ml/processing/input/b"], "overlap"],
      [["--file", "p.py", "--entry-point", "a.py"], '"--file" and "--entry-point" cannot be used'],
      [["--source-dir", "src", "--command", "x"], '"--source-dir" has no effect'],
    ] as const
  ) {
    it(`is refused with ${args.join(" ")}`, async () => {
      await using app = await scriptApp();
      const { code, stderr, body } = await process(app, [...TYPED, ...args]);
      assertEquals([code, body], [2, undefined], stderr);
      assertStringIncludes(stderr, words);
    });
  }
});

suite("local process of an image that exists", () => {
  it("runs its own program, with arguments or none", async () => {
    await using app = await scriptApp({});
    for (const args of [[], ["-x", "a b"]]) {
      const run = await process(app, [...TYPED, "--", ...args]);
      assertEquals([run.code, run.body.Entrypoint, run.body.Cmd], [0, undefined, args], run.stderr);
      const { ContainerEntrypoint, ContainerArguments } = run.config.AppSpecification;
      assertEquals([ContainerEntrypoint, ContainerArguments], [null, args.length ? args : null]);
    }
  });

  it("wants a script in one of mlcli's, and has no use for one in others", async () => {
    await using app = await scriptApp({});
    const image = { Entrypoint: ["/opt/mlcli/entrypoint"] };
    const missing = await process(app, TYPED, { image });
    assertEquals([missing.code, missing.body, missing.stderr], [
      2,
      undefined,
      "error: Missing option: use --file, --entry-point or --command\nhint: List the options: mlcli local process " +
      "--help\n",
    ]);
    assertEquals((await process(app, [...TYPED, "-f", "p.py"], { image })).code, 0);
    const other = await process(app, [...TYPED, "-f", "p.py"]);
    assertEquals([other.code, other.body], [2, undefined]);
    assertEquals(
      other.stderr,
      `error: --file requires an image from mlcli init's Dockerfile, but ${IMAGE} is not one\n` +
        "hint: For any image with Python, use --entry-point p.py --source-dir DIR\n",
    );
  });

  it("runs what is typed, whatever the file names, and no command of the file's in another", async () => {
    await using app = await scriptApp();
    const ours = { Entrypoint: ["/opt/mlcli/entrypoint"] };
    const script = await process(app, [...TYPED, "-f", "p.py"], { image: ours });
    assertEquals([script.code, script.body?.Cmd], [0, ["process", "p.py"]], script.stderr);
    await using other = await scriptApp({ command: ["of-the-file"] });
    const own = await process(other, TYPED);
    assertEquals([own.code, own.body?.Entrypoint], [0, ["of-the-file"]], own.stderr);
    const bare = await process(other, ["--image", "team/other:1"]);
    assertEquals([bare.code, bare.body?.Entrypoint], [0, undefined], bare.stderr);
  });

  it("may be of a context of the user's own, which runs bare, too", async () => {
    await using app = await completeApp({ configuration: { context: "image" } });
    const { code, body, stderr } = await process(app, ["--", "all"]);
    assertEquals([code, body?.Entrypoint, body?.Cmd], [0, undefined, ["all"]], stderr);
    const script = await process(app, ["-f", "p.py"]);
    assertEquals([script.code, script.body], [2, undefined]);
    assertMatch(
      script.stderr,
      /^error: --file requires an image from mlcli init's Dockerfile, but test-/,
    );
  });

  it("is told how to become an app, where there is none", async () => {
    await using directory = await makeDirectory({});
    for (const command of ["process", "deploy"]) {
      const line = ["local", command, "--image", IMAGE, "--entry-point", "clean.py"];
      const { code, stderr } = await runInProcess(line, { cwd: directory.path });
      assertEquals(code, 1);
      assertMatch(stderr, /\nhint: Create an app: mlcli init \S+ --image team\/torch:2\n$/);
    }
  });

  it("that has none is told what it may run", async () => {
    await using app = await scriptApp({});
    const { code, stderr } = await process(app, TYPED, {
      answers: { "POST /containers/create": () => refusal(400, "No command specified") },
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: team\/torch:2 has no program to run\n {2}No command specified\n/m);
    assertMatch(stderr, /^hint: .*--command PROGRAM.*--entry-point FILE\.$/m);
  });
});

suite("outputs of local process", () => {
  it("are moved to their places, without setuid and setgid, and links that lead out", async () => {
    await using app = await scriptApp({});
    await Deno.mkdir(join(app.directory, "empty"), { mode: 0o750 });
    const args = [
      "-o",
      "clean=empty",
      "-o",
      "b:/opt/ml/processing/b=new/deep",
      "-o",
      "c",
    ];
    const { code, stderr, mounts } = await process(app, [...TYPED, ...args], {
      program: async (container) => {
        const clean = sourceOf(container, `${OUTPUT}/clean`)!;
        await Deno.mkdir(join(clean, "sub"));
        await Deno.writeTextFile(join(clean, "sub/tool"), "1");
        await Deno.chmod(join(clean, "sub/tool"), 0o6755);
        await Deno.chmod(join(clean, "sub"), 0o2755);
        await Deno.chmod(clean, 0o2777);
        await Deno.symlink("tool", join(clean, "sub/within"));
        await Deno.symlink("to-come", join(clean, "sub/later"));
        await Deno.symlink("/etc/passwd", join(clean, "sub/out"));
        await Deno.symlink("../../x", join(clean, "up"));
        await Deno.symlink("up", join(clean, "chain"));
        await Deno.symlink("round", join(clean, "round"));
        await Deno.writeTextFile(join(sourceOf(container, "/opt/ml/processing/b")!, "b"), "2");
        await Deno.writeTextFile(join(sourceOf(container, "/opt/ml/output")!, "lost"), "");
        container.end(0);
      },
    });
    assertEquals(code, 0, stderr);
    assertEquals(mounts, [
      // The app has some.
      "RUN/code:code",
      "TEST/input/data/processing:processing/input:ro",
      "RUN/outputs/clean:processing/output/clean",
      "RUN/outputs/b:processing/b",
      "RUN/outputs/c:processing/output/c",
      "RUN/output:output",
    ]);
    const at = (...parts: readonly string[]) => join(app.directory, ...parts);
    const modeOf = async (path: string) => (await Deno.lstat(path)).mode! & 0o7777;
    assertEquals(await namesIn(at("empty")), ["chain", "round", "sub"]);
    assertEquals(await namesIn(at("empty/sub")), ["later", "tool", "within"]);
    assertEquals(await modeOf(at("empty/sub/tool")), 0o755);
    assertEquals(await modeOf(at("empty/sub")), 0o755);
    assertEquals(await modeOf(at("empty")), 0o750);
    assertEquals(await Deno.readTextFile(at("new/deep/b")), "2");
    assertEquals(await namesIn(app.testPath("output/c")), []);
    assertEquals(await namesIn(await lastRun(app)), ["job.json"]);
    assertStringIncludes(
      stderr,
      "warning: Output clean does not include pipes, sockets and links that point outside it: " +
        "sub/out, up\n",
    );
    assertStringIncludes(
      stderr,
      "warning: Processing wrote files to /opt/ml/output, so they are lost: lost",
    );
    assertEquals(await namesIn(app.testPath("output")), ["c"]);
  });

  it("without a name are all of the output's directory", async () => {
    await using app = await scriptApp({});
    const { code, mounts } = await process(app, [...TYPED, "-o", "./all"], {
      program: async (container) => {
        await Deno.writeTextFile(join(sourceOf(container, OUTPUT)!, "a"), "1");
        container.end(0);
      },
    });
    assertEquals([code, mounts[2]], [0, "RUN/outputs/output:processing/output"]);
    assertEquals(await namesIn(join(app.directory, "all")), ["a"]);
  });

  it("are no violation under --strict, but what is written beside them is, and keeps them", async () => {
    await using app = await scriptApp({});
    await app.write(app.testPath("output/earlier"), "of another run");
    const good = await process(
      app,
      [...TYPED, "--strict", "-o", "clean=a"],
      writing({ "clean/x": "1" }),
    );
    assertEquals([good.code, await namesIn(join(app.directory, "a"))], [0, ["x"]], good.stderr);
    const bad = await process(app, [...TYPED, "--strict", "-o", "clean=b"], {
      program: async (container) => {
        await Deno.writeTextFile(join(sourceOf(container, `${OUTPUT}/clean`)!, "x"), "1");
        await Deno.writeTextFile(join(sourceOf(container, "/opt/ml/output")!, "lost"), "");
        container.end(0);
      },
    });
    assertEquals(bad.code, 1);
    assertMatch(bad.stderr, /^note: The outputs of this run are in \S+\/outputs$/m);
    assertEquals(await namesIn(await lastRun(app, "outputs/clean")), ["x"]);
    assertEquals((await namesIn(app.directory)).includes("b"), false);
  });

  it("stay with a run that failed, and are nothing where it wrote nothing", async () => {
    await using app = await scriptApp({});
    const args = [...TYPED, "-o", "clean=a"];
    const { code, stderr } = await process(app, args, writing({ "clean/x": "1" }, 3));
    const kept = (await lastRun(app, "outputs")).slice(app.directory.length + 1);
    assertEquals(code, 3);
    assertStringIncludes(stderr, `note: The outputs of this run are in ${kept}\n`);
    assertEquals(await namesIn(join(app.directory, kept, "clean")), ["x"]);
    const empty = await process(app, args, writing({}, 3));
    assertEquals([empty.code, empty.stderr.includes("outputs")], [3, false]);
    assertEquals(await namesIn(await lastRun(app)), ["job.json"]);
  });

  it("stay with a run that is stopped, however well it ended", async () => {
    await using app = await scriptApp({});
    const keys = new Keys();
    const { code } = await process(app, [...TYPED, "-o", "clean=a"], {
      keys,
      program: async (container) => {
        await Deno.writeTextFile(join(sourceOf(container, `${OUTPUT}/clean`)!, "x"), "1");
        keys.press();
      },
      onStop: ({ end }) => end(0),
    });
    assertEquals([code, await namesIn(await lastRun(app, "outputs/clean"))], [130, ["x"]]);
    assertEquals((await namesIn(app.directory)).includes("a"), false);
  });

  for (
    const [what, args, prepare, words] of [
      [
        "to what is not empty",
        ["-o", "clean=raw"],
        () => {},
        "The directory is not empty: raw (--output-dir)\nhint: Choose an empty or new directory",
      ],
      ["to a file", ["-o", "clean=raw/a.csv"], () => {}, "Not a directory: raw/a.csv"],
      [
        "to an earlier result",
        ["-o", "clean"],
        (app: TestApp) => app.write(app.testPath("output/clean/x"), ""),
        "test_dir/output/clean (--output-dir)\nhint: Choose an empty or new directory that you " +
        "can write to: --output-dir clean=DIR",
      ],
      [
        "by a link of the repository's",
        ["-o", "clean"],
        async (app: TestApp) => {
          await Deno.mkdir(app.testPath("output"), { recursive: true });
          await Deno.mkdir(join(app.directory, "free"));
          await Deno.symlink(join(app.directory, "free"), app.testPath("output/clean"));
        },
        "Not a directory: ",
      ],
    ] as const
  ) {
    it(`do not go ${what}, which is said before anything starts`, async () => {
      await using app = await scriptApp({});
      await prepare(app);
      const { code, stderr, body } = await process(app, [...TYPED, ...args]);
      assertEquals([code, body], [1, undefined], stderr);
      assertStringIncludes(stderr, words);
    });
  }

  it("do not follow a link that appears in the repository during the run", async () => {
    await using elsewhere = await makeDirectory();
    await using app = await scriptApp({});
    await app.write(join(app.directory, ".git/HEAD"), "");
    const { code, stderr } = await process(app, [...TYPED, "-o", "clean=away/x"], {
      program: async (container) => {
        await Deno.symlink(elsewhere.path, join(app.directory, "away"));
        await Deno.writeTextFile(join(sourceOf(container, `${OUTPUT}/clean`)!, "y"), "1");
        container.end(0);
      },
    });
    assertEquals([code, await namesIn(elsewhere.path)], [1, []]);
    assertStringIncludes(stderr, "error: Cannot move output clean: away/x points outside ");
  });

  it("do not lie in one another, nor around inputs and code", async () => {
    await using app = await scriptApp();
    for (
      const [args, words] of [
        [["-o", "a=r", "-o", "b=r"], "Directories overlap"],
        [["-o", "a=r", "-o", "b=r/b"], "Directories overlap"],
        [["-i", "raw=raw", "-o", "a=raw/b"], "Directories overlap"],
        [["-o", "a=raw/a.csv/x"], "Not inside a directory: "],
        [["-o", "x:/opt/ml/processing/input/y=r"], "overlap"],
        [["-i", "a=raw", "-o", "x:/opt/ml/processing/input=r"], "overlap"],
        [["-i", "a=s3://bucket/x"], 'must be a local directory, but got "s3://bucket/x"'],
        [["-o", "a=s3://bucket/x"], 'must be a local directory, but got "s3://bucket/x"'],
      ] as const
    ) {
      const { code, body, stderr } = await process(app, [...TYPED, ...args]);
      assertEquals([code === 0, body], [false, undefined], args.join(" "));
      assertStringIncludes(stderr, words);
    }
  });

  it("are told of: where they are, and that one is empty", async () => {
    await using app = await scriptApp({});
    const { code, stderr } = await process(app, [...TYPED, "-o", "a=first", "-o", "b=second"], {
      program: async (container) => {
        await Deno.writeTextFile(join(sourceOf(container, `${OUTPUT}/a`)!, "x"), "1");
        container.end(0);
      },
    });
    assertEquals(code, 0);
    assertStringIncludes(stderr, "note: Output a is in first\n");
    assertStringIncludes(
      stderr,
      `warning: Output b is empty: nothing was written to ${OUTPUT}/b\n`,
    );
  });

  it("stay with the run where something has come in their way; others are moved", async () => {
    await using app = await scriptApp({});
    const args = ["-o", "a=first", "-o", "b=second"];
    const { code, stderr } = await process(app, [...TYPED, ...args], {
      program: async (container) => {
        for (const name of ["a", "b"]) {
          await Deno.writeTextFile(join(sourceOf(container, `${OUTPUT}/${name}`)!, "x"), name);
        }
        await app.write(join(app.directory, "second/mine"), "");
        container.end(0);
      },
    });
    const kept = (await lastRun(app, "outputs/b")).slice(app.directory.length + 1);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "error: Cannot move output b: The directory is not empty: second (--output-dir)\n" +
        `hint: Get output b from ${kept}\n`,
    );
    assertEquals(await namesIn(join(app.directory, "first")), ["x"]);
    assertEquals(await namesIn(join(app.directory, "second")), ["mine"]);
    assertEquals(await namesIn(join(app.directory, kept)), ["x"]);
  });
});
