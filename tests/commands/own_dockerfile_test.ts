import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp, type TestAppOptions } from "../helpers/app.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { type FakeContainers, fakeContainers } from "../helpers/fake_containers.ts";
import { done, refusal } from "../helpers/fake_engine.ts";
import { withFilesLabel } from "../helpers/files_label.ts";
import { runInProcess } from "../helpers/in_process.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { entriesOf, tarOf } from "../helpers/tar.ts";

/** Go's mode bits of a directory and of a link. */
const [DIRECTORY, LINK] = [0x80000000, 0x08000000];

interface InImage {
  readonly mode: number;
  readonly text?: string;
  readonly linkTarget?: string;
}

const PROGRAM = { mode: 0o755, text: "#!/usr/bin/env python3\n" };
const GOOD = { "/opt/program/train": PROGRAM, "/opt/program/serve": PROGRAM };

interface Engine {
  /** Files of the image. */
  readonly files?: Readonly<Record<string, InImage>>;
  /** Its configuration, but for the labels, which are those of the build. */
  readonly image?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether it is there before a build. */
  readonly isBuilt?: boolean;
  /** What the builder says. */
  readonly says?: unknown;
  readonly looks?: (call: string) => Response;
}

interface Result extends ProgramResult {
  readonly query: Readonly<Record<string, string>> | undefined;
  /** What was sent, by its path. */
  readonly sent: ReadonlyMap<string, string>;
  readonly engine: FakeContainers;
}

async function run(
  app: TestApp,
  args: readonly string[],
  { files = GOOD, image, labels = {}, isBuilt = false, says, looks }: Engine = {},
): Promise<Result> {
  const sent = new Map<string, string>();
  let its: Readonly<Record<string, string>> | undefined = isBuilt ? labels : undefined;
  const at = (url: string) => new URL(url).searchParams.get("path")!;
  await using engine = await fakeContainers({
    // Somebody's container on the port that doctor looks at.
    containers: [{ Id: "other", Names: ["/web"], Ports: [{ PublicPort: 8080 }] } as never],
    answers: {
      "GET /version": () => Response.json({ Version: "20.10.24", ApiVersion: "1.41" }),
      "POST /build": async (request) => {
        for (const [path, { text }] of await entriesOf(request.body!)) sent.set(path, text);
        its = JSON.parse(new URL(request.url).searchParams.get("labels")!);
        return new Response(`${JSON.stringify(says ?? { aux: { ID: "sha256:abc" } })}\n`);
      },
      "GET /images/NAME/json": ({ url }) =>
        url.includes(app.name) && its === undefined ? refusal(404, "none") : Response.json({
          Os: "linux",
          Architecture: "amd64",
          Config: { Env: ["PATH=/opt/program:/bin"], ...image, Labels: its },
        }),
      "HEAD /containers/ID/archive": ({ url }) => {
        const file = files[at(url)];
        if (looks) return looks(url);
        if (file === undefined) return refusal(404, "no such file");
        const { mode, linkTarget = "" } = file;
        const stat = btoa(JSON.stringify({ name: "x", mode, linkTarget }));
        return new Response(null, { headers: { "X-Docker-Container-Path-Stat": stat } });
      },
      "GET /containers/ID/archive": ({ url }) => {
        const path = at(url);
        const names = Object.keys(files).filter((name) => `${name}/`.startsWith(`${path}/`));
        const parent = path.slice(0, path.lastIndexOf("/") + 1);
        return new Response(
          tarOf(names.map((name) => ({
            name: name.slice(parent.length),
            type: files[name]!.text === undefined ? "5" : "0",
            content: files[name]!.text ?? "",
          }))) as Uint8Array<ArrayBuffer>,
        );
      },
    },
  });
  const result = await runInProcess(args, { cwd: app.directory, engine });
  const { query } = engine.calls.find(({ call }) => call === "POST /build") ?? {};
  const stderr = result.stderr.replace(/^Built .*\n$/m, "");
  assertEquals(engine.left, [], "containers are left");
  return { ...result, stderr, query, sent, engine };
}

/** An app without mlcli's template, and a Dockerfile of its own in `docker/`. */
async function ownApp(options: TestAppOptions = {}): Promise<TestApp> {
  return await makeApp({
    ...options,
    files: {
      "../../docker/Dockerfile": "FROM scratch\nARG APP\nCOPY train /opt/program/\n",
      "../../docker/train": "#!/bin/sh\n",
      "../../docker/.env": "SECRET=1\n",
      "../../docker/data/big.csv": "1\n",
      "../../docker/.dockerignore": "data\n",
      ...options.files,
    },
  });
}

const CONTEXT = { configuration: { context: "docker" } };

suite("mlcli build of a Dockerfile of the user's own", () => {
  it("build names five private files that it leaves out, and none with --quiet", async () => {
    const names = ["a", "b", "c", "d\n", "e", "f"].map((end) => `../../docker/.env.${end}`);
    await using app = await ownApp({
      files: Object.fromEntries(names.map((name) => [name, "SECRET=1\n"])),
    });
    const args = ["build", "--context", "docker"];
    const { stderr } = await run(app, args);
    assertEquals(
      stderr,
      "note: Excluded from the image as private: .env, .env.a, .env.b, .env.c, .env.d?, and 2 " +
        "more. To include a file, add !PATH to .dockerignore.\n",
    );
    assertEquals((await run(app, [...args, "--replace", "--quiet"])).stderr, "");
  });

  it("build sends only the Dockerfile's directory, without mlcli's files and private files", async () => {
    await using app = await ownApp();
    const { code, stdout, stderr, sent, query } = await run(app, ["build", "--context", "docker"]);
    assertEquals([code, stdout], [0, `${app.name}:latest\n`], stderr);
    assertEquals(
      stderr,
      "note: Excluded from the image as private: .env. To include a file, add !PATH to " +
        ".dockerignore.\n",
    );
    assertEquals([...sent.keys()].sort(), [".dockerignore", "Dockerfile", "train"]);
    assertEquals(query?.["dockerfile"], "Dockerfile");
    // No arguments of the template's.
    assertEquals(query?.["buildargs"], "{}");
    const { "mlcli.version": _, ...labels } = JSON.parse(query!["labels"]!);
    assertEquals(labels, {
      "mlcli.app": app.name,
      "mlcli.directory": app.mark,
      "mlcli.dockerfile": "Dockerfile",
      "mlcli.context": "own",
      // Later commands don't know a context that was typed.
      "mlcli.files": "",
    });
  });

  it("labels no files if a context was typed, even if the app's file names one", async () => {
    await using app = await ownApp(CONTEXT);
    const { query } = await run(app, ["build", "--context", "docker"]);
    assertEquals(JSON.parse(query!["labels"]!)["mlcli.files"], "");
  });

  it("takes the context that the app's file names, and arguments that mlcli has for its own", async () => {
    await using app = await ownApp(CONTEXT);
    const { code, query } = await run(app, ["build", "-t", "v2", "--build-arg", "APP=mine"]);
    assertEquals([code, query?.["t"]], [0, `${app.name}:v2`]);
    assertEquals(query?.["buildargs"], '{"APP":"mine"}');
  });

  for (
    const [title, args, configuration] of [
      ["is typed", ["--context", ".", "--dockerfile", "docker/Dockerfile"], {}],
      ["the file names", [], { context: ".", dockerfile: "docker/Dockerfile" }],
    ] as const
  ) {
    it(`leaves the app's test data out, with a Dockerfile below the context that ${title}`, async () => {
      const files = {
        "local_test/jobs/a/log": "",
        "../../docker/Dockerfile.dockerignore": "*\n!t\n",
      };
      await using app = await ownApp({
        configuration,
        files: { ...files, "../../t": "", "../t": "" },
      });
      const { code, stderr, sent, query } = await run(app, ["build", ...args]);
      assertEquals(code, 0, stderr);
      // Its own ignore file counts, as with docker.
      assertEquals([...sent.keys()].sort(), ["docker/Dockerfile", "t"]);
      assertEquals(query?.["dockerfile"], "docker/Dockerfile");
      await Deno.remove(join(app.directory, "docker/Dockerfile.dockerignore"));
      const all = await run(app, ["build", ...args]);
      assertEquals([...all.sent.keys()].filter((path) => path.includes("local_test")), []);
      assert(all.sent.has("docker/data/big.csv"));
    });
  }

  it("takes a Dockerfile from outside of the context, where it is typed", async () => {
    await using app = await ownApp(CONTEXT);
    await using elsewhere = await makeDirectory();
    const path = join(elsewhere.path, "Other");
    await Deno.writeTextFile(path, "FROM scratch\n");
    const { code, sent } = await run(app, ["build", "--dockerfile", path]);
    assertEquals(code, 0);
    assertEquals(sent.get(".mlcli-dockerfile"), "FROM scratch\n");
    await app.write(
      join(app.directory, `${app.name}.json`),
      JSON.stringify({ context: "docker", dockerfile: path }),
    );
    const refused = await run(app, ["build"]);
    assertMatch(
      refused.stderr,
      /^error: "dockerfile" in \S+\.json is outside .*\nhint: .*--dockerfile PATH\n$/,
    );
  });

  it("follows no link of a repository that leads out of it", async () => {
    await using elsewhere = await makeDirectory();
    await Deno.writeTextFile(join(elsewhere.path, "Dockerfile"), "FROM scratch\n");
    for (
      const [link, args, words] of [
        ["docker", [], /^error: "context" in \S+\.json is outside /],
        ["docker", ["--context", "docker"], /^error: docker points outside /],
        ["docker/Dockerfile", [], /^error: Dockerfile points outside /],
        ["docker/.dockerignore", [], /^error: \.dockerignore points outside /],
      ] as const
    ) {
      await using app = await ownApp(CONTEXT);
      await Deno.remove(join(app.directory, link), { recursive: true });
      const target = link === "docker" ? elsewhere.path : join(elsewhere.path, "Dockerfile");
      await Deno.symlink(target, join(app.directory, link));
      const { code, stderr, query } = await run(app, ["build", ...args]);
      assertEquals([code, query], [1, undefined]);
      assertMatch(stderr, words);
    }
  });

  it("says what does not go together, and what is missing", async () => {
    const rows: readonly (readonly [Record<string, string>, readonly string[], number, RegExp])[] =
      [
        [
          { image: "r.io/x:1", context: "docker" },
          [],
          1,
          /sets the existing image r\.io\/x:1 as well as a build context\nhint: Remove "image" from/,
        ],
        [
          { image: "r.io/x:1" },
          ["--context", "docker"],
          1,
          /hint: Remove "image"/,
        ],
        [
          { context: "docker" },
          ["--base-image", "x"],
          2,
          /^error: Option "--base-image" has no effect/,
        ],
        [{ context: "gone" }, [], 1, /^error: Not a directory: gone\n/],
        [{}, ["--context", "gone"], 2, /^error: Not a directory: gone\n/],
        [
          { context: "docker/data" },
          [],
          1,
          /^error: Dockerfile not found: docker\/data\/Dockerfile\n/,
        ],
        [
          { context: "docker", dockerfile: "x" },
          [],
          1,
          /^error: Dockerfile not found: x\nhint: Set "dock/,
        ],
        [{}, ["--build-arg", "APP=x"], 2, /cannot set APP: mlcli sets it/],
      ];
    for (const [configuration, args, status, words] of rows) {
      await using app = await ownApp({ configuration });
      const { code, stderr } = await run(app, ["build", ...args]);
      assertEquals(code, status, stderr);
      assertMatch(stderr, words);
    }
  });

  it("says why a COPY finds nothing, by the context that it has", async () => {
    for (
      const [source, words] of [
        ["gone", /hint: Fix the path: nothing in docker matches gone$/m],
        [
          "data",
          /hint: Add the line !data to the end of \.dockerignore: the path is excluded or/,
        ],
        [".env", /hint: Add the line !\.env to the end of \.dockerignore: .* or private\./],
        ["../x", /hint: Use a build context that contains all files/],
      ] as const
    ) {
      const Dockerfile = `FROM scratch\nCOPY ${source} /x\n`;
      await using app = await ownApp({
        ...CONTEXT,
        files: { "../../docker/Dockerfile": Dockerfile },
      });
      const says = { errorDetail: { message: "failed to compute cache key: not found" } };
      const { code, stderr } = await run(app, ["build"], { says });
      assertEquals(code, 1);
      assertStringIncludes(
        stderr,
        `error: Build failed: the build context does not contain ${source}\n`,
      );
      assertMatch(stderr, words);
    }
  });

  it("warns of the rules that the image breaks, and ends with 0", async () => {
    await using app = await ownApp(CONTEXT);
    const { code, stderr, engine } = await run(app, ["build"], {
      image: { Env: ["PATH=/opt/program"], WorkingDir: "/w", User: "app" },
      files: {
        // A link is followed to its end.
        "/opt/program/train": { mode: LINK | 0o777, linkTarget: "/lib/train" },
        "/lib/train": { mode: 0o644, text: "#!/bin/sh\r\n" },
        "/w/serve": PROGRAM,
        "/opt/ml/model": { mode: DIRECTORY | 0o755 },
        "/opt/ml/model/1": { mode: DIRECTORY | 0o755 },
        "/opt/ml/model/1/weights": { mode: 0o644, text: "1" },
        "/opt/ml/input": { mode: DIRECTORY | 0o755 },
      },
    });
    assertEquals(code, 0);
    const heads = stderr.split("\n").filter((line) => line.startsWith("warning: "));
    const expected = [
      /\/opt\/program\/train of \S+ has Windows line endings/,
      /\/opt\/program\/train of \S+: the file is not executable/,
      /serve in the PATH of \S+, but the program is at \/w\/serve/,
      /runs as user app/,
      /^warning: SageMaker mounts a directory over \/opt\/ml\/model\/1\/weights of \S+:latest/,
    ];
    assertEquals(heads.length, expected.length, stderr);
    for (const [index, words] of expected.entries()) assertMatch(heads[index]!, words);
    const [{ Labels, ...body }] = engine.created as [Record<string, unknown>];
    assertEquals(body, {
      Image: `${app.name}:latest`,
      Cmd: ["true"],
      HostConfig: { AutoRemove: false, Mounts: [], NetworkMode: "none" },
    });
    const { "mlcli.role": role, "mlcli.owner": owner } = Labels as Record<string, string>;
    assertEquals(engine.course.filter((call) => call.endsWith("/start")), []);
    assertEquals([role, owner], ["look", `${Deno.pid} ${Deno.hostname()}`]);
  });

  it("is built, too, where the engine shows no files", async () => {
    await using app = await ownApp(CONTEXT);
    const { code, stdout, stderr } = await run(app, ["build"], {
      looks: () => refusal(500, "no archive for you"),
    });
    assertEquals([code, stdout], [0, `${app.name}:latest\n`]);
    assertMatch(
      stderr,
      /^warning: Cannot check \S+ against SageMaker's rules: .*no archive|/m,
    );
  });

  it("does not look into an image of the app's own Dockerfile", async () => {
    await using app = await ownApp({
      files: { "Dockerfile": "FROM scratch\n", "../../requirements.txt": "" },
    });
    const { code, engine, sent } = await run(app, ["build", "--dockerfile", "docker/Dockerfile"]);
    assertEquals([code, engine.created], [0, []]);
    assert(sent.has(".mlcli/entrypoint"));
  });
});

suite("mlcli doctor and an image that is no template's", () => {
  const doctor = async (app: TestApp, engine: Engine) => {
    const { stdout } = await run(app, ["doctor", "--output", "json"], engine);
    const checks = JSON.parse(stdout) as { name: string; status: string; message: string }[];
    return checks.filter(({ name }) => ["platform", "image", "build", "keys"].includes(name))
      .map(({ status, message }) => `${status} ${message.replaceAll(app.name, "APP")}`);
  };
  const built = async (app: TestApp) => ({
    isBuilt: true,
    labels: await withFilesLabel(app, {
      "mlcli.app": app.name,
      "mlcli.directory": app.mark,
      "mlcli.context": "own",
      "mlcli.dockerfile": "Dockerfile",
    }),
  });

  it("says that all is well, without a line of the template's", async () => {
    await using app = await ownApp({
      configuration: { context: "docker", base_image: "x", python_version: "3.9" },
    });
    const { stdout } = await run(app, ["doctor"], await built(app));
    assertEquals(
      /requirements|harness|accept-bind|mlcli_base\/Dockerfile|training\.py/.test(stdout),
      false,
      stdout,
    );
    assertEquals(await doctor(app, await built(app)), [
      "ok Image APP:latest is up to date with the app's files",
      "ok Found no differences from SageMaker",
    ]);
  });

  it("finds the rules that it breaks, and a file of the context that was changed", async () => {
    await using app = await ownApp(CONTEXT);
    const image = { Entrypoint: ["/bin/sh", "-c", "python x"] };
    const says = { ...await built(app), image };
    await app.write(join(app.directory, "docker/train"), "#!/bin/bash\n");
    const found = await doctor(app, says);
    assertMatch(found[0]!, /^warning Files changed since APP:latest was built: docker\/train$/);
    assertMatch(found[1]!, /^warning The ENTRYPOINT of APP:latest is a shell/);
    assertEquals(found.length, 2);
  });

  it("says that the build is next, and what stands in its way", async () => {
    await using app = await ownApp(CONTEXT);
    const { stdout } = await run(app, ["doctor"]);
    assertMatch(stdout, /Image not found: \S+\n {9}hint: Build it: mlcli build$/m);
    await Deno.remove(join(app.directory, "docker/Dockerfile"));
    assertEquals(await doctor(app, {}), [
      "problem Dockerfile not found: docker/Dockerfile",
      "problem Image not found: APP:latest",
    ]);
  });

  it("tells an image of the app's directory from one of the context", async () => {
    await using app = await ownApp(CONTEXT);
    const labels = { ...(await built(app)).labels, "mlcli.context": "app", "mlcli.harness": "1" };
    const found = await doctor(app, { isBuilt: true, labels });
    assertEquals(found, ["warning Image APP:latest was not built from the context docker"]);
  });

  it("never says build of an image that the file names, though mlcli built it", async () => {
    await using app = await makeApp({
      name: "own",
      configuration: { image: "r.io/own:1", platform: "linux/arm64" },
      files: { "training/.env": "", "common/x.py": "" },
    });
    const labels = { "mlcli.app": "own", "mlcli.version": "0.0.1", "mlcli.harness": "1" };
    const { stdout } = await run(app, ["doctor"], {
      isBuilt: true,
      labels,
    });
    assertMatch(stdout, /^ok {7}Image r\.io\/own:1 exists$/m);
    assertEquals(stdout.includes("mlcli build"), false, stdout);
  });

  it("looks into an image that the file names", async () => {
    await using app = await makeApp({ configuration: { image: "r.io/team/x:1" } });
    const found = await doctor(app, { files: {} });
    assertEquals(found[0], "ok Image r.io/team/x:1 exists (not built by mlcli)");
    assertMatch(
      found[1]!,
      /^warning SageMaker cannot start r\.io\/team\/x:1: it has no ENTRYPOINT for the arguments train/,
    );
    assertEquals(found.length, 2);
  });
});

suite("mlcli init of an app with a context", () => {
  it("writes nothing of the template, and names the build as next", async () => {
    await using app = await ownApp(CONTEXT);
    const { code, stdout, stderr } = await run(app, ["init", app.name]);
    assertEquals(code, 0, stderr);
    const made = stdout.split("\n").filter((line) => line !== "");
    assertEquals(made.filter((path) => !/local_test|\.schema\.json$/.test(path)), []);
    assertMatch(stderr, /\n {2}mlcli build\n/);
  });
});

suite("Image not found", () => {
  it("says build where mlcli builds it, of a context, too", async () => {
    await using app = await ownApp({
      ...CONTEXT,
      files: { "local_test/test_dir/input/data/a/x": "" },
    });
    const { code, stderr } = await run(app, ["local", "train"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Image not found: .*\nhint: Run mlcli build first/m);
  });

  it("never says build of an image that the file names", async () => {
    await using app = await makeApp({ files: { "local_test/test_dir/input/data/a/x": "" } });
    await using engine = await fakeContainers({
      image: null,
      answers: {
        "POST /images/create": () =>
          Response.json({ errorDetail: { message: "no such manifest" } }),
        "DELETE /containers/ID": () => done(),
      },
    });
    const { code, stderr } = await runInProcess(["local", "train", "--image", "r.io/x:1"], {
      cwd: app.directory,
      engine,
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /error: Image not found: r\.io\/x:1\n.*\nhint: .*docker pull r\.io\/x:1 .*docker login/s,
    );
    assertEquals(stderr.includes("mlcli build"), false);
  });
});
