import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import {
  type FakeContainers,
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
} from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Run extends ProgramResult {
  readonly app: string;
  /** What becomes /opt/ml/code, relative to mlcli_base. */
  readonly mounted: string | undefined;
  /** What becomes /opt/program/common, relative to mlcli_base. */
  readonly common: string | undefined;
  // deno-lint-ignore no-explicit-any
  readonly created: readonly any[];
}

async function run(
  args: readonly string[],
  image: Readonly<Record<string, unknown>>,
  prepare: (app: TestApp) => Promise<void> = () => Promise.resolve(),
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  await using app = await completeApp();
  await prepare(app);
  await using servers = new AsyncDisposableStack();
  await using engine: FakeContainers = await fakeContainers({
    image,
    program: ({ body, end }) => {
      const bindings = body.HostConfig.PortBindings;
      if (bindings === undefined) return end(0);
      servers.use(pingServer(Number(bindings["8080/tcp"]![0]!.HostPort)));
    },
  });
  const result = besidesRun(
    await runInProcess(["local", ...args], { cwd: app.directory, engine, env }),
  );
  const mounts: { Source: string; Target: string }[] = engine.created[0]?.HostConfig.Mounts ?? [];
  const sourceOf = (target: string): string | undefined =>
    mounts.find(({ Target }) => Target === target)?.Source.slice(app.path().length + 1)
      .replace(/^local_test\/jobs\/[^/]+/, "RUN");
  return {
    ...result,
    app: app.name,
    created: engine.created,
    mounted: sourceOf("/opt/ml/code"),
    common: sourceOf("/opt/program/common"),
  };
}

/** Leaves nothing in a directory but what is no code. */
function emptied(folder: string): (app: TestApp) => Promise<void> {
  return async (app) => {
    await Deno.remove(app.path(folder), { recursive: true });
    await app.write(app.path(folder, ".gitkeep"), "");
    await app.write(app.path(folder, "__pycache__/training.pyc"), "");
  };
}

function without(folder: string): (app: TestApp) => Promise<void> {
  return (app) => Deno.remove(app.path(folder), { recursive: true });
}

/** Where what is mounted comes from: a run has a copy of its own. */
function placeOf(folder: string): string {
  return folder === "prediction" ? folder : "RUN/code";
}

const COMMANDS = [
  ["training", ["train"]],
  ["prediction", ["deploy", "--port", "0"]],
  ["processing", ["process", "--command", "clean"]],
] as const;

suite("the code in an image of mlcli", () => {
  for (const [folder, args] of COMMANDS) {
    it(`is the app's: local ${args[0]}`, async () => {
      const { code, stderr, mounted } = await run(args, HARNESS_IMAGE);
      assertEquals({ code, stderr, mounted }, { code: 0, stderr: "", mounted: placeOf(folder) });
    });
  }

  for (const [folder, args] of COMMANDS.slice(0, 2)) {
    for (
      const [title, prepare] of [["no", without(folder)], ["an empty", emptied(folder)]] as const
    ) {
      it(`is not run in silence with ${title} ${folder}/`, async () => {
        const { code, stdout, stderr, app, created } = await run(args, HARNESS_IMAGE, prepare);
        const path = `${app}/mlcli_base/${folder}`;
        assertEquals({ code, stdout, created }, { code: 1, stdout: "", created: [] });
        assertEquals(
          stderr,
          `error: No ${folder} code in ${path}\nhint: Put your code into ${path}/, or add the ` +
            `missing sample files: mlcli init ${app}\n`,
        );
      });
    }
  }
});

suite("the code in an image of mlcli's that is named", () => {
  for (const [folder, args] of COMMANDS) {
    it(`runs where the app has none: local ${args[0]}`, async () => {
      const named = [...args, "--image", "team/flats:2"];
      const none = await run(named, HARNESS_IMAGE, without(folder));
      assertEquals([none.code, none.mounted], [0, undefined], none.stderr);
      const own = await run(named, HARNESS_IMAGE);
      assertEquals([own.code, own.mounted], [0, placeOf(folder)]);
    });
  }
});

suite("code under another name", () => {
  for (
    const args of [
      // The harness takes serve.py, too, and a command may be any.
      ["deploy", "--port", "0"],
      ["train", "--command", "python3"],
    ]
  ) {
    it(`is mounted, and left to what runs: local ${args[0]}`, async () => {
      const folder = args[0] === "deploy" ? "prediction" : "training";
      const { code, stderr, mounted } = await run(args, HARNESS_IMAGE, async (app) => {
        await emptied(folder)(app);
        await app.write(app.path(folder, folder === "prediction" ? "serve.py" : "mine.py"), "x");
      });
      assertEquals([code, mounted !== undefined], [0, true], stderr);
    });
  }
});

suite("the code in an image of somebody else", () => {
  for (const [folder, args] of COMMANDS) {
    it(`is hidden by a file in ${folder}/, and that is said once`, async () => {
      const { code, stderr, mounted, app } = await run(args, FOREIGN_IMAGE);
      assertEquals({ code, stderr, mounted }, {
        code: 0,
        stderr:
          `note: Using ${app}/mlcli_base/${folder}/ instead of the image's own /opt/ml/code\n`,
        mounted: placeOf(folder),
      });
    });

    for (
      const [title, prepare] of [["no", without(folder)], ["an empty", emptied(folder)]] as const
    ) {
      it(`runs with ${title} ${folder}/`, async () => {
        const { code, stderr, mounted } = await run(args, FOREIGN_IMAGE, prepare);
        assertEquals({ code, stderr, mounted }, { code: 0, stderr: "", mounted: undefined });
      });
    }
  }
});

suite("the code that all roles share", () => {
  const SHARED = (app: TestApp) => app.write(app.path("common/features.py"), "");
  for (const [folder, args] of COMMANDS) {
    it(`is mounted where there is some: local ${args[0]}`, async () => {
      const { code, stderr, common } = await run(args, HARNESS_IMAGE, SHARED);
      assertEquals({ code, stderr, common }, {
        code: 0,
        stderr: "",
        common: folder === "prediction" ? "common" : "RUN/common",
      });
      assertEquals((await run(args, HARNESS_IMAGE)).common, undefined);
    });

    it(`is the image's own under --strict, and not looked for by other images: local ${args[0]}`, async () => {
      assertEquals((await run([...args, "--strict"], HARNESS_IMAGE, SHARED)).common, undefined);
      assertEquals((await run(args, FOREIGN_IMAGE, SHARED)).common, undefined);
    });

    it(`leads nowhere out of the repository: local ${args[0]}`, async () => {
      const result = await run(
        args,
        HARNESS_IMAGE,
        (app) => Deno.symlink("/usr", app.path("common")),
      );
      const { code, stdout, stderr, created, app } = result;
      assertEquals({ code, stdout, created }, { code: 1, stdout: "", created: [] });
      assertStringIncludes(stderr, `error: ${app}/mlcli_base/common points outside `);
    });
  }

  it("is nothing that a container may write to", async () => {
    const { code, stderr, created, app } = await run(["train"], HARNESS_IMAGE, async (app) => {
      await Deno.mkdir(app.path("local_test/test_dir/output"), { recursive: true });
      await Deno.symlink("local_test/test_dir/output", app.path("common"));
    });
    assertEquals([code, created], [1, []]);
    const base = `${app}/mlcli_base`;
    assertStringIncludes(
      stderr,
      `error: ${base}/local_test/test_dir/output overlaps with ${base}/common\n`,
    );
  });
});

suite("what local commands tell a container", () => {
  for (const [, args] of COMMANDS) {
    it(`is what --env and --env-file say: local ${args[0]}`, async () => {
      const variables = ["--env-file", "one.env", "--env", "A=option", "--env-file=two.env"];
      const { code, stderr, created } = await run(
        [
          ...args,
          ...variables,
          "--env",
          "HERE",
          "--env",
          "EMPTY=",
          "--env=ML_MODEL_DIR=/mine",
          "--env=TRAINING_JOB_NAME=t",
        ],
        HARNESS_IMAGE,
        async (app) => {
          await app.write(`${app.directory}/one.env`, "A=one\nB=one\nC=one\nHERE=file\n");
          await app.write(`${app.directory}/two.env`, "# two\nB=two \n");
        },
        { HERE: "here" },
      );
      assertEquals([code, stderr], [0, ""]);
      const given: string[] = created[0].Env;
      const names = ["A", "B", "C", "HERE", "EMPTY", "ML_MODEL_DIR", "TRAINING_JOB_NAME"];
      assertEquals(names.map((name) => given.filter((one) => one.startsWith(`${name}=`))), [
        ["A=option"],
        ["B=two "],
        ["C=one"],
        ["HERE=here"],
        ["EMPTY="],
        ["ML_MODEL_DIR=/mine"],
        ["TRAINING_JOB_NAME=t"],
      ]);
    });
  }

  it("is no value that an error shows", async () => {
    const file = (text: string) => (app: TestApp) => app.write(`${app.directory}/e`, text);
    const rows: (readonly [args: readonly string[], text: string, words: string])[] = [
      [["--env", "=s3cret"], "", 'Option "--env" must be NAME=VALUE'],
      [["--env", "K", "s3cret"], "", "Unexpected argument"],
      [["-e", "K=s3cret"], "", "Did you mean --env?"],
      [["--evn=K=s3cret"], "", "Did you mean --env?"],
      [["--env", "MLCLI_REPORT=s3cret"], "", "MLCLI_REPORT is reserved for mlcli"],
      [["--env-file", "e"], "A=1\n=s3cret\n", "e:2 must be NAME=VALUE"],
      [["--env-file", "e"], "A b=s3cret\n", "e:1: a variable name cannot contain spaces"],
      [["--env-file", "e"], "s3cret\n", "e:1 has no value, and the variable is not set"],
      [["--env-file", "e", "--env", "K"], "A=s3cret\n", 'Option "--env" (K) has no value'],
    ];
    for (const [args, text, words] of rows) {
      const debug = { MLCLI_DEBUG: "1" };
      const result = await run(["train", ...args], HARNESS_IMAGE, file(text), debug);
      const { code, stderr } = result;
      assertEquals([code, result.created], [2, []], args.join(" "));
      assertStringIncludes(stderr, words);
      assert(!stderr.includes("s3cret"), stderr);
    }
  });

  it("are the arguments after --, and a program instead of the image's", async () => {
    const args = ["a b", "", "--no-color", "-h", "é\n'\"", "--"];
    const script = await run(["process", "-f", "p.py", "--", ...args], HARNESS_IMAGE);
    assertEquals(script.created[0].Cmd, ["process", "p.py", ...args]);
    assertEquals(script.created[0].Entrypoint, undefined);

    const words = ["--command", "python3", "--command=-u"];
    const own = await run(["process", ...words, "--", ...args], HARNESS_IMAGE);
    assertEquals([own.created[0].Entrypoint, own.created[0].Cmd], [["python3", "-u"], args]);
  });

  for (
    const [args, words] of [
      [["process"], "Missing option: use --file, --entry-point or --command"],
      [["process", "--", "x"], "Missing option: use --file, --entry-point or --command"],
      [
        ["process", "-f", "p.py", "--command", "x"],
        'Options "--file" and "--command" cannot be used together',
      ],
      [
        ["process", "-f", "p.py", "--entry-point", "x"],
        'Options "--file" and "--entry-point" cannot be used together',
      ],
      [["process", "--entrypoint", "x"], 'Unknown option "--entrypoint"'],
      [["train", "--", "x"], 'Arguments after "--" have no effect without "--command"'],
      [["deploy", "--network-isolation"], 'Unknown option "--network-isolation"'],
    ] as const
  ) {
    it(`is refused: ${args.join(" ")}`, async () => {
      const { code, stdout, stderr, created } = await run(args, HARNESS_IMAGE);
      assertEquals({ code, stdout, created }, { code: 2, stdout: "", created: [] });
      assertStringIncludes(stderr, `error: ${words}`);
    });
  }
});
