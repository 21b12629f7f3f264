import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Box } from "../../helpers/box/box.ts";
import { completeApp, makeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { type FakeContainer, fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

const IMAGE = "team/torch:2";
const TOOLKIT = { Env: ["PATH=/bin", "SAGEMAKER_TRAINING_MODULE=framework:main"] };
/** A program of an image's own asks for some. */
const DATA = ["--input", "training=src"];
const SKLEARN = "141502667606.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn:1.9-0";

/** An app whose code lies in `src/`; its image is typed once where it has to be. */
async function scriptApp(
  configuration: Readonly<Record<string, unknown>> = {},
): Promise<TestApp> {
  const app = await makeApp({
    configuration: {
      image: IMAGE,
      source_dir: "src",
      train: { entry_point: "train.py" },
      ...configuration,
    },
  });
  await app.write(join(app.directory, "src/train.py"), "1");
  return app;
}

/** What a run's container was given, and how the command ended. */
async function train(
  app: TestApp,
  args: readonly string[] = ["--image", IMAGE],
  { env = {}, cloud, ...play }: Play & {
    readonly env?: Readonly<Record<string, string>>;
    readonly cloud?: Readonly<Record<string, string>>;
  } = {},
) {
  let input: readonly string[] = [];
  let hyperparameters: unknown;
  await using engine = await fakeContainers({
    image: TOOLKIT,
    program: async ({ body, end }: FakeContainer) => {
      const mounts = body.HostConfig.Mounts;
      const root = mounts.find(({ Target }) => Target === "/opt/ml/input")!.Source;
      input = await namesIn(join(root, "data/code")).catch(() => []);
      const file = join(root, "config/hyperparameters.json");
      hyperparameters = JSON.parse(await Deno.readTextFile(file));
      end(0);
    },
    writesNoModel: true,
    ...play,
  });
  const result = await runInProcess(["local", "train", ...args], {
    cwd: app.directory,
    engine,
    env: { XDG_STATE_HOME: app.state, ...env },
    ...cloud === undefined ? {} : { cloud },
  });
  const [body] = engine.created;
  const variables = Object.fromEntries(
    (body?.Env ?? []).map((one: string) => [one.split("=", 1)[0], one.replace(/^[^=]*=/, "")]),
  );
  const mounts: { Type: string; Source: string; Target: string }[] = body?.HostConfig.Mounts ?? [];
  const targets = Object.fromEntries(mounts.map((mount) => [mount.Target, mount]));
  return { ...result, body, variables, targets, input, hyperparameters, engine };
}

suite("local train with a script of the user's own", () => {
  it("gives AWS's toolkit what SDK v2 gives it, and lays nothing over /opt/ml/code", async () => {
    await using app = await scriptApp({ train: { entry_point: "./train.py" } });
    const run = await train(app, ["--image", IMAGE, "--hyperparameter", "epochs=3"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals([run.body.Image, run.body.Entrypoint, run.body.Cmd], [IMAGE, undefined, [
      "train",
    ]]);
    assertEquals(run.targets["/opt/ml/code"], undefined);
    assertEquals(run.input, ["sourcedir.tar.gz"]);
    assertEquals(run.hyperparameters, {
      epochs: "3",
      sagemaker_container_log_level: "20",
      sagemaker_job_name: JSON.stringify(run.variables["TRAINING_JOB_NAME"]),
      sagemaker_program: '"train.py"',
      sagemaker_region: `"${run.variables["AWS_REGION"]}"`,
      sagemaker_submit_directory: '"/opt/ml/input/data/code/sourcedir.tar.gz"',
    });
    // Nothing of it is the user's to compare.
    const [name] = await namesIn(app.path("local_test/jobs")).then((names) =>
      names.filter((one) => one.startsWith(app.name))
    );
    const path = app.path("local_test/jobs", name!, "job.json");
    const { hyperparameters, options, code } = JSON.parse(await Deno.readTextFile(path));
    assertEquals([hyperparameters, options], [{ epochs: "3" }, {
      entry_point: "train.py",
      launcher: "toolkit",
      source_dir: "src",
    }]);
    assertEquals(await namesIn(app.path("local_test/jobs/code")), [`${code}.tar.gz`]);
  });

  it("warns of an image that runs as another user, which breaks --strict", async () => {
    await using app = await scriptApp();
    const image = { ...TOOLKIT, User: "bob" };
    for (const [args, expected] of [[[], 0], [["--strict"], 1]] as const) {
      const { code, stderr } = await train(app, ["--image", IMAGE, ...args], { image });
      assertEquals(code, expected, stderr);
      assertStringIncludes(stderr, `${IMAGE} runs as user bob, but SageMaker`);
    }
  });

  it("starts any other image by mlcli's start script, without an init", async () => {
    await using app = await scriptApp();
    for (const image of [{}, { Entrypoint: ["/opt/mlcli/entrypoint"] }]) {
      const run = await train(app, ["--image", IMAGE], { image });
      assertEquals(run.code, 0, run.stderr);
      assertEquals([run.body.Entrypoint, run.body.Cmd, run.body.HostConfig.Init], [
        ["/bin/sh"],
        ["/opt/ml/input/data/code/start.sh", "train.py"],
        undefined,
      ]);
      assertEquals(run.input, ["sourcedir.tar.gz", "start.sh"]);
    }
  });

  it("is started by what fits another image that is typed, whatever the file says of its own", async () => {
    const configuration = { image: undefined, source_dir: "src" };
    const section = { image: IMAGE, entry_point: "train.py", launcher: "toolkit" };
    await using app = await scriptApp({ ...configuration, train: section });
    for (
      const [image, entryPoint] of [["team/other:1", ["/bin/sh"]], [IMAGE, undefined]] as const
    ) {
      const run = await train(app, ["--image", image], { image: {} });
      assertEquals([run.code, run.body.Entrypoint], [0, entryPoint], run.stderr);
    }
  });

  it("asks for torchrun where the file or an option does, for the script and in the record", async () => {
    const asked = { sagemaker_torch_distributed_enabled: "true" };
    for (
      const [configuration, more, expected] of [
        [{ distribution: "torchrun" }, [], asked],
        [{ train: { entry_point: "train.py", distribution: "torchrun" } }, [], asked],
        [{}, ["--distribution", "torchrun"], asked],
        [{ distribution: "torchrun" }, ["--command", "x"], {}],
      ] as const
    ) {
      await using app = await scriptApp({ ...configuration, launcher: "script" });
      const run = await train(app, ["--image", IMAGE, ...DATA, ...more]);
      assertEquals([run.code, run.hyperparameters], [0, expected], run.stderr);
    }
  });

  it("ends with the error that the script printed", async () => {
    await using app = await scriptApp();
    for (
      const [more, words] of [
        ["", "ValueError: no age (x.py, line 1)"],
        // What torchrun says after it, of torch 1 and 2.
        [
          "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0\n",
          "ValueError: no age (x.py, line 1)",
        ],
        [
          "E1126 15:54:52.086000 9 torch/distributed/elastic/multiprocessing/api.py:869] failed\n",
          "ValueError: no age (x.py, line 1)",
        ],
        // One that was caught is not the reason.
        ["loss is NaN\n", "exit code 1"],
      ] as const
    ) {
      const { stderr } = await train(app, ["--image", IMAGE], {
        image: {},
        program: ({ err, end }) => {
          err('Traceback (most recent call last):\n  File "x.py", line 1\nValueError: no age\n');
          err(more);
          end(1);
        },
      });
      assertStringIncludes(stderr, `\nerror: Training failed: ${words}\n`);
    }
  });

  it("a run with AWS's toolkit explains an argument that the script does not accept", async () => {
    await using app = await scriptApp();
    const usage = "usage: train.py [-h] [--learning-rate LEARNING_RATE]\n";
    const error = "train.py: error: unrecognized arguments: --learning_rate 0.2";
    const failed = await train(
      app,
      ["--image", IMAGE, "--hyperparameter", "learning_rate=0.2"],
      {
        program: async ({ body, err, end }) => {
          const output = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/output")!;
          const reason = `ExecuteUserScriptError:\nExitCode 2\nErrorMessage "${usage} ${error}"\n` +
            'Command "/usr/bin/python3 train.py --learning_rate 0.2"';
          await Deno.writeTextFile(join(output.Source, "failure"), reason);
          err(`${usage}${error}\n${reason}\n`);
          end(1);
        },
      },
    );
    assertStringIncludes(
      failed.stderr,
      `\nerror: Training failed: ${error} (exit code 1)\nhint: Rename the hyperparameter (the script ` +
        "accepts --learning-rate): --hyperparameter learning-rate=0.2\n",
    );
  });

  it("a run of a script explains an argument, a file and a text that the script does not accept", async () => {
    await using app = await scriptApp();
    await app.write(app.path("local_test/test_dir/input/data/training/a.csv"), "1");
    const frame = (line: string): string =>
      `Traceback (most recent call last):\n  File "/opt/ml/code/train.py", line 3, in f\n    ${line}\n`;
    for (
      const [status, printed, args, said] of [
        [
          2,
          "usage: train.py [-h] [--learning-rate LEARNING_RATE]\n" +
          "train.py: error: unrecognized arguments: --learning_rate 0.2\n",
          ["--hyperparameter", "learning_rate=0.2"],
          "train.py: error: unrecognized arguments: --learning_rate 0.2 (exit code 2)\n" +
          "hint: Rename the hyperparameter (the script accepts --learning-rate): --hyperparameter " +
          "learning-rate=0.2\n",
        ],
        [
          1,
          `${
            frame('open("a.csv")')
          }FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'\n`,
          [],
          "FileNotFoundError: [Errno 2] No such file or directory: 'a.csv' (train.py, line 3)\n" +
          'hint: Open a.csv in channel training: os.path.join(os.environ["SM_CHANNEL_TRAINING"], ' +
          '"a.csv")\n',
        ],
        [
          1,
          `${frame("json.loads(hyperparameters[name])")}json.decoder.JSONDecodeError: Expecting ` +
          "value: line 1 column 1 (char 0)\n",
          ["--hyperparameter", "optimizer=adam"],
          "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0) (train.py, line 3)\n" +
          "hint: Pass optimizer as JSON, as the SageMaker SDK does: --hyperparameter " +
          "'optimizer=\"adam\"'\n",
        ],
        [
          1,
          "  File \"/opt/ml/code/train.py\", line 3\n    f(\n     ^\nSyntaxError: '(' was never closed\n",
          [],
          "SyntaxError: '(' was never closed (train.py, line 3)\n",
        ],
      ] as const
    ) {
      const { code, stderr } = await train(app, ["--image", IMAGE, ...args], {
        image: {},
        program: ({ err, end }) => {
          err(printed);
          end(status);
        },
      });
      assertEquals(code, status);
      assertStringIncludes(stderr, `\nerror: Training failed: ${said}`);
    }
  });

  it("runs a command of the image, with its arguments", async () => {
    await using app = await scriptApp();
    await app.write(app.path("local_test/test_dir/input/data/training/a.csv"), "1");
    const words = ["--command", "/bin/train", "--command", "--fast"];
    const run = await train(app, ["--image", IMAGE, ...words, "--", "-x", "a b"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals([run.body.Entrypoint, run.body.Cmd], [["/bin/train", "--fast"], ["-x", "a b"]]);
    assertEquals(run.input, []);
  });

  it("gives pip a cache of this app alone, and this machine's network settings", async () => {
    await using app = await scriptApp();
    await app.write(join(app.directory, "src/requirements.txt"), "six\n");
    await using home = await makeDirectory({
      ".netrc": "machine packages.invalid login a password b",
    });
    const env = {
      HOME: home.path,
      PIP_INDEX_URL: "https://me:secret@packages.invalid/simple",
      PIP_CONFIG_FILE: "/dev/null",
    };
    const run = await train(app, ["--image", IMAGE], { env });
    assertEquals(run.code, 0, run.stderr);
    assertEquals(run.variables["PIP_INDEX_URL"], env.PIP_INDEX_URL);
    assertStringIncludes(
      run.stderr,
      "note: The container receives the credentials in PIP_INDEX_URL for pip",
    );
    assertEquals(run.stderr.includes("secret"), false);
    const { Type, Source } = run.targets[run.variables["PIP_CACHE_DIR"]!]!;
    assertEquals([Type, Source], ["volume", `mlcli-pip-${app.name}-${app.mark.slice(0, 12)}`]);
    for (
      const [args, hasCache] of [[["--strict"], false], [["--no-network-settings"], true]] as const
    ) {
      const { variables } = await train(app, ["--image", IMAGE, ...args], { env });
      assertEquals(variables["PIP_INDEX_URL"], undefined);
      assertEquals(variables["PIP_CACHE_DIR"] !== undefined, hasCache);
    }
    const isolated = await train(app, ["--image", IMAGE, "--network", "none"], { env });
    assertEquals(isolated.variables["PIP_INDEX_URL"], undefined);
    const other = await train(app, ["--image", IMAGE], { env, image: { ...TOOLKIT, User: "me" } });
    assertEquals(other.variables["PIP_CACHE_DIR"], undefined);
    assertStringIncludes(
      isolated.stderr,
      "warning: The code's packages cannot be installed",
    );
    // Code that installs nothing gets none of it.
    await Deno.remove(join(app.directory, "src/requirements.txt"));
    const plain = await train(app, ["--image", IMAGE], { env });
    assertEquals([plain.variables["PIP_INDEX_URL"], plain.variables["PIP_CACHE_DIR"]], [
      ...[undefined, undefined],
    ]);
  });

  it("is told the error that its toolkit has not kept, and where its data would lie", async () => {
    await using app = await scriptApp();
    const reason = 'ExecuteUserScriptError:\nCommand "/usr/bin/python3 -m train"';
    const failed = await train(app, ["--image", IMAGE], {
      program: async ({ body, err, end }) => {
        const output = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/output")!;
        await Deno.writeTextFile(join(output.Source, "failure"), reason);
        err('Traceback (most recent call last):\n  File "train.py", line 1\n');
        err(`KeyError: 'SM_CHANNEL_TRAINING'\n${reason}\nEncountered exit_code 1\n`);
        end(1);
      },
    });
    const folder = join(app.name, "mlcli_base/local_test/test_dir/input/data/training");
    assertEquals(failed.code, 1);
    assertStringIncludes(
      failed.stderr,
      "\nerror: Training failed: KeyError: 'SM_CHANNEL_TRAINING' (train.py, line 1)\n" +
        `hint: Put data into ${folder}, or pass it with --input training=DIR.`,
    );
  });

  for (
    const [args, words] of [
      [["--launcher", "image"], "the program of "],
      [["--entry-point", "run.sh"], "run.sh\n"],
      [["--entry-point", "shop/train.py"], "shop.train\n"],
    ] as const
  ) {
    it(`is refused where nothing would start torchrun: ${args.join(" ")}`, async () => {
      await using app = await scriptApp();
      for (const name of ["run.sh", "setup.py", "shop/train.py"]) {
        await app.write(join(app.directory, "src", name), "");
      }
      const line = ["--image", IMAGE, ...DATA, "--distribution", "torchrun", ...args];
      const run = await train(app, line);
      assertEquals([run.code, run.body], [2, undefined]);
      assertStringIncludes(run.stderr, `torchrun cannot start ${words}`);
    });
  }

  it("is left alone by a server's model, and by data that there is none of", async () => {
    await using app = await scriptApp();
    await Deno.mkdir(app.path("local_test/test_dir/input/data/training"), { recursive: true });
    const { code, stderr } = await train(app);
    assertEquals([code, /empty channels|training data/.test(stderr)], [0, false], stderr);
  });

  for (
    const [what, configuration, words] of [
      ["out of the repository", { source_dir: "../../etc" }, '"source_dir" in'],
      ["to a private place", { source_dir: ".ssh" }, "is a private path"],
      ["to nothing", { source_dir: "nowhere" }, "Not a directory: nowhere"],
      ["to no path", { source_dir: "src\0" }, '"source_dir" must be a directory'],
      [
        "to no image's name",
        { image: `${SKLEARN}$(touch${"${IFS}"}x)` },
        '"image" must be an image',
      ],
      ["to no such program", { train: { entry_point: "../x.py" } }, "Entry point not found: x.py"],
      [
        "to two programs",
        { train: { entry_point: "train.py", command: ["x"] } },
        "cannot be used together",
      ],
      ["to no distribution", { distribution: "mpi" }, '"distribution" must be torchrun'],
      ["to no launcher", { launcher: "toolkits" }, '"launcher" must be toolkit, script or image'],
    ] as const
  ) {
    it(`is refused where the app's file leads ${what}`, async () => {
      await using app = await scriptApp(configuration);
      await app.write(join(app.directory, ".ssh/train.py"), "");
      const { code, stderr, body } = await train(app);
      assertEquals([code, body], [1, undefined]);
      assertStringIncludes(stderr, words);
    });
  }

  for (const name of ["code", "sm_drivers"]) {
    it(`takes no data of the name ${name}, typed or lying there`, async () => {
      await using app = await scriptApp();
      await app.write(app.path("local_test/test_dir/input/data", name, "a.csv"), "1");
      const there = await train(app);
      assertEquals([there.code, there.body], [1, undefined]);
      assertStringIncludes(
        there.stderr,
        `error: Channel "${name}" is reserved for code`,
      );
      const typed = await train(app, ["--image", IMAGE, "--input", `${name}=src`]);
      assertEquals([typed.code, typed.body], [2, undefined]);
      // An empty directory would lie over the code.
      await Deno.remove(app.path("local_test/test_dir/input/data", name, "a.csv"));
      assertEquals((await train(app)).code, 1);
    });
  }

  for (
    const [args, words] of [
      [["train", "-t", "v2"], 'Option "--docker-tag" has no effect with the existing image'],
      [
        ["process", "-t", "v2", "-f", "p.py"],
        'Option "--docker-tag" has no effect with the existing image',
      ],
      [
        ["train", "--command", "x", "--source-dir", "src"],
        'Option "--source-dir" has no effect without an entry point',
      ],
      [
        ["train", "--command", "x", "--launcher", "script"],
        'Option "--launcher" has no effect without an entry point',
      ],
    ] as const
  ) {
    it(`is refused with ${args.join(" ")}`, async () => {
      await using app = await scriptApp();
      const line = ["local", ...args];
      const { code, stderr } = await runInProcess(line, { cwd: app.directory });
      assertEquals(code, 2);
      assertStringIncludes(stderr, words);
    });
  }

  it("is told how to become an app where there is none", async () => {
    await using directory = await makeDirectory({ "train.py": "" });
    await using engine = await fakeContainers();
    const line = ["local", "train", "--image", IMAGE, "--entry-point", "train.py"];
    const { code, stderr } = await runInProcess(line, { cwd: directory.path, engine });
    const name = directory.path.split("/").at(-1);
    assertEquals([code, stderr], [
      1,
      `error: Not a valid mlcli directory: ${directory.path}\n` +
      `hint: Create an app: mlcli init ${name} --image ${IMAGE} --source-dir . --entry-point train.py\n`,
    ]);
  });
});

/** A pull that says how far it is; the image is there afterwards. */
function pulling(
  lines: readonly unknown[],
): Play & { readonly asked: URLSearchParams[]; logins: unknown[] } {
  let isThere = false;
  const asked: URLSearchParams[] = [];
  const logins: unknown[] = [];
  return {
    asked,
    logins,
    answers: {
      "GET /images/NAME/json": () =>
        isThere
          ? Response.json({ Id: "sha256:1", Os: "linux", Architecture: "amd64", Config: TOOLKIT })
          : refusal(404, "No such image"),
      "POST /images/create": (request) => {
        asked.push(new URL(request.url).searchParams);
        const login = Uint8Array.fromBase64(request.headers.get("X-Registry-Auth")!, {
          alphabet: "base64url",
        });
        logins.push(JSON.parse(new TextDecoder().decode(login)));
        isThere = !lines.some((line) => JSON.stringify(line).includes("error"));
        return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      },
    },
  };
}

const DOWNLOADING = {
  status: "Downloading",
  id: "a1",
  progressDetail: { current: 5e6, total: 9e6 },
};

suite("an image that is not here", () => {
  it("is pulled by the caller's credentials for its registry, which go there alone", async () => {
    await using box = await Box.open();
    await using app = await scriptApp({ image: SKLEARN });
    const play = pulling([DOWNLOADING]);
    const run = await train(app, [], { ...play, cloud: box.env() });
    assertEquals(run.code, 0, run.stderr);
    assertStringIncludes(run.stderr, `note: Pulling ${SKLEARN} (not found locally)\n`);
    const quiet = await train(app, ["-q"], { ...pulling([DOWNLOADING]), cloud: box.env() });
    assertEquals([quiet.code, /Pulling|note:/.test(quiet.stderr)], [0, false], quiet.stderr);
    const { password, ...login } = play.logins[0] as { password: string };
    assertEquals(login, { username: "AWS", serveraddress: SKLEARN.split("/")[0] });
    assertEquals(box.ecr.store.tokens.has(password), true);
    const [token] = box.requests;
    assertEquals([token?.operation, token?.input], ["GetAuthorizationToken", {
      registryIds: ["141502667606"],
    }]);
    assertEquals([...play.asked[0]!], [["fromImage", SKLEARN]]);
    // What is here needs nobody.
    const again = await train(app, [], {});
    assertEquals(again.code, 0, again.stderr);
  });

  it("local train pulls an image for the configuration's platform, else DOCKER_DEFAULT_PLATFORM", async () => {
    // https://github.com/docker/compose/issues/9889: compose ignored the variable in pulls.
    const image = "public.ecr.aws/deep-learning-containers/pytorch:2";
    const env = { DOCKER_DEFAULT_PLATFORM: "linux/amd64" };
    const platformOf = async (configuration: Readonly<Record<string, unknown>>) => {
      await using app = await scriptApp(configuration);
      const play = pulling([DOWNLOADING]);
      const { code, stderr } = await train(app, ["--image", image], { ...play, env });
      assertEquals(code, 0, stderr);
      return play.asked[0]!.get("platform");
    };
    assertEquals(await platformOf({}), "linux/amd64");
    assertEquals(await platformOf({ platform: "linux/arm64" }), "linux/arm64");
  });

  it("is pulled without a login from ECR Public, and by docker's from elsewhere", async () => {
    await using app = await scriptApp();
    await using docker = await makeDirectory({
      "config.json": JSON.stringify({ auths: { "r.io": { auth: btoa("me:secret") } } }),
    });
    for (
      const [image, expected] of [
        ["public.ecr.aws/deep-learning-containers/pytorch:2", {}],
        ["r.io/team/torch:2", { username: "me", password: "secret", serveraddress: "r.io" }],
        // No login of AWS's for a host that only looks like one.
        ["141502667606.dkr.ecr.eu-west-1.amazonaws.com.r.io/x:1", {}],
      ] as const
    ) {
      const play = pulling([DOWNLOADING]);
      const env = { DOCKER_CONFIG: docker.path };
      const { code, stderr } = await train(app, ["--image", image], { ...play, env });
      assertEquals([code, play.logins], [0, [expected]], stderr);
    }
  });

  for (
    const [image, words, hint] of [
      [
        "763104351884.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn:1.9-0",
        "repository does not exist",
        /^hint: Use the image that AWS publishes in eu-west-1: 141502667606\./m,
      ],
      [
        SKLEARN,
        "no basic auth credentials",
        /^hint: Add the permissions ecr:BatchGetImage/m,
      ],
      [
        "r.io/team/torch:2",
        "unauthorized",
        /^hint: Check the image name\. If the image is private, run docker login r\.io/m,
      ],
      ["r.io/team/torch:2", "manifest unknown", /^hint: Check the name, and whether docker pull /m],
    ] as const
  ) {
    it(`whose registry says ${words} of ${image} is an error that says what to do`, async () => {
      await using box = await Box.open();
      await using app = await scriptApp();
      const play = pulling([{ errorDetail: { message: words } }]);
      const run = await train(app, ["--image", image], { ...play, cloud: box.env() });
      assertEquals([run.code, run.body], [1, undefined]);
      assertStringIncludes(run.stderr, `error: Image not found: ${image}\n`);
      assertMatch(run.stderr, hint);
    });
  }
});

suite("a pull from ECR", () => {
  it("without credentials says what they are for", async () => {
    await using app = await scriptApp({ image: SKLEARN });
    const cloud = { AWS_EC2_METADATA_DISABLED: "true" };
    const { code, stderr } = await train(app, [], { ...pulling([]), cloud });
    assertEquals(code, 1);
    assertMatch(stderr, /\nerror: Image not found: .*\n {2}No AWS credentials found/);
    assertStringIncludes(
      stderr,
      "\nhint: To pull from Amazon ECR in eu-west-1, check your AWS credentials",
    );
  });

  it("warns first where AWS has another account for the image", async () => {
    await using box = await Box.open();
    const wrong = SKLEARN.replace("141502667606", "763104351884");
    await using app = await scriptApp({ image: wrong });
    const { code, stderr } = await train(app, [], { ...pulling([]), cloud: box.env() });
    assertEquals(code, 0);
    assertStringIncludes(
      stderr,
      "warning: AWS account 763104351884 does not provide sagemaker-scikit-learn in " +
        `eu-west-1\nhint: Use ${SKLEARN}\n`,
    );
  });
});

suite("an image that only the app's file names", () => {
  it("runs where it is AWS's, the caller's own, trusted, or was typed once", async () => {
    await using box = await Box.open();
    const own = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop:1";
    await using settings = await makeDirectory({
      "mlcli/config.json": JSON.stringify({ trusted_registries: ["ghcr.io"] }),
    });
    const env = { XDG_CONFIG_HOME: settings.path };
    for (const image of [SKLEARN, own, "ghcr.io/team/torch:2"]) {
      await using app = await scriptApp({ image });
      const { code, stderr } = await train(app, [], { env, cloud: box.env() });
      assertEquals(code, 0, stderr);
    }
    await using app = await scriptApp();
    assertEquals((await train(app, [])).code, 1);
    assertEquals((await train(app)).code, 0);
    assertEquals((await train(app, [])).code, 0);
  });

  it("has to be its registry's: what mlcli built here under that name is typed", async () => {
    await using box = await Box.open();
    const own = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop:1";
    const image = { ...TOOLKIT, Labels: { "mlcli.app": "other" } };
    for (const name of [SKLEARN, own]) {
      await using app = await scriptApp({ image: name });
      const pulled = await train(app, [], { cloud: box.env() });
      assertEquals(pulled.code, 0, pulled.stderr);
      const built = await train(app, [], { cloud: box.env(), image });
      assertEquals([built.code, built.body], [1, undefined]);
      assertStringIncludes(
        built.stderr,
        `error: ${name} is not from a registry: mlcli built it for the app other\n` +
          `hint: Get the registry's image (docker pull ${name}), or `,
      );
      const typed = await train(app, ["--image", name], { image });
      assertEquals(typed.code, 0, typed.stderr);
    }
  });

  it("is typed where it has no registry, whatever the person trusts", async () => {
    await using settings = await makeDirectory({
      "mlcli/config.json": JSON.stringify({ trusted_registries: ["docker.io"] }),
    });
    for (const image of ["my-project:latest", "c8382dd93a08", "docker.io/team/x:1"]) {
      await using app = await scriptApp({ image });
      const { code, body } = await train(app, [], { env: { XDG_CONFIG_HOME: settings.path } });
      assertEquals([code, body], [1, undefined]);
    }
  });

  for (
    const image of [
      IMAGE,
      "ghcr.io/team/torch:2",
      "111122223333.dkr.ecr.eu-west-1.amazonaws.com/x:1",
    ]
  ) {
    for (
      const line of [["train"], ["process", "-f", "p.py"], ["deploy", "-p", "0"], [
        "shell",
        "--",
        "x",
      ]]
    ) {
      it(`${image} does not run with local ${line[0]}, here or not`, async () => {
        await using box = await Box.open();
        await using app = await completeApp({ configuration: { image } });
        const command = `mlcli local ${line[0] === "shell" ? "train" : line[0]}`;
        await using engine = await fakeContainers({ image: TOOLKIT });
        const { code, stderr } = await runInProcess(["local", ...line], {
          cwd: app.directory,
          engine,
          cloud: box.env(),
        });
        assertEquals([code, engine.created], [1, []]);
        assertStringIncludes(
          stderr,
          `error: mlcli does not trust the image ${image}, set by ${app.name}.json: its registry`,
        );
        assertStringIncludes(
          stderr,
          `hint: Confirm once that you trust it: ${command} --image ${image}\n`,
        );
      });
    }
  }

  it("local shell serve refuses an untrusted image at the top level, whatever deploy.image is", async () => {
    const image = "ghcr.io/team/torch:2";
    const aws = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:2.0";
    for (
      const deploy of [{ image: aws }, { image: aws, launcher: "nosuch", entry_point: "a.py" }]
    ) {
      await using app = await completeApp({ configuration: { image, deploy } });
      await using engine = await fakeContainers({ image: TOOLKIT });
      const { code, stderr } = await runInProcess(["local", "shell", "serve", "--", "x"], {
        cwd: app.directory,
        engine,
      });
      assertEquals([code, engine.created], [1, []]);
      assertStringIncludes(stderr, `mlcli does not trust the image ${image}`);
    }
  });

  it("local shell process ignores keys that local process does not read", async () => {
    const process = { command: ["a"], launcher: "nosuch" };
    await using app = await completeApp({ configuration: { distribution: "torchrun", process } });
    await using engine = await fakeContainers();
    const { stderr } = await runInProcess(["local", "shell", "process", "--", "x"], {
      cwd: app.directory,
      engine,
    });
    assertEquals(stderr.includes("cannot be used together"), false, stderr);
    assertEquals(engine.created.length, 1, stderr);
  });

  it("is neither built nor pushed", async () => {
    await using app = await scriptApp();
    await using engine = await fakeContainers();
    for (
      const [command, words] of [
        ["build", `Nothing to build: ${app.name}.json sets the existing image `],
        ["push", `Nothing to push: ${app.name}.json sets the existing image`],
      ] as const
    ) {
      const { code, stderr } = await runInProcess([command], { cwd: app.directory, engine });
      assertEquals(code, 1);
      assertStringIncludes(stderr, words);
    }
  });
});

suite("doctor", () => {
  it("looks for the code that the file names", async () => {
    await using app = await scriptApp({ train: { entry_point: "./train.py" } });
    await using engine = await fakeContainers({ image: {} });
    const doctor = () => runInProcess(["doctor"], { cwd: app.directory, engine });
    const { stdout } = await doctor();
    assertEquals(/accept-bind-to-port|Entry point/.test(stdout), false, stdout);
    await Deno.remove(join(app.directory, "src/train.py"));
    const missing = await doctor();
    assertEquals(missing.code, 1);
    assertMatch(missing.stdout, /^problem +Entry point not found: src\/train\.py$/m);
  });
});

suite("init --image", () => {
  it("writes the file and the place for data, and nothing to build from", async () => {
    await using directory = await makeDirectory({ "src/train.py": "" });
    await using state = await makeDirectory();
    await using engine = await fakeContainers({ image: {} });
    const init = (...args: readonly string[]) =>
      runInProcess(["init", "shop", ...args], {
        cwd: directory.path,
        engine,
        env: { XDG_STATE_HOME: state.path },
      });
    const words = ["--image", IMAGE, "--source-dir", "src", "--entry-point", "train.py"];
    const { code, stdout, stderr } = await init(...words);
    assertEquals(code, 0, stderr);
    assertEquals(stdout.trim().split("\n"), [
      "shop.json",
      "shop/mlcli_base/.schema.json",
      "shop/mlcli_base/local_test/.gitignore",
      "shop/mlcli_base/local_test/test_dir/model/.gitkeep",
      "shop/mlcli_base/local_test/test_dir/output/.gitkeep",
    ]);
    assertEquals(JSON.parse(await Deno.readTextFile(join(directory.path, "shop.json"))), {
      $schema: "./shop/mlcli_base/.schema.json",
      image: IMAGE,
      source_dir: "src",
      launcher: "script",
      train: { entry_point: "train.py" },
    });
    // A second time completes it, and adds nothing to build from either.
    assertEquals((await init()).stdout, "");
    // What was typed here need not be typed again.
    const { code: trained, stderr: said } = await runInProcess(["local", "train"], {
      cwd: directory.path,
      engine,
      env: { XDG_STATE_HOME: state.path },
    });
    assertEquals(trained, 0, said);
  });

  it("takes the toolkit for AWS's scikit-learn, by its name, and leaves open what it does not know", async () => {
    for (const [image, launcher] of [[SKLEARN, "toolkit"], ["r.io/x:1", undefined]] as const) {
      await using directory = await makeDirectory({ "train.py": "" });
      const line = ["init", "shop", "--image", image, "--entry-point", "train.py"];
      const { code, stderr } = await runInProcess(line, { cwd: directory.path });
      assertEquals(code, 0, stderr);
      const file = JSON.parse(await Deno.readTextFile(join(directory.path, "shop.json")));
      assertEquals(file.launcher, launcher);
    }
  });

  it("is refused where the code is not there, and writes nothing", async () => {
    await using directory = await makeDirectory({ "src/train.py": "" });
    for (
      const [words, error] of [
        [["--source-dir", "nowhere", "--entry-point", "train.py"], "Not a directory: nowhere"],
        [
          ["--source-dir", "src", "--entry-point", "trian.py"],
          "Entry point not found: src/trian.py\nhint: Did you mean train.py?",
        ],
        [
          ["--source-dir", "src", "--entry-point", "x.ipynb"],
          "Cannot run a notebook as a program: x.ipynb",
        ],
      ] as const
    ) {
      const line = ["init", "shop", "--image", IMAGE, ...words];
      const { code, stderr } = await runInProcess(line, { cwd: directory.path });
      assertEquals([code, await namesIn(directory.path)], [1, ["src"]]);
      assertStringIncludes(stderr, error);
    }
  });

  for (
    const [args, words] of [
      [
        ["--image", IMAGE, "--base-image", "x"],
        'Options "--image" and "--base-image" cannot be used together',
      ],
      [["--entry-point", "train.py"], 'Option "--entry-point" has no effect without "--image"'],
      [
        ["--image", IMAGE, "--launcher", "image", "--entry-point", "train.py"],
        'Option "--entry-point" has no effect with "--launcher image"',
      ],
      [
        ["--image", IMAGE, "--source-dir", "src"],
        'Option "--source-dir" has no effect without "--entry-point"',
      ],
      [["--image", "-x"], 'must be an image name, such as "python:3.12", but got "-x"'],
    ] as const
  ) {
    it(`is refused with ${args.join(" ")}`, async () => {
      await using directory = await makeDirectory();
      const { code, stderr } = await runInProcess(["init", "shop", ...args], {
        cwd: directory.path,
      });
      assertEquals([code, await namesIn(directory.path)], [2, []]);
      assertStringIncludes(stderr, words);
    });
  }
});
