import { join } from "@std/path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeDirectory } from "../../helpers/directory.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { type Answers, fakeEngine, imageUnlessOf, pong } from "../../helpers/fake_engine.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf, type Entry } from "../../helpers/tar.ts";

interface Build extends ProgramResult {
  /** What the engine was asked for, if it was. */
  readonly query: Readonly<Record<string, string>> | undefined;
  readonly arguments: Readonly<Record<string, string>>;
  /** The build context: its entries by path. */
  readonly sent: ReadonlyMap<string, Entry>;
  readonly app: string;
  readonly directory: string;
}

/** Runs mlcli build in a complete app on an engine that takes whatever it is sent. */
async function build(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  { env, prepare, more, answer = JSON.stringify({ aux: { ID: "sha256:abc" } }) }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly prepare?: (app: TestApp) => Promise<void>;
    readonly more?: Partial<InProcessOptions>;
    /** What the engine says. */
    readonly answer?: string;
  } = {},
): Promise<Build> {
  await using app = await completeApp({ files });
  await prepare?.(app);
  let sent: ReadonlyMap<string, Entry> = new Map();
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    "GET /info": () => Response.json({}),
    "POST /build": async (request) => {
      sent = await entriesOf(request.body!);
      return new Response(`${answer}\n`);
    },
  };
  await using engine = await fakeEngine((call) =>
    call.startsWith("GET /images/") ? () => imageUnlessOf(app.name, call) : answers[call]
  );
  const cwd = app.directory;
  const result = await runInProcess(["build", "--quiet", ...args], {
    cwd,
    engine,
    ...env && { env },
    ...more,
  });
  const { query } = engine.calls.find(({ call }) => call === "POST /build") ?? {};
  return {
    ...result,
    query,
    arguments: JSON.parse(query?.["buildargs"] ?? "{}"),
    sent,
    app: app.name,
    directory: app.directory,
  };
}

suite("mlcli build --build-arg", () => {
  const DECLARED = { Dockerfile: "FROM x\nARG A=1 B\nARG C\nARG EMPTY\nARG UNSET=2\n" };
  const OWN = ["APP", "BASE_IMAGE", "REQUIREMENTS"];

  it("gives values, those of variables, and the last of several", async () => {
    const given = ["A=x y=z", "B", "C=old", "EMPTY=", "UNSET", "C=new"];
    const args = given.flatMap((one) => ["--build-arg", one]);
    const result = await build(args, DECLARED, { env: { B: "s3cret" } });
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(
      Object.fromEntries(
        Object.entries(result.arguments).filter(([name]) => !OWN.includes(name)),
      ),
      { A: "x y=z", B: "s3cret", C: "new", EMPTY: "" },
    );
    assertEquals(Object.keys(result.arguments).filter((name) => OWN.includes(name)).sort(), OWN);
  });

  it("warns of what no ARG declares, and of nothing that needs none", async () => {
    const names = [
      "X=s3cret",
      "http_proxy=s3cret",
      "HTTPS_PROXY=s3cret",
      "TARGETARCH=arm64",
      "A=1",
    ];
    const args = [...names, "BUILDKIT_INLINE_CACHE=1", "X=s3cret"].flatMap((one) => [
      "--build-arg",
      one,
    ]);
    const { code, stdout, stderr, app } = await build(args, DECLARED);
    assertEquals([code, stdout], [0, `${app}:latest\n`]);
    assertEquals(
      stderr,
      `warning: ${app}/mlcli_base/Dockerfile does not declare the build argument X, so it has no effect\n` +
        "hint: Add the line ARG X to the stage that uses it\n",
    );
  });

  for (const columns of [80, 40]) {
    it(`warns on a terminal of ${columns} columns, too`, async () => {
      const { code, stderr, app } = await build(["--build-arg", "X=1"], DECLARED, {
        more: { isTerminal: true, columns },
      });
      assertEquals(code, 0);
      const said = stderr.slice(stderr.indexOf("warning: "), stderr.indexOf("declares it."));
      assertEquals(
        said.split(/\s+/).join(" "),
        `warning: ${app}/mlcli_base/Dockerfile does not declare the build argument X, so it has no effect ` +
          "hint: Add the line ARG X to the stage that uses it",
      );
      // A path is never broken.
      const wide = said.split("\n").filter((line) => line.length > columns);
      assertEquals(wide.filter((line) => line !== `warning: ${app}/mlcli_base/Dockerfile`), []);
    });
  }

  it("warns of it before the build, which may fail for that", async () => {
    const failing = JSON.stringify({ errorDetail: { message: "no" } });
    const { code, stderr } = await build(["--build-arg", "X=1"], DECLARED, { answer: failing });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "does not declare the build argument X, so it has no effect\n");
    assertStringIncludes(stderr, "error: Build failed: no\n");
  });

  for (
    const [arg, words, hint] of [
      ["BASE_IMAGE=s3cret", "cannot set BASE_IMAGE: mlcli sets it", "--base-image"],
      ["APP", "cannot set APP: mlcli sets it", "--app-name"],
      [
        "REQUIREMENTS=s3cret",
        "cannot set REQUIREMENTS: mlcli sets it",
        '"requirements" in the config',
      ],
      ["=s3cret", "must be NAME=VALUE, or NAME alone to copy the value from your shell", ""],
      ["A B=s3cret", "must be NAME=VALUE, or NAME alone to copy the value from your shell", ""],
    ] as const
  ) {
    it(`is refused: ${JSON.stringify(arg)}`, async () => {
      const { code, stdout, stderr, query } = await build([`--build-arg=${arg}`], DECLARED);
      assertEquals({ code, stdout, query }, { code: 2, stdout: "", query: undefined });
      assertStringIncludes(stderr, 'error: Option "--build-arg"');
      assertStringIncludes(stderr, words);
      assertStringIncludes(stderr, hint);
      assert(!stderr.includes("s3cret"), stderr);
    });
  }
});

suite("mlcli build --target", () => {
  const STAGES = { Dockerfile: "FROM a AS base\nRUN x\nFROM b\nFROM --platform=y base as Final\n" };
  // Podman minds the case.
  for (const [target, asked = target] of [["base"], ["Final"], ["FINAL", "Final"], ["0"], ["2"]]) {
    it(`builds a stage that is there: ${target}`, async () => {
      const { code, stderr, query } = await build(["--target", target!], STAGES);
      assertEquals([code, stderr, query?.["target"]], [0, "", asked]);
    });
  }

  it("builds the last where none is named", async () => {
    assertEquals((await build([], STAGES)).query?.["target"], undefined);
  });

  for (
    const [target, dockerfile, hint] of [
      ["bsae", STAGES.Dockerfile, "Choose a stage of APP/mlcli_base/Dockerfile: base and Final"],
      ["3", STAGES.Dockerfile, "Choose a stage of APP/mlcli_base/Dockerfile: base and Final"],
      ["x", "FROM a\n", "Name the stage in APP/mlcli_base/Dockerfile: FROM IMAGE AS NAME"],
      ["x", "# FROM a AS x\n", "Name the stage in APP/mlcli_base/Dockerfile"],
    ] as const
  ) {
    it(`lists the stages where there is no ${target}`, async () => {
      const result = await build(["--target", target], { Dockerfile: dockerfile });
      const { code, stdout, stderr, query, app } = result;
      assertEquals({ code, stdout, query }, { code: 1, stdout: "", query: undefined });
      const [message, next = ""] = stderr.replaceAll(app, "APP").split("\n");
      assertEquals(message, `error: Stage not found: ${target}`);
      assertStringIncludes(next, `hint: ${hint}`);
    });
  }
});

suite("mlcli build --dockerfile", () => {
  const OTHER = "FROM other\n";
  const APPS = "FROM scratch\n";

  it("sends another one of the app, also where .dockerignore names it", async () => {
    const result = await build(["--dockerfile", "other.Dockerfile"], {
      "../../other.Dockerfile": OTHER,
      "../../.dockerignore": "*\n",
    });
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(result.query?.["dockerfile"], "other.Dockerfile");
    assertEquals(result.sent.get("other.Dockerfile")?.text, OTHER);
    assertEquals(JSON.parse(result.query!["labels"]!)["mlcli.dockerfile"], "other.Dockerfile");
  });

  it("does without the app's own, and sends what lies in the app once", async () => {
    let path = "";
    const result = await build(["--dockerfile", "Dockerfile.link"], { "gpu/Dockerfile": OTHER }, {
      prepare: async (app) => {
        await Deno.remove(app.path("Dockerfile"));
        path = `${app.name}/mlcli_base/gpu/Dockerfile`;
        await Deno.symlink(path, join(app.directory, "Dockerfile.link"));
      },
    });
    assertEquals([result.code, result.stderr], [0, ""]);
    // What a link leads to is sent by a name that nothing else has.
    assertEquals(result.query?.["dockerfile"], ".mlcli-dockerfile");
    assertEquals(result.sent.get(".mlcli-dockerfile")?.text, OTHER);
    assertEquals(result.sent.get(path)?.text, OTHER);
  });

  it("takes one that lies elsewhere, where the user names it", async () => {
    await using folder = await makeDirectory({ Dockerfile: `${OTHER}ARG X\n` });
    const { code, stderr, query, sent, app } = await build([
      ...["--dockerfile", join(folder.path, "Dockerfile"), "--build-arg", "X=1"],
    ]);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(query?.["dockerfile"], ".mlcli-dockerfile");
    assertEquals(sent.get(".mlcli-dockerfile")?.text, `${OTHER}ARG X\n`);
    assertEquals(sent.get(`${app}/mlcli_base/Dockerfile`)?.text, APPS);
    // The image is for others: it does not say where this machine has it.
    assert(!query!["labels"]!.includes(folder.path));
  });

  const KEY = "-----BEGIN PRIVATE KEY-----\n";
  for (
    const [title, typed, prepare, words] of [
      [
        "is not there",
        "none",
        undefined,
        "Dockerfile not found: none\nhint: Use a path relative to",
      ],
      ["is a directory", ".", undefined, "Dockerfile not found: .\n"],
      [
        "a link of the repository leads to, out of it",
        "link",
        (app: TestApp) => Deno.symlink("/etc/hostname", join(app.directory, "link")),
        "link points outside ",
      ],
      [
        "is a private key",
        "a.key",
        (app: TestApp) => app.write(join(app.directory, "a.key"), KEY),
        "a.key is a private key, which must not get into an image",
      ],
    ] as const
  ) {
    it(`is refused where it ${title}`, async () => {
      const { code, stdout, stderr, query } = await build(
        ["--dockerfile", typed],
        {},
        prepare && { prepare },
      );
      assertEquals({ code, stdout, query }, { code: 1, stdout: "", query: undefined });
      assertStringIncludes(stderr, `error: ${words}`);
    });
  }
});
