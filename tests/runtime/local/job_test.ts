import { isFile } from "../../../runtime/files.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { OutputClosed } from "../../../runtime/errors.ts";
import { completeApp } from "../../helpers/app.ts";
import { sourceOf } from "../../helpers/app_on_disk.ts";
import { namesIn } from "../../helpers/directory.ts";
import {
  type FakeContainer,
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
  type Play,
} from "../../helpers/fake_containers.ts";
import { done, never, refusal } from "../../helpers/fake_engine.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun, runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Run extends ProgramResult {
  readonly course: readonly string[];
  /** The queries of removals and of stops. */
  readonly removals: readonly Readonly<Record<string, string>>[];
  readonly stops: readonly Readonly<Record<string, string>>[];
  /** What is left of it: containers, and directories beside `test_dir`. */
  readonly left: readonly string[];
}

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "--file", "p.py"];

async function run(
  play: Play,
  args: readonly string[] = TRAIN,
  options: Partial<InProcessOptions> = {},
): Promise<Run> {
  await using app = await completeApp();
  await using engine = await fakeContainers(play);
  const result = besidesRun(await runInProcess(args, { cwd: app.directory, engine, ...options }));
  const besides = await Array.fromAsync(Deno.readDir(app.path("local_test")), ({ name }) => name);
  return {
    ...result,
    course: [...engine.course.slice(0, 2).toSorted(), ...engine.course.slice(2)],
    removals: engine.callsOf("DELETE /containers/ID").map(({ query }) => query),
    stops: engine.callsOf("POST /containers/ID/stop").map(({ query }) => query),
    left: [...engine.left, ...besides.filter((name) => !["test_dir", "jobs"].includes(name))],
  };
}

/** What is asked first, side by side. */
const QUESTIONS = ["GET /images/NAME/json", "GET /info"];
/** What is asked before the container's program runs; attaching and waiting in any order. */
const BEFORE = [...QUESTIONS, "POST /containers/create"];
const AROUND = ["POST /containers/ID/attach", "POST /containers/ID/wait"];
const START = "POST /containers/ID/start";
/** A removal takes the container's anonymous volumes along. */
const REMOVED = { force: "1", v: "1" };

/** Code that says this to standard error, and ends with 1. */
function saying(words: string): (container: FakeContainer) => void {
  return ({ err, end }) => {
    err(words);
    end(1);
  };
}

suite("a training that has ended", () => {
  it("has its model put in place while the engine removes its container", async () => {
    await using app = await completeApp();
    const placed: boolean[] = [];
    await using engine = await fakeContainers({
      program: ({ body, end }) => {
        Deno.writeTextFileSync(`${sourceOf({ body }, "/opt/ml/model")}/weights`, "new");
        end(0);
      },
      async before(kind) {
        if (kind !== AROUND[1]) return;
        placed.push(await isFile(app.testPath("model/weights")));
      },
    });
    await runInProcess(TRAIN, { cwd: app.directory, engine });
    assertEquals(placed, [false, true]);
  });

  it("is waited for until its container is gone, also where its model cannot be put in place", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({
      writesNoModel: true,
      program: ({ body, end }) => {
        Deno.removeSync(sourceOf({ body }, "/opt/ml/model"), { recursive: true });
        end(0);
      },
    });
    const { code, stderr } = await runInProcess(TRAIN, { cwd: app.directory, engine });
    assertMatch(stderr, /^error: The model directory of this run no longer exists: /m);
    const waits = engine.callsOf(AROUND[1]!).map(({ query }) => query.condition);
    assertEquals([code, waits], [1, ["next-exit", "removed"]]);
  });

  it("has its model put in place, also where its container cannot be removed", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({
      isPodman: true,
      program: ({ body, end }) => {
        Deno.writeTextFileSync(`${sourceOf({ body }, "/opt/ml/model")}/weights`, "new");
        end(0);
      },
      answers: { "DELETE /containers/ID": () => refusal(500, "device or resource busy") },
    });
    const { code, stderr } = besidesRun(
      await runInProcess(TRAIN, { cwd: app.directory, engine }),
    );
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^warning: The container mlcli-\S+ might still exist [^]*\nhint: .*\n$/);
    assertEquals(await Deno.readTextFile(app.testPath("model/weights")), "new");
    assertEquals(await namesIn(app.path("local_test")), ["jobs", "test_dir"]);
  });
});

for (const args of [TRAIN, PROCESS]) {
  suite(`a run of mlcli ${args.slice(0, 2).join(" ")}`, () => {
    it("attaches before the start, and leaves the removal to the engine", async () => {
      const program = ({ out, err, end }: FakeContainer): void => {
        out("one\n");
        err("two\n");
        out("three\n");
        end(0);
      };
      const { code, stdout, stderr, course, left } = await run({ program }, args);
      assertEquals({ code, stdout, stderr }, { code: 0, stdout: "one\nthree\n", stderr: "two\n" });
      assertEquals(course.slice(0, 3), BEFORE);
      assertEquals(course.slice(3, 5).toSorted(), AROUND);
      assertEquals(course[5], START);
      assertEquals(course.filter((call) => call.startsWith("DELETE")), []);
      assertEquals(left, []);
    });

    it("ends with the status of the code, and says how it ended", async () => {
      const title = args === TRAIN ? "Training" : "Processing";
      for (
        const [status, words] of [
          [1, "exit code 1"],
          [77, "exit code 77"],
          [137, "exit code 137 (killed by SIGKILL)"],
          [139, "exit code 139 (killed by SIGSEGV, segmentation fault)"],
        ] as const
      ) {
        const { code, stderr, left } = await run({ program: ({ end }) => end(status) }, args);
        assertEquals([code, left], [status, []]);
        assertEquals(stderr.split("\n")[0], `error: ${title} failed: ${words}`);
      }
    });

    it("says that memory ran out, where the engine knows", async () => {
      const answers = { "GET /events": () => new Response('{"Action":"oom"}\n{"Action":"die"}\n') };
      const { code, stderr } = await run({ answers, program: ({ end }) => end(137) }, args);
      assertEquals(code, 137);
      assertMatch(stderr, /\(killed by SIGKILL; out of memory\)\nhint: .*--memory/);
    });

    it("says what helps where a program wants privileges", async () => {
      for (
        const words of [
          "sudo: effective uid is not 0, is /usr/bin/sudo on a file system with nosuid\n",
          'sudo: The "no new privileges" flag is set, which prevents sudo\n',
        ]
      ) {
        const { stderr } = await run({ program: saying(words) }, args);
        assertMatch(stderr, /failed: exit code 1\nhint: .*, use --allow-privileges$/m);
      }
      // What it says to standard output is no complaint.
      const quiet = await run({
        program: ({ out, end }) => {
          out("effective uid is not 0\n");
          end(1);
        },
      }, args);
      assertEquals(quiet.stderr.includes("hint"), false);
    });

    it("asks for both streams, and waits for the end and for the removal", async () => {
      await using app = await completeApp();
      await using engine = await fakeContainers();
      await runInProcess(args, { cwd: app.directory, engine });
      const calls = AROUND.flatMap((call) => engine.callsOf(call)).map(({ query }) => query);
      assertEquals(calls, [
        { stream: "1", stdout: "1", stderr: "1" },
        { condition: "next-exit" },
        { condition: "removed" },
      ]);
    });

    it("waits on Podman for its status, and removes the container", async () => {
      const { code, course, removals, left } = await run({
        isPodman: true,
        program: ({ end }) => end(3),
      }, args);
      assertEquals([code, removals, left], [3, [REMOVED], []]);
      assertEquals(course.indexOf(START) < course.indexOf("POST /containers/ID/wait"), true);
    });
  });
}

suite("the reason that the code gives", () => {
  const traceback = 'Traceback (most recent call last):\n  File "x.py", line 7\nKeyError: 3\n';
  const failing = (file: string, shown: (container: FakeContainer) => void) => {
    return async (container: FakeContainer): Promise<void> => {
      const output = container.body.HostConfig.Mounts.find(({ Target }) =>
        Target === "/opt/ml/output"
      )!;
      await Deno.writeTextFile(`${output.Source}/${file}`, `KeyError: 3\n\n${traceback}`);
      shown(container);
      container.end(1);
    };
  };

  for (const [args, file] of [[TRAIN, "failure"], [PROCESS, "message"]] as const) {
    it(`is told once where the code has shown it (${file})`, async () => {
      for (
        const shown of [
          ({ err }: FakeContainer) => err(traceback),
          ({ out }: FakeContainer) => out(traceback),
          // In pieces, in colour, in a form of its own.
          ({ err }: FakeContainer) => {
            for (const letter of "--- Traceback ---\n\x1b[31mKeyError\x1b[0m: 3\n") err(letter);
          },
        ]
      ) {
        const { code, stderr } = await run({ program: failing(file, shown) }, args);
        assertEquals(code, 1);
        assertEquals(stderr.split("Traceback").length <= 2, true, stderr);
        assertMatch(stderr, /(^|\n)error: \w+ failed: KeyError: 3 \(x\.py, line 7\)\n$/);
      }
    });

    it(`is quoted where nobody has shown it (${file})`, async () => {
      const { stderr } = await run({ program: failing(file, ({ err }) => err("epoch 1\n")) }, args);
      assertMatch(stderr, /^epoch 1\nerror: \w+ failed: exit code 1\n {2}KeyError: 3\n/);
      assertStringIncludes(stderr, "  Traceback (most recent call last):\n");
    });
  }

  it("is shown together with the signal that ended the code", async () => {
    const program = failing("failure", ({ err, end }) => {
      err(traceback);
      end(137);
    });
    assertMatch(
      (await run({ program })).stderr,
      /error: Training failed: KeyError: 3 \(x\.py, line 7; exit code 137: killed by SIGKILL\)\n/,
    );
  });

  it("a run folds the frames of packages on a terminal, and keeps them in its log", async () => {
    const frames = [1, 2, 3].map((line) =>
      `  File "/usr/lib/python3/dist-packages/pandas/io.py", line ${line}, in read\n    read()\n`
    );
    const said = ["Traceback (most recent call last):\n", ...frames, "KeyError: 3\n"];
    for (const isTerminal of [true, false]) {
      await using app = await completeApp();
      await using engine = await fakeContainers({ program: saying(said.join("")) });
      const { stderr } = await runInProcess(TRAIN, { cwd: app.directory, engine, isTerminal });
      const [name] = await runsOf(app);
      const path = join(app.name, "mlcli_base/local_test/jobs", name!, "log");
      const shown = stderr.slice(stderr.indexOf("Traceback"), stderr.indexOf("KeyError"));
      const folded = `${said[0]}  ... 2 frames in pandas (see ${path})\n${frames[2]}`;
      assertEquals(shown, isTerminal ? folded : said.slice(0, -1).join(""));
      const log = await Deno.readTextFile(join(app.directory, path));
      assertEquals(log, said.join("").replace(/^(?=.)/gm, "err "));
    }
  });

  const missing = saying(
    "Traceback (most recent call last):\nModuleNotFoundError: No module named 'sklearn'\n",
  );
  const hintWith = async (
    files: Readonly<Record<string, string>>,
    args: readonly string[] = TRAIN,
    image = HARNESS_IMAGE,
    program: Play["program"] = missing,
  ): Promise<string> => {
    const configuration = "../../uv.lock" in files ? { requirements: "uv.lock" } : {};
    await using app = await completeApp({ files, configuration });
    await using engine = await fakeContainers({ program, image });
    const { stderr } = await runInProcess(args, { cwd: app.directory, engine });
    return (stderr.split("hint: ").at(-1) ?? "").replaceAll(app.name, "NAME");
  };

  it("names the requirement of a missing module", async () => {
    const requirements = "../../requirements.txt";
    assertEquals(
      [
        await hintWith({}),
        await hintWith({ [requirements]: "scikit_learn==1.5\n" }),
        await hintWith({ "processing/sklearn.py": "" }),
        await hintWith({ "processing/sklearn.py": "" }, PROCESS),
        await hintWith({ "../../sklearn/x.py": "" }, PROCESS),
        await hintWith({ "processing/sklearn.py": "" }, TRAIN, FOREIGN_IMAGE),
        await hintWith({}, TRAIN, FOREIGN_IMAGE),
      ],
      [
        "Add scikit-learn to requirements.txt, then run mlcli build\n",
        // The image did not say what it has.
        "If scikit-learn was added to requirements.txt since the last build, run mlcli build\n",
        "Move NAME/mlcli_base/processing/sklearn.py to NAME/mlcli_base/common/ or " +
        "NAME/mlcli_base/training/, where training code can import it\n",
        "Add scikit-learn to requirements.txt, then run mlcli build\n",
        "Move sklearn to NAME/mlcli_base/common/ or NAME/mlcli_base/processing/, where " +
        "processing code can import it\n",
        "Move NAME/mlcli_base/processing/sklearn.py to NAME/mlcli_base/training/, where training " +
        "code can import it\n",
        "Install scikit-learn in the image\n",
      ],
    );
  });

  it("names what the roles share, and the image does not have", async () => {
    const common = { "common/sklearn.py": "" };
    const line = "COPY ${APP}/mlcli_base/common/ /opt/program/common/";
    const module = saying("ModuleNotFoundError: No module named 'common'\n");
    assertEquals(
      [
        await hintWith({ ...common, Dockerfile: line }),
        await hintWith(common),
        await hintWith(common, TRAIN, FOREIGN_IMAGE),
        await hintWith(common, TRAIN, HARNESS_IMAGE, module),
      ],
      [
        "Run mlcli build: sklearn is in NAME/mlcli_base/common/ but not in the image\n",
        `sklearn is in NAME/mlcli_base/common/, which is not in the image. Add this line to the Dockerfile, next to the other COPY lines, then run mlcli build: ${line}\n`,
        "Install scikit-learn in the image\n",
        "Import modules of NAME/mlcli_base/common/ by their own names: import NAME instead of " +
        "from common import NAME\n",
      ],
    );
  });

  it("names no package that is not well known, but what may be meant", async () => {
    const requirements = "../../requirements.txt";
    const lack =
      (module: string, installed = "", version = "1.0") => async (container: FakeContainer) => {
        const report = container.body.HostConfig?.Mounts
          ?.find(({ Target }) => Target === "/opt/mlcli/report")?.Source;
        if (report !== undefined) {
          const rows = [["python", "3.12.4"], ["package", `${installed} ${version}`]];
          await Deno.writeTextFile(report, rows.map((row) => JSON.stringify(row) + "\n").join(""));
        }
        container.err(`ModuleNotFoundError: No module named '${module}'\n`);
        container.end(1);
      };
    const own = (module: string, folder = "common") =>
      `If it is your own module, put it in NAME/mlcli_base/${folder}/${module}.py.`;
    const asked =
      " If it belongs to a package, its documentation says what to add to the requirements.";
    const project = {
      "../../pyproject.toml": 'dependencies = ["xgboost>=1"]',
      "../../uv.lock": "",
    };
    const rows: readonly (readonly [Parameters<typeof hintWith>, hint: string])[] = [
      [[{}, TRAIN, HARNESS_IMAGE, lack("features")], own("features") + asked],
      [[{}, PROCESS, FOREIGN_IMAGE, lack("features")], own("features", "processing") + asked],
      [
        [{ "common/features.py": "" }, TRAIN, HARNESS_IMAGE, lack("featurse")],
        `Did you mean features? ${own("featurse")}`,
      ],
      [
        [{ "training/features/a.py": "" }, TRAIN, FOREIGN_IMAGE, lack("featurse")],
        `Did you mean features? ${own("featurse", "training")}`,
      ],
      [
        [{}, TRAIN, HARNESS_IMAGE, lack("tsfersh", "tsfresh")],
        `Did you mean tsfresh? ${own("tsfersh")}`,
      ],
      [
        [{ [requirements]: "tsfresh\n" }, TRAIN, HARNESS_IMAGE, lack("tsfersh")],
        `Did you mean tsfresh? ${own("tsfersh")}`,
      ],
      [
        [{ [requirements]: "tsfresh\n" }, TRAIN, HARNESS_IMAGE, lack("tsfresh")],
        "Run mlcli build: tsfresh is in requirements.txt but not in the image",
      ],
      [
        [
          { [requirements]: "-r base.txt\n-c base.txt\n", "../../base.txt": "tsfresh\n" },
          TRAIN,
          HARNESS_IMAGE,
          lack("tsfresh"),
        ],
        "Run mlcli build: tsfresh is in requirements.txt but not in the image",
      ],
      [
        [
          { [requirements]: "scikit_learn\npandas\n" },
          TRAIN,
          HARNESS_IMAGE,
          lack("joblib", "pandas"),
        ],
        "Run mlcli build: the image lacks scikit-learn from requirements.txt. Add joblib " +
        "to requirements.txt if that is not enough.",
      ],
      [
        [{ [requirements]: "tsfresh\n" }, TRAIN, FOREIGN_IMAGE, lack("tsfresh")],
        own("tsfresh", "training") + asked,
      ],
      [
        [{}, TRAIN, HARNESS_IMAGE, lack("sklearn.cross_validation")],
        "Pin another version in requirements.txt, then run mlcli build: the scikit-learn in the " +
        "image has no sklearn.cross_validation",
      ],
      [
        [
          { [requirements]: "setuptools\n" },
          TRAIN,
          HARNESS_IMAGE,
          lack("pkg_resources", "setuptools", "84.0.0"),
        ],
        "Pin setuptools<82 in requirements.txt, then run mlcli build: setuptools 84.0.0 has no " +
        "pkg_resources",
      ],
      [
        [{ [requirements]: "setuptools\n" }, TRAIN, HARNESS_IMAGE, lack("pkg_resources")],
        "Pin setuptools<82 in requirements.txt, then run mlcli build: later versions have no " +
        "pkg_resources",
      ],
      [
        [{}, TRAIN, HARNESS_IMAGE, lack("pkg_resources")],
        "Add setuptools<82 to requirements.txt, then run mlcli build",
      ],
      [
        [project, TRAIN, HARNESS_IMAGE, lack("pkg_resources", "pandas")],
        "Run mlcli build: the image lacks dependencies, xgboost from pyproject.toml. Add " +
        "setuptools<82 to pyproject.toml and its lock (uv add 'setuptools<82') if that is not " +
        "enough.",
      ],
      [[{}, TRAIN, FOREIGN_IMAGE, lack("pkg_resources")], "Install setuptools<82 in the image"],
      [
        [{}, TRAIN, HARNESS_IMAGE, lack("pkg_resources", "setuptools", "84.0.0")],
        "Pin setuptools<82 in requirements.txt, then run mlcli build: setuptools 84.0.0 has no " +
        "pkg_resources",
      ],
      [
        [{}, TRAIN, HARNESS_IMAGE, lack("sklearn.externals.joblib", "scikit-learn", "1.5.0")],
        "Pin another version in requirements.txt, then run mlcli build: scikit-learn 1.5.0 has no " +
        "sklearn.externals.joblib",
      ],
      [
        [project, TRAIN, HARNESS_IMAGE, missing],
        "Add scikit-learn to pyproject.toml and its lock (uv add scikit-learn), then run mlcli " +
        "build",
      ],
      [
        [project, TRAIN, HARNESS_IMAGE, lack("xgboost")],
        "Run mlcli build: xgboost is in pyproject.toml but not in the image",
      ],
    ];
    for (const [args, hint] of rows) assertEquals(await hintWith(...args), `${hint}\n`);
  });

  it("names where to write in place of what is read-only", async () => {
    const write = saying("OSError: [Errno 30] Read-only file system: 'model.pkl'\n");
    for (
      const [args, place] of [
        [TRAIN, "to model_save_path (/opt"],
        [PROCESS, "to /opt/ml/processing/"],
      ] as const
    ) assertStringIncludes(await hintWith({}, args, HARNESS_IMAGE, write), place);
  });

  it("has no hint about modules where another error ended the code", async () => {
    const program = saying("ModuleNotFoundError: No module named 'sklearn'\nKeyError: 3\n");
    assertEquals((await run({ program })).stderr.includes("hint"), false);
  });

  for (const [args, file] of [[TRAIN, "failure"], [PROCESS, "message"]] as const) {
    it(`is that of ${file}, of this run`, async () => {
      await using app = await completeApp();
      await app.write(app.testPath("output", file), "of an earlier run");
      let reason: string | undefined = "too few rows\x1b[31m";
      const program = async ({ end }: FakeContainer): Promise<void> => {
        if (reason) await Deno.writeTextFile(app.testPath("output", file), reason);
        end(1);
      };
      await using engine = await fakeContainers({ program });
      const { stderr } = besidesRun(await runInProcess(args, { cwd: app.directory, engine }));
      assertMatch(stderr, /^error: .* failed: exit code 1\n {2}too few rows\[31m\n/);
      reason = undefined;
      const without = besidesRun(await runInProcess(args, { cwd: app.directory, engine }));
      assertMatch(without.stderr, /^error: .* failed: exit code 1\n$/);
    });
  }

  it("of an earlier run is removed", async () => {
    await using app = await completeApp();
    await app.write(app.testPath("output/failure/notes.txt"), "left by an earlier run");
    await using engine = await fakeContainers();
    const { code, stderr } = besidesRun(await runInProcess(TRAIN, { cwd: app.directory, engine }));
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(await Array.fromAsync(Deno.readDir(app.testPath("output")), ({ name }) => name), [
      "data",
    ]);
  });

  // What a container wrote is told by the real paths of these directories.
  for (const name of ["local_test", "local_test/test_dir", "local_test/jobs"]) {
    it(`is asked of no run if ${name} is a link`, async () => {
      await using app = await completeApp();
      await Deno.mkdir(app.path("local_test/jobs"), { recursive: true });
      await Deno.rename(app.path(name), app.path("elsewhere"));
      await Deno.symlink(app.path("elsewhere"), app.path(name));
      await using engine = await fakeContainers();
      const { code, stderr } = await runInProcess(TRAIN, { cwd: app.directory, engine });
      assertEquals(code, 1);
      assertMatch(
        stderr,
        new RegExp(`^error: \\S+/mlcli_base/${name} is a link, but must be a directory\nhint: `),
      );
    });
  }

  it("is cut where SageMaker cuts it", async () => {
    await using app = await completeApp();
    const program = async ({ end }: FakeContainer): Promise<void> => {
      await Deno.writeTextFile(app.testPath("output/failure"), "é".repeat(2000));
      end(1);
    };
    await using engine = await fakeContainers({ program });
    const { stderr } = await runInProcess(TRAIN, { cwd: app.directory, engine });
    assertEquals(/é+/.exec(stderr)![0].length, 1024);
  });
});

suite("a run that fails", () => {
  const refused = (status: number) => () => refusal(status, "not today");
  const play = (call: string, answer: () => Response): Play => ({ answers: { [call]: answer } });
  type Row = readonly [title: string, play: Play, words: RegExp];
  const rows: readonly Row[] = [
    ...[400, 404, 409, 500].map((status): Row => [
      `attaching is refused with ${status}`,
      play("POST /containers/ID/attach", refused(status)),
      new RegExp(`^error: .*attach \\(${status}\\): not today\n`),
    ]),
    ...[404, 500].map((status): Row => [
      `waiting is refused with ${status}`,
      play("POST /containers/ID/wait", refused(status)),
      new RegExp(`^error: .*wait \\(${status}\\): not today\n`),
    ]),
    ...[404, 409, 500].map((status): Row => [
      `the start is refused with ${status}`,
      play(START, refused(status)),
      new RegExp(`^error: .*start \\(${status}\\): not today\n`),
    ]),
    [
      "the image cannot run the command",
      play(START, refused(400)),
      /^error: Cannot run "train" in test-\w+:latest\n {2}not today\nhint: Add to the image an ENTRY/,
    ],
    [
      // https://github.com/aws/sagemaker-python-sdk/issues/222
      "the image has no train",
      play(START, () => refusal(400, 'exec: "train": executable file not found in $PATH: unknown')),
      /^error: test-\w+:latest has no train program, which SageMaker requires\nhint: Add to the image an ENTRYPOINT that accepts the argument train, .* --entry-point FILE --launcher script\.\n$/,
    ],
    ...([[409, "POST /containers/ID/attach"], [500, START]] as const).map(([status, call]): Row => [
      `the image cannot run the command, as Podman says at ${call}`,
      play(call, () =>
        refusal(
          status,
          'exec: "train": OCI runtime attempted to invoke a command that was not found',
        )),
      /^error: Cannot run "train" in test-\w+:latest\n {2}exec: .*\nhint: Add to the image an ENTRY/,
    ]),
    [
      "waiting is broken off",
      {
        program: () => {},
        answers: {
          "POST /containers/ID/wait": () =>
            new Response(
              new ReadableStream({
                async start(controller) {
                  controller.enqueue(new TextEncoder().encode("{"));
                  await Promise.resolve();
                  controller.close();
                },
              }),
            ),
          "POST /containers/ID/attach": () => new Response(""),
        },
      },
      /^error: Unexpected response from the Docker Engine \(POST \/containers\/c1\/wait\)/,
    ],
    [
      "the output breaks off within a frame",
      {
        program: ({ raw, breakOff }) => {
          raw(new Uint8Array([1, 0, 0, 0, 0, 0, 0, 9, 65]));
          breakOff();
        },
      },
      /^error: Cannot read the container's output from the Docker Engine: incomplete frame\n/,
    ],
    [
      "the output is in no frames",
      { program: ({ raw }) => raw(new TextEncoder().encode("HTTP/1.1 200 OK\r\n")) },
      /^error: Cannot read the container's output from the Docker Engine: invalid frame\n/,
    ],
    [
      "the engine complains in the output",
      {
        program: ({ raw, breakOff }) => {
          raw(new Uint8Array([3, 0, 0, 0, 0, 0, 0, 2, 110, 111]));
          breakOff();
        },
      },
      /^error: Cannot read the container's output from the Docker Engine: no\n/,
    ],
  ];
  for (const [title, play, words] of rows) {
    it(`leaves nothing where ${title}`, async () => {
      const { code, stderr, removals, left } = await run({ program: () => {}, ...play });
      assertMatch(stderr, words);
      assertEquals([code, removals, left], [1, [REMOVED], []]);
    });
  }

  it("makes no container where there is no image", async () => {
    const { code, stderr, course, left } = await run({ image: null });
    assertMatch(stderr, /^error: Image not found: test-\w+:latest\nhint: Run mlcli build first/);
    assertEquals([code, course, left], [1, QUESTIONS, []]);
  });

  it("removes nothing where no container was created", async () => {
    for (
      const [status, words] of [
        [404, /^error: Image not found: /],
        [409, /^error: .*create \(409\): not today/],
        [500, /^error: .*create \(500\): not today/],
      ] as const
    ) {
      const { code, stderr, course, left } = await run(
        play("POST /containers/create", refused(status)),
      );
      assertMatch(stderr, words);
      assertEquals([code, course, left], [1, BEFORE, []]);
    }
  });

  it("says why it failed last, and before that that the removal did", async () => {
    const { code, stderr, removals } = await run({
      answers: { [START]: refused(500), "DELETE /containers/ID": refused(500) },
    });
    assertMatch(
      stderr,
      /^warning: The container (\S+) might still exist .*\nhint: .*: docker rm -f \1\nnote: .*\nerror: .*start \(500/,
    );
    assertEquals([code, removals], [1, [REMOVED]]);
  });

  it("takes a container that was started already for started", async () => {
    const { code, left } = await run({
      program: () => {},
      answers: {
        [START]: () => done(304),
        "POST /containers/ID/attach": () => new Response(""),
        "POST /containers/ID/wait": () => Response.json({ StatusCode: 0 }),
      },
    });
    assertEquals([code, left.length], [0, 1], "the play started none, so it is there still");
  });
});

suite("a run whose output goes nowhere", () => {
  const HELLO: Play = { program: ({ out }) => out("hello\n") };
  const fails = (error: Error) => ({ onOutput: () => Promise.reject(error) });

  it("is stopped and removed where nobody reads any more", async () => {
    const { code, stderr, stops, left } = await run(HELLO, TRAIN, fails(new OutputClosed()));
    assertEquals([code, stderr, stops, left], [141, "", [{ t: "10" }], []]);
  });

  it("writes no more, and hears the rest", async () => {
    let writes = 0;
    const onStop = ({ out, end }: FakeContainer): void => {
      out("the last words\n");
      end(0);
    };
    const onOutput = () => {
      writes++;
      throw new OutputClosed();
    };
    const { code, left } = await run({ ...HELLO, onStop }, TRAIN, { onOutput });
    assertEquals([code, writes, left], [141, 1, []]);
  });

  it("is removed where it cannot be written", async () => {
    const full = new Error("No space left on device (os error 28)");
    const { code, stderr, removals, left } = await run(HELLO, TRAIN, fails(full));
    assertStringIncludes(stderr, "No space left on device");
    assertEquals([code, removals, left], [1, [REMOVED], []]);
  });
});

suite("Ctrl-C in a run", () => {
  /** Trains where somebody presses keys. */
  async function pressing(
    play: (keys: Keys) => Play,
    options: (keys: Keys) => Partial<InProcessOptions> = () => ({}),
  ): Promise<Run> {
    const keys = new Keys();
    return await run(play(keys), TRAIN, { keys, ...options(keys) });
  }

  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`(${signal}) stops the code and lets it end by itself`, async () => {
      const { code, stdout, stderr, stops, left } = await pressing((keys) => ({
        program: ({ out }) => {
          out("ready\n");
          keys.press(signal);
        },
        onStop: ({ out, end }) => {
          out("saved\n");
          end(0);
        },
      }));
      assertEquals({ code, stdout }, { code: status, stdout: "ready\nsaved\n" });
      const said =
        /^Stopping \(up to 10 s; press Ctrl-C again to kill\)\nnote: \S+\/model contains what .*\n$/;
      assertMatch(stderr, said);
      assertEquals([stops, left], [[{ t: "10" }], []]);
    });
  }

  it("for the second time kills code that does not end", async () => {
    const { code, course, left } = await pressing((keys) => ({
      program: () => keys.press(),
      onStop: () => keys.press("SIGTERM"),
    }));
    assertEquals([code, left], [130, []]);
    assertEquals(course.filter((call) => /stop|kill/.test(call)), [
      "POST /containers/ID/stop",
      "POST /containers/ID/kill",
    ]);
  });

  it("for the second time waits for no reader either", async () => {
    const unread = Promise.withResolvers<void>();
    const { code, left } = await pressing(
      (keys) => ({ program: ({ out }) => out("hello\n"), onStop: () => keys.press() }),
      (keys) => ({
        onOutput: () => {
          keys.press();
          return unread.promise;
        },
      }),
    );
    unread.resolve();
    assertEquals([code, left], [130, []]);
  });

  for (
    const [when, calls] of [
      // What the engine is, is asked ahead: that may have come, or not.
      ["GET /images/NAME/json", ["GET /images/NAME/json"]],
      ["POST /containers/create", ["GET /images/NAME/json", "POST /containers/create"]],
    ] as const
  ) {
    it(`at ${when} starts nothing`, async () => {
      const { code, stderr, course, left } = await pressing((keys) => ({
        before: (call) => call === when ? keys.press() : undefined,
      }));
      assertEquals({ code, stderr, left }, { code: 130, stderr: "", left: [] });
      assertEquals(course.filter((call) => !/^DELETE|info$/.test(call)), [...calls]);
    });
  }

  for (const when of [...AROUND, START]) {
    it(`at ${when} leaves nothing`, async () => {
      const { code, stderr, course, left } = await pressing((keys) => ({
        program: () => {},
        before: (call) => call === when ? keys.press() : undefined,
      }));
      const said = when === START ? "Stopping (up to 10 s; press Ctrl-C again to kill)\n" : "";
      assertEquals({ code, stderr, left }, { code: 130, stderr: said, left: [] });
      assertEquals(course.includes(START), when === START);
    });
  }

  it("twice while the container starts kills it", async () => {
    const { code, course, left } = await pressing((keys) => ({
      program: () => {},
      onStop: () => {},
      before: (call) => {
        if (call !== START) return;
        keys.press();
        keys.press();
      },
    }));
    assertEquals([code, course.includes("POST /containers/ID/kill"), left], [130, true, []]);
  });

  it("while attaching or waiting hangs leaves nothing", async () => {
    for (const hanging of AROUND) {
      const asked = new Set<string>();
      const { code, left, course } = await pressing((keys) => ({
        before: (call) => {
          if (AROUND.includes(call)) asked.add(call);
          if (asked.size === AROUND.length) keys.press();
        },
        answers: { [hanging]: never },
      }));
      assertEquals([code, left, course.includes(START)], [130, [], false]);
    }
  });
});
