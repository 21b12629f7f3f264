import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { VERSION } from "../../../runtime/version.ts";
import { completeApp, markOf, type TestApp } from "../../helpers/app.ts";
import {
  type Answer,
  type Answers,
  type FakeEngine,
  fakeEngine,
  pong,
  refusal,
} from "../../helpers/fake_engine.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Takes the whole context, and says these messages. */
function saying(...messages: readonly unknown[]): Answer {
  return async (request) => {
    await request.body?.pipeTo(new WritableStream());
    return new Response(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  };
}

const BUILT = { aux: { ID: "sha256:abc" } };

type Before = Readonly<Record<string, unknown>> | ((app: TestApp) => Record<string, unknown>);

interface Given extends Partial<InProcessOptions> {
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  /** The configuration of the image of that name before the build. */
  readonly before?: Before;
  /** What the engine says of it after the build. */
  readonly after?: Answer;
}

interface Build extends ProgramResult {
  readonly query: Readonly<Record<string, string>>;
  readonly app: string;
  readonly mark: string;
  readonly calls: readonly string[];
}

const IMAGE = { Created: "2026-01-01T00:00:00Z", Os: "linux", Architecture: "amd64" };

async function build(
  answer: Answer,
  args: readonly string[] = [],
  { configuration, files, before, after = () => Response.json(IMAGE), ...options }: Given = {},
): Promise<Build> {
  await using app = await completeApp({ configuration, files });
  let isBuilt = false;
  const image = async (...asked: Parameters<Answer>): Promise<Response> => {
    if (isBuilt) return await after(...asked);
    return before === undefined
      ? refusal(404, "No such image")
      : Response.json({ ...IMAGE, Config: typeof before === "function" ? before(app) : before });
  };
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    "GET /info": () => Response.json({}),
    "POST /build": (...asked) => {
      isBuilt = true;
      return answer(...asked);
    },
  };
  await using engine: FakeEngine = await fakeEngine((call) =>
    call.startsWith("GET /images/") ? image : answers[call]
  );
  const result = await runInProcess(["build", ...args], {
    cwd: app.directory,
    engine,
    ...options,
  });
  const { query = {} } = engine.calls.find(({ call }) => call === "POST /build") ?? {};
  const { name, mark } = app;
  return { ...result, query, app: name, mark, calls: engine.calls.map(({ call }) => call) };
}

suite("what mlcli build asks for", () => {
  it("is the app's image, by its own Dockerfile, without leftovers", async () => {
    const { code, stdout, stderr, query, app, mark } = await build(saying(BUILT), ["-q"]);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: `${app}:latest\n`, stderr: "" });
    const { buildargs, labels, ...rest } = query;
    assertEquals(rest, {
      version: "2",
      t: `${app}:latest`,
      dockerfile: `${app}/mlcli_base/Dockerfile`,
      rm: "1",
      forcerm: "1",
    });
    assertEquals(JSON.parse(buildargs!), {
      BASE_IMAGE: "python:3.12-slim",
      APP: app,
      REQUIREMENTS: "requirements.txt",
    });
    const { "mlcli.files": files, ...others } = JSON.parse(labels!);
    assertEquals(Object.keys(JSON.parse(files)), [
      ".mlcli/",
      `${app}/mlcli_base/Dockerfile`,
      "requirements.txt",
      `${app}/mlcli_base/training/training.py`,
      `${app}/mlcli_base/prediction/serve`,
      `${app}/mlcli_base/processing/p.py`,
    ]);
    assertEquals(others, {
      "mlcli.app": app,
      "mlcli.directory": mark,
      "mlcli.version": VERSION,
      "mlcli.dockerfile": `${app}/mlcli_base/Dockerfile`,
      // Not that of a base image.
      "mlcli.context": "app",
    });
  });

  const configured = {
    image_name: "team/demo",
    base_image: "base:1",
    platform: "linux/arm64",
    python_version: "3.10",
  };
  type Row = readonly [
    title: string,
    args: readonly string[],
    configuration: Readonly<Record<string, unknown>>,
    asked: Readonly<Record<string, string | undefined>>,
  ];
  const rows: readonly Row[] = [
    ["the configuration's base image and platform", [], configured, {
      t: "team/demo:latest",
      BASE_IMAGE: "base:1",
      platform: "linux/arm64",
    }],
    ["--base-image before the configuration's", ["--base-image", "mine:2"], configured, {
      BASE_IMAGE: "mine:2",
      platform: "linux/arm64",
    }],
    ["--platform before the configuration's", ["--platform", "linux/amd64"], configured, {
      BASE_IMAGE: "base:1",
      platform: "linux/amd64",
    }],
    ["the configuration's Python", [], { python_version: "3.10" }, {
      BASE_IMAGE: "python:3.10-slim",
      platform: undefined,
    }],
    ["--docker-tag", ["--docker-tag", "v2"], configured, { t: "team/demo:v2" }],
    ["every step with --no-cache", ["--no-cache"], {}, { nocache: "1" }],
  ];
  for (const [title, args, configuration, asked] of rows) {
    it(`is ${title}`, async () => {
      const { code, stdout, query } = await build(saying(BUILT), args, { configuration });
      assertEquals([code, stdout], [0, `${query["t"]}\n`]);
      const all: Record<string, string> = { ...query, ...JSON.parse(query["buildargs"]!) };
      assertEquals(Object.fromEntries(Object.keys(asked).map((key) => [key, all[key]])), asked);
    });
  }
});

suite("what DOCKER_BUILDKIT asks for", () => {
  it("is built by the classic builder where it is 0", async () => {
    const { code, query } = await build(saying(BUILT), [], { env: { DOCKER_BUILDKIT: "0" } });
    assertEquals([code, query["version"]], [0, undefined]);
  });
});

suite("an image that has the name already", () => {
  const FOREIGN = { Entrypoint: ["train"], Labels: { maintainer: "me" } };
  const labelled = (app: string, directory: string) => ({
    Entrypoint: ["train"],
    Labels: { "mlcli.app": app, "mlcli.directory": directory },
  });
  const OTHERS = labelled("payments", markOf("/home/me/payments"));
  for (
    const [title, before, args] of [
      ["none", undefined, []],
      ["the app's own", ({ name, mark }: TestApp) => labelled(name, mark), []],
      ["one that mlcli built for nobody", labelled("", ""), []],
      ["another app's, with --replace", OTHERS, ["--replace"]],
      ["one with the harness", { Entrypoint: ["/opt/mlcli/entrypoint"] }, []],
      ["another, with --replace", FOREIGN, ["--replace"]],
    ] as const
  ) {
    it(`is replaced: ${title}`, async () => {
      const { code, stdout, stderr, app } = await build(saying(BUILT), ["-q", ...args], { before });
      assertEquals([code, stdout, stderr], [0, `${app}:latest\n`, ""]);
    });
  }

  it("is replaced, with a warning: the app's of another directory, such as a clone", async () => {
    const { code, stdout, stderr, app } = await build(saying(BUILT), ["-q"], {
      before: ({ name }) => labelled(name, markOf("/home/me/clone")),
    });
    assertEquals([code, stdout], [0, `${app}:latest\n`]);
    assertEquals(
      stderr,
      `warning: ${app}:latest was not built from this directory, so its code might differ\n` +
        "hint: To rebuild it from the code in this directory, run mlcli build. To keep it, choose another image_name or --docker-tag.\n",
    );
  });

  it("stays where it is another app's", async () => {
    const { code, stdout, stderr, calls, app } = await build(saying(BUILT), [], { before: OTHERS });
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr,
      `error: ${app}:latest belongs to another app: payments\n` +
        `hint: Set another image_name in ${app}.json, or use another --docker-tag. ` +
        "To reuse the name for this app, run mlcli build --replace.\n",
    );
    assertEquals(calls, ["GET /_ping", `GET /images/${app}%3Alatest/json`]);
  });

  it("stays where mlcli did not build it", async () => {
    const { code, stdout, stderr, calls, app } = await build(saying(BUILT), [], {
      before: FOREIGN,
    });
    assertEquals([code, stdout], [1, ""]);
    const [message, hint = ""] = stderr.split("\n");
    assertEquals(message, `error: ${app}:latest already exists, and mlcli did not build it`);
    assertMatch(
      hint,
      /^hint: To use this name for the new image, add --replace\. Otherwise, set another image_name in /,
    );
    assertEquals(calls, ["GET /_ping", `GET /images/${app}%3Alatest/json`]);
  });
});

suite("what mlcli build says of a Dockerfile that does not copy common/", () => {
  const LINE = "COPY ${APP}/mlcli_base/common/ /opt/program/common/";
  const OURS = { Entrypoint: ["/opt/mlcli/entrypoint"] };
  for (
    const [title, files, config, isSaid] of [
      ["the line that it lacks", { "common/f.py": "" }, OURS, true],
      ["nothing where it has the line", { "common/f.py": "", Dockerfile: LINE }, OURS, false],
      ["nothing where nothing is shared", { "common/.gitkeep": "" }, OURS, false],
      ["nothing where the image has another harness", { "common/f.py": "" }, {}, false],
    ] as const
  ) {
    it(`is ${title}`, async () => {
      const after = () => Response.json({ ...IMAGE, Config: config });
      const { code, stdout, stderr, app } = await build(saying(BUILT), ["-q"], { after, files });
      assertEquals([code, stdout], [0, `${app}:latest\n`]);
      const base = `${app}/mlcli_base`;
      const warning = `warning: ${base}/Dockerfile does not copy ${base}/common/ into the image\n` +
        `hint: Add this line to the Dockerfile, next to the other COPY lines, then run mlcli build: ${LINE}\n`;
      assertEquals(stderr, isSaid ? warning : "");
    });
  }
});

suite("the platform of mlcli build", () => {
  const ROWS: readonly {
    readonly name: string;
    readonly env: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
    readonly configuration?: Readonly<Record<string, unknown>>;
    readonly platform: string | undefined;
  }[] = [
    {
      // https://github.com/docker/compose/issues/8840: compose ignored the variable in builds.
      name: "build uses DOCKER_DEFAULT_PLATFORM if no other setting names a platform",
      env: { DOCKER_DEFAULT_PLATFORM: "linux/arm64" },
      platform: "linux/arm64",
    },
    {
      // https://github.com/docker/compose/issues/9853: compose asked for both platforms.
      name: "build prefers the configuration's platform to DOCKER_DEFAULT_PLATFORM",
      env: { DOCKER_DEFAULT_PLATFORM: "linux/arm64" },
      configuration: { platform: "linux/amd64" },
      platform: "linux/amd64",
    },
    {
      name:
        "build prefers MLCLI_PLATFORM to the configuration's platform and DOCKER_DEFAULT_PLATFORM",
      env: { MLCLI_PLATFORM: "linux/s390x", DOCKER_DEFAULT_PLATFORM: "linux/arm64" },
      configuration: { platform: "linux/amd64" },
      platform: "linux/s390x",
    },
    {
      name: "build with --platform does not read DOCKER_DEFAULT_PLATFORM",
      env: { DOCKER_DEFAULT_PLATFORM: "no platform" },
      args: ["--platform", "linux/arm64/v8"],
      platform: "linux/arm64/v8",
    },
    {
      name: "build uses the engine's platform if DOCKER_DEFAULT_PLATFORM is empty",
      env: { DOCKER_DEFAULT_PLATFORM: "" },
      platform: undefined,
    },
  ];
  for (const { name, env, args, configuration, platform } of ROWS) {
    it(name, async () => {
      const { code, stderr, query } = await build(saying(BUILT), args, { env, configuration });
      assertEquals({ code, platform: query["platform"] }, { code: 0, platform }, stderr);
    });
  }

  it("build warns of Graviton instances if DOCKER_DEFAULT_PLATFORM is arm64", async () => {
    const env = { DOCKER_DEFAULT_PLATFORM: "linux/arm64" };
    const after = () => Response.json({ ...IMAGE, Architecture: "arm64" });
    const { stderr } = await build(saying(BUILT), ["-q"], { env, after });
    assertMatch(stderr, /^warning: \S+:latest is for linux\/arm64, .* Graviton instances/);
  });

  it("build fails before it sends anything if DOCKER_DEFAULT_PLATFORM is not a platform", async () => {
    // https://github.com/docker/compose/issues/12241: a platform that does not exist went unnoticed.
    const env = { DOCKER_DEFAULT_PLATFORM: "mynonsensearch" };
    const { code, stderr, calls } = await build(saying(BUILT), [], { env });
    assertEquals({ code, calls }, { code: 1, calls: [] });
    assertMatch(
      stderr,
      /^error: DOCKER_DEFAULT_PLATFORM must be one platform, .* but is "mynonsensearch"\nhint: /,
    );
  });
});

suite("what mlcli build says of the image's platform", () => {
  const arm = { Architecture: "arm64" };
  const rows: readonly (readonly [
    title: string,
    image: Readonly<Record<string, unknown>>,
    args: readonly string[],
    configuration: Readonly<Record<string, unknown>>,
    words: RegExp,
  ])[] = [
    ["nothing of the platform's own", {}, [], {}, /^$/],
    [
      "that the platform has few of this machine's",
      arm,
      [],
      {},
      /^warning: \S+:latest is for linux\/arm64, .* only on Graviton instances .*\nhint: .* mlcli build --platform linux\/amd64\. .*\n$/,
    ],
    ["nothing of what the configuration asks for", arm, [], { platform: "linux/arm64" }, /^$/],
    ["nothing of what --platform asks for", arm, ["--platform", "linux/arm64/v8"], {}, /^$/],
    [
      "that the builder did not do as it was asked",
      arm,
      [],
      { platform: "linux/amd64" },
      /^warning: \S+:latest is for linux\/arm64, /,
    ],
    [
      "that the platform has none of the kind",
      { Architecture: "s390x" },
      ["--platform", "linux/s390x"],
      {},
      /^warning: \S+:latest is for linux\/s390x, which SageMaker does not support\nhint: /,
    ],
  ];
  for (const [title, image, args, configuration, words] of rows) {
    it(`is ${title}`, async () => {
      const after = () => Response.json({ ...IMAGE, ...image });
      const given = { configuration, after };
      const { code, stdout, stderr, app } = await build(saying(BUILT), ["-q", ...args], given);
      assertMatch(stderr, words);
      assertEquals([code, stdout], [0, `${app}:latest\n`]);
    });
  }

  it("is nothing where the engine does not say, and the image is built all the same", async () => {
    const after = () => refusal(500, "not today");
    const { code, stdout, stderr, app } = await build(saying(BUILT), ["-q"], { after });
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: `${app}:latest\n`, stderr: "" });
  });
});

suite("mlcli build that fails", () => {
  const OWN =
    "hint: See the output of the failed step above. The next build reuses the steps that " +
    "succeeded.\n";
  const rows: readonly (readonly [title: string, messages: readonly unknown[], words: string])[] = [
    [
      "an error",
      [{ stream: "Step 1/1 : RUN y" }, { errorDetail: { message: "exit 1" } }],
      "exit 1",
    ],
    ["an error as Podman has it", [{ error: "exit 1" }], "exit 1"],
    ["an error after the image", [BUILT, { errorDetail: { message: "no room" } }], "no room"],
    ["no image", [{ stream: "Step 1/1 : RUN y" }], "the engine stopped without creating an image"],
    ["nothing", [], "the engine stopped without creating an image"],
    ["another aux", [{ aux: {} }], "the engine stopped without creating an image"],
  ];
  for (const [title, messages, words] of rows) {
    it(`where the engine ends with ${title}`, async () => {
      const { code, stdout, stderr } = await build(saying(...messages));
      assertEquals([code, stdout], [1, ""]);
      assertEquals(
        stderr.replace(/^#1 .*\n/gm, ""),
        `error: Build failed: ${words}\n${OWN}`,
      );
    });
  }

  for (
    const reason of [
      "pull access denied for nobody/nothing",
      "manifest for python:9 not found: manifest unknown",
      'Get "https://r.example/v2/": dial tcp: lookup r.example on 1.1.1.1:53: no such host',
      "Get https://r.example/v2/: net/http: request canceled (Client.Timeout exceeded)",
    ]
  ) {
    it(`for want of the base image names it: ${reason.slice(0, 20)}`, async () => {
      const { stderr } = await build(saying({ errorDetail: { message: reason } }), [
        ...["--base-image", "nobody/nothing"],
      ]);
      assertStringIncludes(stderr, "hint: Check the base image nobody/nothing, and");
    });
  }

  it("where a file of the context cannot be read says which one", async () => {
    const { open } = Deno;
    // Root may read every file.
    using _unreadable = replaced(Deno, {
      open: (path: string | URL, options?: Deno.OpenOptions) =>
        String(path).endsWith("training.py")
          ? Promise.reject(new Deno.errors.PermissionDenied("Permission denied (os error 13)"))
          : open(path, options),
    });
    const { code, stdout, stderr } = await build(async (request) => {
      // The context breaks off.
      await request.body?.pipeTo(new WritableStream()).catch(() => {});
      return new Response();
    });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Cannot read \S+\/training\/training\.py: Permission denied\nhint: /,
    );
  });

  it("where the engine refuses", async () => {
    const { code, stderr } = await build(async (request) => {
      await request.body?.pipeTo(new WritableStream());
      return refusal(500, "not today");
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The Docker Engine refused POST \/build \(500\): not today\n/);
  });

  it("asks no engine where the app lacks something", async () => {
    await using app = await completeApp();
    await Deno.remove(app.path("Dockerfile"));
    const { code, stderr } = await runInProcess(["build"], { cwd: app.directory });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Dockerfile not found: /);
  });
});

suite("the output of mlcli build", () => {
  const withoutTimes = (text: string) => text.replaceAll(/\b\d+\.\ds\b/g, "T");

  it("is that of the steps and of what is pulled, on standard error", async () => {
    const { stdout, stderr, app } = await build(saying(
      { stream: "Step 1/2 : FROM x\n" },
      { status: "Pulling from library/python", id: "3.12-slim" },
      { status: "Digest: sha256:1" },
      { stream: "\x1b[91mwarning\n\x1b[0m" },
      BUILT,
    ));
    assertEquals(stdout, `${app}:latest\n`);
    assertEquals(
      withoutTimes(stderr),
      [
        "#1 [1/2] FROM x",
        "#1 | 3.12-slim: Pulling from library/python",
        "#1 | Digest: sha256:1",
        "#1 | warning",
        "#1 done T",
        `Built ${app}:latest in T`,
        "",
      ].join("\n"),
    );
  });

  const STEPS = [
    { stream: "Step 1/2 : FROM x\n" },
    { stream: "fine\n" },
    { stream: "Step 2/2 : RUN y\n" },
    { stream: "broken\n" },
  ];

  it("is of the failing step alone on a terminal", async () => {
    const answer = saying(...STEPS, { errorDetail: { message: "exit 1" } });
    const { stderr } = await build(answer, [], { isTerminal: true });
    // deno-lint-ignore no-control-regex
    const end = stderr.split(/\x1b\[[JK]/).at(-1)!;
    assertEquals(end.split("error:")[0], "[2/2] RUN y\nbroken\n");
    assertMatch(
      end,
      /\nerror: Build failed: exit 1\nhint: See the output of the failed step above\./,
    );
  });

  for (
    const words of [
      // Docker 20.10 on a full data root.
      "failed to read downloaded context: failed to load cache key: failed to create lease: write " +
      "/var/lib/docker/buildkit/containerdmeta.db: no space left on device",
      "failed to read downloaded context: failed to load cache key: write " +
      "/var/lib/docker/overlay2/qnp6xvk52xk2v74ciyx6un5du/diff/context: no space left on device",
      "ENOSPC: no space left on device, write",
    ]
  ) {
    it(`of a full disk names what frees it: ${words.slice(-60)}`, async () => {
      const { code, stderr } = await build(saying(...STEPS, { errorDetail: { message: words } }));
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /\nerror: Build failed: .*no space left on device.*\nhint: .* docker system df /,
      );
    });
  }

  it("a failed build ends with the cause after a long output, in a pipe and on a terminal", async () => {
    const lines = Array.from({ length: 650 }, (_, line) => ({ stream: `copying ${line}\n` }));
    const answer = saying(
      { stream: "Step 1/1 : RUN y\n" },
      { stream: "ERROR: Could not find a version that satisfies the requirement panda==1 (from " },
      { stream: "versions: none)\nERROR: No matching distribution found for panda==1\n" },
      ...lines,
      { errorDetail: { message: "exit 1" } },
    );
    const files = { "../../requirements.txt": "six\npanda==1\n" };
    for (const isTerminal of [false, true]) {
      const { stderr } = await build(answer, [], { isTerminal, files });
      assertStringIncludes(
        stderr.slice(stderr.indexOf("error: ")).replaceAll(/\n {6,7}(?=\S)/g, " "),
        "error: Build failed: No matching distribution found for panda==1 (requirements.txt, line " +
          "2)\nhint: Did you mean pandas? Fix panda in requirements.txt, line 2. ",
      );
    }
  });

  it("a failed build of unknown cause ends with the lines that name an error", async () => {
    const lines = Array.from({ length: 20 }, (_, line) => ({ stream: `copying ${line}\n` }));
    const { stderr } = await build(saying(
      { stream: "Step 1/1 : RUN y\n" },
      { stream: "\x1b[91mValueError: no such thing\n\x1b[0m" },
      ...lines,
      { errorDetail: { message: "exit 1" } },
    ));
    assertStringIncludes(
      stderr,
      "\nerror: Build failed: exit 1\n  ValueError: no such thing\nhint: See the output of the failed",
    );
  });

  it("build and build --dry-run print a note about optional secrets", async () => {
    const files = { "Dockerfile": "FROM scratch\nRUN --mount=type=secret,id=t x\n" };
    const note = /^note: Building without the optional secrets in \S+, line 2: mlcli build cannot/m;
    for (const args of [[], ["--dry-run"]]) {
      const { code, stderr } = await build(saying(BUILT), args, { files });
      assertEquals(code, 0);
      assertMatch(stderr, note);
    }
  });

  it("build and build --dry-run reject a required secret before the engine is asked", async () => {
    const files = { "Dockerfile": "FROM scratch\nRUN --mount=type=ssh x\n" };
    for (const args of [[], ["--dry-run"]]) {
      const { code, stderr, calls } = await build(saying(BUILT), args, { files });
      assertEquals([code, calls], [1, []]);
      assertMatch(stderr, /^error: mlcli build cannot pass secrets or SSH keys to RUN\n/);
    }
  });

  it("is a line on a terminal where it works", async () => {
    const { code, stderr, app } = await build(saying(...STEPS, BUILT), [], { isTerminal: true });
    // deno-lint-ignore no-control-regex
    const end = withoutTimes(stderr.split(/\x1b\[[JK]/).at(-1)!);
    assertEquals([code, end], [0, `Built ${app}:latest in T\n`]);
  });

  it("is, with --quiet, that of the failing step alone, on a terminal and in a pipe", async () => {
    const failing = saying(...STEPS, { errorDetail: { message: "exit 1" } });
    for (const isTerminal of [false, true]) {
      const worked = await build(saying(...STEPS, BUILT), ["-q"], { isTerminal });
      assertEquals([worked.stdout, worked.stderr], [`${worked.app}:latest\n`, ""]);
      const { stderr } = await build(failing, ["--quiet"], { isTerminal });
      assertEquals(stderr.split("error:")[0], "[2/2] RUN y\nbroken\n");
    }
  });

  it("is, with --progress plain, on a terminal what it is in a pipe", async () => {
    const [there, here] = await Promise.all([
      build(saying(...STEPS, BUILT), ["--progress", "plain"], { isTerminal: true }),
      build(saying(...STEPS, BUILT)),
    ]);
    assertEquals(
      withoutTimes(there.stderr).replaceAll(there.app, ""),
      withoutTimes(here.stderr).replaceAll(here.app, ""),
    );
  });
});

suite("Ctrl-C in mlcli build", () => {
  it("while the context is being sent ends it", async () => {
    const keys = new Keys();
    await using app = await completeApp();
    // More than the connection holds, so that the sending is under way.
    await app.write(`${app.path("training")}/big.bin`, new Uint8Array(32 * 1024 ** 2));
    await using engine = await fakeEngine({
      "GET /_ping": () => pong("1.41"),
      "GET /info": () => Response.json({}),
      [`GET /images/${app.name}%3Alatest/json`]: () => refusal(404, "No such image"),
      "POST /build": async (request, released) => {
        const reader = request.body!.getReader();
        await reader.read();
        keys.press();
        await Promise.race([reader.closed.catch(() => {}), released]);
        await reader.cancel().catch(() => {});
        return new Response();
      },
    });
    const result = await runInProcess(["build"], { cwd: app.directory, engine, keys });
    assertEquals(result, { code: 130, stdout: "", stderr: "" });
  });

  it("while the engine builds ends it", async () => {
    const keys = new Keys();
    const answer: Answer = async (request) => {
      await request.body?.pipeTo(new WritableStream());
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        controller.enqueue(new TextEncoder().encode('{"stream":"Step 1\\n"}\n'));
        keys.press();
      };
      return new Response(new ReadableStream({ start }));
    };
    const { code, stdout } = await build(answer, [], { keys });
    assertEquals([code, stdout], [130, ""]);
  });
});
