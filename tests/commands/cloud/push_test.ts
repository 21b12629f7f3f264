import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import { digestOf, MANIFEST_TYPES, type Repository } from "../../helpers/box/ecr_store.ts";
import { Refused } from "../../helpers/box/service.ts";
import { type ImageOptions, indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { drawnOnce } from "../../helpers/fake_context.ts";
import { type FakePushes, fakePushes, type PushPlay } from "../../helpers/fake_pushes.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

/** An app, a platform and an engine. */
interface Scene extends AsyncDisposable {
  readonly app: TestApp;
  readonly box: Box;
  readonly engine: FakePushes;
  /** `HOST/NAME` of the app's repository. */
  readonly uri: string;
  readonly repository: () => Repository;
  run(args?: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
}

interface SceneOptions extends Omit<PushPlay, "reference" | "put"> {
  readonly configuration?: (box: Box) => Readonly<Record<string, unknown>>;
  readonly put?: (box: Box, repository: Repository, tag: string) => Promise<string>;
  readonly tag?: string;
}

async function makeScene(
  { configuration = () => ({}), put, tag = "latest", ...play }: SceneOptions = {},
): Promise<Scene> {
  await using made = new AsyncDisposableStack();
  const box = made.use(await Box.open());
  const settings = configuration(box);
  const app = made.use(await makeApp({ configuration: settings }));
  const named = String(settings["image_name"] ?? app.name);
  const name = named.replace(/^[^/]*[.:][^/]*\//, "");
  const engine = made.use(
    await fakePushes(box, {
      ...play,
      reference: `${named}:${tag}`,
      put: put && ((repository, tag) => put(box, repository, tag)),
    }),
  );
  const owned = made.move();
  return {
    app,
    box,
    engine,
    uri: `${box.ecr.front.host}/${name}`,
    repository: () => box.ecr.store.repositories.get(name)!,
    run: (args = [], options = {}) =>
      runInProcess(["push", ...args], {
        cwd: app.directory,
        engine,
        cloud: box.env(),
        ...options,
      }),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** Pushes as an engine does that writes such images. */
function pushing(options: ImageOptions): SceneOptions["put"] {
  return (box, repository, tag) => putImage(box.ecr, repository, { ...options, tag });
}

/** What an image with OCI's manifest becomes, computed here once more. */
function dockerOf(oci: string): { readonly digest: string; readonly manifest: string } {
  const { config, layers } = JSON.parse(oci);
  const manifest = JSON.stringify(
    {
      schemaVersion: 2,
      mediaType: MANIFEST_TYPES.docker,
      config: {
        mediaType: "application/vnd.docker.container.image.v1+json",
        size: config.size,
        digest: config.digest,
      },
      layers: layers.map(({ size, digest }: { size: number; digest: string }) => ({
        mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
        size,
        digest,
      })),
    },
    null,
    3,
  );
  return { digest: digestOf(manifest), manifest };
}

/** An engine that writes OCI's manifests: the image's id is the digest of what it pushed. */
function ociScene(options: SceneOptions & { image?: ImageOptions } = {}): Promise<Scene> {
  let id = "sha256:not-pushed";
  return makeScene({
    id: () => id,
    ...options,
    put: async (box, repository, tag) =>
      id = await putImage(box.ecr, repository, { format: "oci", ...options.image, tag }),
  });
}

suite("mlcli push: the manifest", () => {
  it("of OCI becomes Docker's, under the same tag; then nothing is left to do", async () => {
    await using scene = await ociScene();
    const { app, box, engine, uri } = scene;
    const { code, stdout, stderr } = await scene.run();
    const { images, tags } = scene.repository();
    const oci = [...images.values()].find(({ mediaType }) => mediaType === MANIFEST_TYPES.oci)!;
    const { digest, manifest } = dockerOf(oci.manifest);
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: `${uri}@${digest}\n`,
      stderr: `Creating repository ${app.name} in eu-west-1\n` +
        `Pushing ${app.name}:latest to ${uri}:latest\n` +
        "Converted the manifest of latest from OCI to Docker format, as SageMaker requires\n",
    });
    assertEquals(tags.get("latest"), digest);
    assertEquals(images.get(digest)?.manifest, manifest);
    assertEquals(images.get(digest)?.mediaType, MANIFEST_TYPES.docker);

    const json = await scene.run(["--output", "json"]);
    assertEquals(JSON.parse(json.stdout), { image: `${uri}@${digest}` });
    const again = await scene.run();
    assertEquals(again, {
      code: 0,
      stdout: `${uri}@${digest}\n`,
      stderr: `Unchanged: ${uri}:latest already has ${app.name}:latest\n`,
    });
    assertEquals(engine.pushes.length, 1);
    assertEquals(box.operations.filter((one) => one === "ecr:PutImage").length, 1);
  });

  for (
    const [what, configuration, architecture, chosen] of [
      ["the engine's own", {}, "amd64", "amd64"],
      ["the engine's own", {}, "arm64", "arm64"],
      ["that of the configuration", { platform: "linux/amd64" }, "arm64", "amd64"],
      ["that of the configuration", { platform: "linux/arm64/v8" }, "amd64", "arm64"],
    ] as const
  ) {
    it(`of an index becomes that of one platform, ${what} (${chosen}), without attestations`, async () => {
      let id = "sha256:not-pushed";
      const digests: Record<string, string> = {};
      await using scene = await makeScene({
        configuration: () => configuration,
        architecture,
        id: () => id,
        async put({ ecr }, repository, tag) {
          for (const architecture of ["arm64", "amd64"]) {
            digests[architecture] = await putImage(ecr, repository, {
              architecture,
              format: "oci",
            });
          }
          const attestation = await putImage(ecr, repository, { format: "oci", files: { a: "b" } });
          const unknown = { os: "unknown", architecture: "unknown" };
          return id = await putIndex(ecr, repository, [
            indexed(repository, attestation, unknown, {
              "vnd.docker.reference.type": "attestation-manifest",
            }),
            ...Object.entries(digests).map(([architecture, digest]) =>
              indexed(repository, digest, { os: "linux", architecture })
            ),
          ], { tag });
        },
      });
      const { uri, engine } = scene;
      const { code, stdout } = await scene.run();
      const { images, tags } = scene.repository();
      const { digest } = dockerOf(images.get(digests[chosen]!)!.manifest);
      assertEquals([code, stdout], [0, `${uri}@${digest}\n`]);
      assertEquals(tags.get("latest"), digest);
      const json = await scene.run(["--output", "json"]);
      assertEquals(JSON.parse(json.stdout), { image: `${uri}@${digest}` });
      const again = await scene.run();
      assertEquals([again.code, again.stdout], [0, `${uri}@${digest}\n`]);
      // Only an image for arm64 that nobody asked for is worth a warning.
      const isAsked = "platform" in configuration || architecture === "amd64";
      assertMatch(again.stderr, isAsked ? /^Unchanged: / : /^warning: .*\nhint: .*\nUnchanged: /);
      assertEquals(engine.pushes.length, 1);
    });
  }

  it("of a list with Docker's manifests: the image's own is put under the tag", async () => {
    let image = "";
    await using scene = await makeScene({
      async put({ ecr }, repository, tag) {
        image = await putImage(ecr, repository);
        const entry = indexed(repository, image, { os: "linux", architecture: "amd64" });
        return await putIndex(ecr, repository, [entry], { tag, format: "docker" });
      },
    });
    const { code, stdout } = await scene.run();
    assertEquals([code, stdout], [0, `${scene.uri}@${image}\n`]);
    assertEquals(scene.repository().tags.get("latest"), image);
  });

  it("of an index without an image for the platform is refused", async () => {
    await using scene = await makeScene({
      async put({ ecr }, repository, tag) {
        const image = await putImage(ecr, repository, { architecture: "arm64", format: "oci" });
        const entry = indexed(repository, image, { os: "linux", architecture: "arm64" });
        return await putIndex(ecr, repository, [entry], { tag });
      },
    });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /\nerror: The image supports linux\/arm64, but not linux\/amd64\nhint: Rebuild and push it: mlcli build --platform linux\/amd64 /,
    );
  });

  it("with layers packed by zstd is refused, with the remedy", async () => {
    await using scene = await ociScene({
      image: { layerType: "application/vnd.oci.image.layer.v1.tar+zstd" },
    });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /\nerror: The image has zstd layers, which SageMaker does not support\nhint: .*compression=gzip/,
    );
    assertEquals(scene.box.operations.includes("ecr:PutImage"), false);
  });

  it("of OCI under a tag that cannot be changed is put beside it, for its digest", async () => {
    await using scene = await ociScene();
    const { box, app, uri } = scene;
    box.ecr.store.add(app.name, { isImmutable: true });
    for (const round of [1, 2]) {
      const { code, stdout, stderr } = await scene.run();
      const { images, tags } = scene.repository();
      const oci = images.get(tags.get("latest")!)!;
      assertEquals(oci.mediaType, MANIFEST_TYPES.oci);
      const { digest } = dockerOf(oci.manifest);
      assertEquals([code, stdout], [0, `${uri}@${digest}\n`], `round ${round}`);
      assertEquals(images.get(digest)?.mediaType, MANIFEST_TYPES.docker);
      assertMatch(stderr, /Tag latest is immutable and keeps an OCI manifest/);
    }
    assertEquals(scene.engine.pushes.length, 1);
    // Where it cannot be put there either, jobs have nothing to take.
    box.faults.refuse("ecr:PutImage", new Refused("ImageTagAlreadyExistsException", ""));
    assertEquals((await scene.run()).code, 1);
  });

  it("that cannot be read is not checked, and that is said", async () => {
    await using scene = await ociScene();
    const { box, app, uri } = scene;
    box.ecr.store.add(app.name);
    box.faults.deny("ecr:BatchGetImage");
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [0, `${uri}@${scene.repository().tags.get("latest")}\n`]);
    assertEquals(
      stderr,
      `note: Cannot check the current image of ${app.name}:latest: AccessDeniedException: ` +
        `ecr:BatchGetImage\nPushing ${app.name}:latest to ${uri}:latest\n` +
        "note: Cannot check that SageMaker supports the image's manifest: " +
        "AccessDeniedException: ecr:BatchGetImage\n",
    );
  });
});

suite("mlcli push: what counts as success", () => {
  it("is not an engine that ends without a digest", async () => {
    await using scene = await makeScene({
      put: pushing({}),
      breaksOff: true,
      messages: [{ id: "a", status: "Pushed" }],
    });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /\nerror: Cannot push .*\n {2}the Docker Engine stopped the push before the registry returned a digest\nhint: /,
    );
    assertEquals([...scene.engine.names], []);
  });

  it("is not a digest that the repository does not have", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    await using scene = await makeScene({ put: () => Promise.resolve(digest) });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assert(
      stderr.includes(
        `\nerror: The registry does not contain the pushed image ${scene.uri}@${digest}\nhint: `,
      ),
      stderr,
    );
  });

  it("is not another digest than that of Docker's manifest", async () => {
    await using scene = await ociScene();
    const other = `sha256:${"1".repeat(64)}`;
    scene.box.faults.after = ({ operation }) =>
      operation === "PutImage"
        ? Response.json({ image: { imageId: { imageDigest: other } } })
        : undefined;
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /\nerror: The registry does not contain the pushed image .*@sha256:[0-9a-f]{64}\n/,
    );
  });

  it("names the repository before it is there: a lost answer leaves none that nobody knows", async () => {
    await using scene = await ociScene();
    scene.box.faults.loseAnswer("ecr:CreateRepository");
    const { code, stdout, stderr } = await scene.run([], { env: { AWS_MAX_ATTEMPTS: "1" } });
    assertEquals([code, stdout], [1, ""]);
    assert(stderr.startsWith(`Creating repository ${scene.app.name} in eu-west-1\n`), stderr);
    assertEquals((await scene.run()).code, 0);
  });

  it("is a request that was carried out though its answer was lost", async () => {
    await using scene = await ociScene();
    scene.box.faults.loseAnswer("ecr:CreateRepository");
    scene.box.faults.loseAnswer("ecr:PutImage");
    const { code, stdout } = await scene.run();
    assertEquals(code, 0);
    assertEquals(stdout, `${scene.uri}@${scene.repository().tags.get("latest")}\n`);
  });

  it("is not an error that the engine reports, which no terminal obeys", async () => {
    await using scene = await makeScene({
      messages: [{ errorDetail: { message: "evil \x1b[2J" }, error: "evil" }],
    });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /\nerror: Cannot push .*\n {2}evil \?\[2J\nhint: /);
  });
});

suite("mlcli push: where to", () => {
  it("--repository and -t name another place", async () => {
    await using scene = await makeScene({ put: pushing({}), tag: "v2" });
    const { box, engine } = scene;
    const { code, stdout } = await scene.run(["-t", "v2", "--repository", "team/churn"]);
    const uri = `${box.ecr.front.host}/team/churn`;
    const digest = box.ecr.store.repositories.get("team/churn")!.tags.get("v2");
    assertEquals([code, stdout], [0, `${uri}@${digest}\n`]);
    assertEquals(engine.pushes.map(({ name, tag }) => [name, tag]), [[uri, "v2"]]);
  });

  it("an image that has the registry's name already gets no other", async () => {
    await using scene = await makeScene({
      put: pushing({}),
      configuration: (box) => ({ image_name: `${box.ecr.front.host}/churn` }),
    });
    const { code, stdout } = await scene.run();
    assertEquals([code, stdout], [0, `${scene.uri}@${scene.repository().tags.get("latest")}\n`]);
    assert(scene.engine.calls.every(({ call }) => !/^DELETE|\/tag$/.test(call)));
  });

  for (
    const [host, isThere] of [
      ["docker.io", false],
      ["docker.io", true],
      ["210987654321.dkr.ecr.eu-west-1.amazonaws.com", true],
      ["localhost:1", false],
    ] as const
  ) {
    it(`a registry that is not the account's is refused: ${host}`, async () => {
      await using scene = await makeScene({
        configuration: () => ({ image_name: `${host}/team/churn` }),
      });
      const { box, engine } = scene;
      if (isThere) box.ecr.store.add("team/churn");
      const { code, stdout, stderr } = await scene.run();
      assertEquals({ code, stdout, stderr }, {
        code: 1,
        stdout: "",
        stderr: `error: The image's registry ${host} is not your account's registry ` +
          `${box.ecr.front.host}\nhint: Use your registry with --repository team/churn, or the ` +
          "image's account with --profile, --region or --iam-role-arn\n",
      });
      assertEquals(engine.pushes, []);
      assertEquals(box.operations.includes("ecr:CreateRepository"), false);
    });
  }

  it("--repository takes an image of another registry to this account", async () => {
    await using scene = await makeScene({
      put: pushing({}),
      configuration: () => ({ image_name: "docker.io/team/churn" }),
    });
    const { code, stdout } = await scene.run(["--repository", "mine"]);
    assertEquals(code, 0);
    assert(stdout.startsWith(`${scene.box.ecr.front.host}/mine@sha256:`));
  });

  for (const name of ["Churn", "churn:v1", "x", "https://a/b"]) {
    it(`--repository ${name} is no repository's name`, async () => {
      await using scene = await makeScene();
      const { code, stdout, stderr } = await scene.run(["--repository", name]);
      assertEquals([code, stdout], [2, ""]);
      assert(
        stderr.startsWith('error: Option "--repository" must be a repository name of '),
        stderr,
      );
    });
  }
});

suite("mlcli push: what is refused", () => {
  it("an image that is not built, before AWS is asked", async () => {
    await using scene = await makeScene({ tag: "v1" });
    assertEquals(await scene.run(), {
      code: 1,
      stdout: "",
      stderr: `error: Image not found: ${scene.app.name}:latest\n` +
        "hint: Run mlcli build first\n",
    });
    assertEquals(scene.box.operations, []);
  });

  it("another app's image, before AWS is asked; another directory's is said", async () => {
    const labels = { "mlcli.app": "payments", "mlcli.directory": "somewhere" };
    const configuration = () => ({ image_name: "payments" });
    await using scene = await makeScene({ configuration, labels });
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr.split("\n")[0],
      "error: payments:latest belongs to another app: payments",
    );
    assertEquals(scene.box.operations, []);

    const own: Record<string, string> = { "mlcli.directory": "somewhere" };
    await using same = await ociScene({ labels: own });
    own["mlcli.app"] = same.app.name;
    const pushed = await same.run();
    assertEquals(pushed.code, 0, pushed.stderr);
    assertEquals(
      pushed.stderr.split("\n").slice(0, 2),
      [
        `warning: ${same.app.name}:latest was not built from this directory, so its code might differ`,
        "hint: To rebuild it from the code in this directory, run mlcli build. To keep it, choose another image_name or --docker-tag.",
      ],
    );
  });

  it("a directory without an app, and a machine without an engine", async () => {
    await using scene = await makeScene();
    const nowhere = await scene.run([], { cwd: "/" });
    assertMatch(nowhere.stderr, /^error: Not a valid mlcli directory: \/\n/);
    const { code, stderr } = await scene.run([], { engine: undefined });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot connect to a Docker Engine\n/);
  });

  for (
    const action of ["ecr:GetAuthorizationToken", "ecr:CreateRepository", "ecr:PutImage"]
  ) {
    it(`what IAM denies: ${action}`, async () => {
      await using scene = await ociScene();
      scene.box.faults.deny(action);
      const { code, stdout, stderr } = await scene.run();
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr,
        new RegExp(`(^|\n)error: AccessDeniedException: ${action}\n  User: .*\nhint: `),
      );
      assertEquals([...scene.engine.names], []);
    });
  }

  it("nothing where DescribeRepositories is denied: that is said", async () => {
    await using scene = await makeScene({ put: pushing({}) });
    const { app, box, uri } = scene;
    box.ecr.store.add(app.name);
    box.faults.deny("ecr:DescribeRepositories");
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [0, `${uri}@${scene.repository().tags.get("latest")}\n`]);
    assertEquals(
      stderr,
      `note: Cannot check that repository ${app.name} exists: AccessDeniedException: ` +
        `ecr:DescribeRepositories\nPushing ${app.name}:latest to ${uri}:latest\n`,
    );
  });
});

suite("mlcli push --dry-run", () => {
  it("prints the calls, and changes nothing", async () => {
    await using scene = await makeScene();
    const { app, box, engine, uri } = scene;
    const { code, stdout, stderr } = await scene.run(["--dry-run"]);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(JSON.parse(stdout), [
      { action: "ecr:CreateRepository", input: { repositoryName: app.name } },
      {
        action: "docker:ImagePush",
        input: { image: `${app.name}:latest`, name: uri, tag: "latest" },
      },
    ]);
    assertEquals(box.ecr.store.repositories.size, 0);
    assertEquals(engine.calls.map(({ call }) => call.split(" ")[0]), ["GET", "GET"]);
  });

  it("prints none where nothing is left to do", async () => {
    await using scene = await ociScene();
    await scene.run();
    const { operations } = scene.box;
    const { code, stdout, stderr } = await scene.run(["--dry-run"]);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "[]\n", stderr: "" });
    assertEquals(
      scene.box.operations.slice(operations.length).filter((one) => /Put|Create/.test(one)),
      [],
    );
  });

  it("refuses what the push would refuse", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    const repository = box.ecr.store.add(app.name, { isImmutable: true });
    await putImage(box.ecr, repository, { tag: "latest" });
    const { code, stdout, stderr } = await scene.run(["--dry-run"]);
    assertEquals([code, stdout], [1, ""]);
    assert(stderr.startsWith(
      `error: Tag latest of ${uri} is immutable and already has another image\nhint: `,
    ));
  });
});

suite("mlcli push: what is seen of it", () => {
  const messages = [
    { status: "The push refers to repository [x]" },
    { id: "aaa", status: "Preparing" },
    { id: "bbb", status: "Waiting" },
    { id: "aaa", status: "Pushing", progressDetail: { current: 500, total: 1_000 } },
    { id: "bbb", status: "Pushing", progressDetail: { current: 1_250_000, total: 2_500_000 } },
    { id: "aaa", status: "Pushed" },
    { id: "bbb", status: "Retrying in 2 seconds" },
    { id: "bbb", status: "Retrying in 1 second" },
    { id: "bbb", status: "Layer already exists" },
  ];

  it("in a pipe: a line for what happens to a layer", async () => {
    await using scene = await makeScene({ put: pushing({}), messages });
    const { stderr } = await scene.run();
    assertEquals(stderr.split("\n").slice(2), [
      "aaa: Pushed",
      "bbb: Retrying in 2 seconds",
      "bbb: Layer already exists",
      "",
    ]);
  });

  it("push prints a status with a line break as one line in a pipe", async () => {
    const messages = [{ id: "a", status: "Pushed\nwarning: b" }];
    await using scene = await makeScene({ put: pushing({}), messages });
    const { stderr } = await scene.run();
    assertEquals(stderr.split("\n").slice(2), ["a: Pushed?warning: b", ""]);
  });

  it("push shows its progress on a terminal, and removes it at the end", async () => {
    await using scene = await makeScene({ put: pushing({}), messages });
    using _clocks = drawnOnce();
    const { stderr } = await scene.run([], { isTerminal: true });
    const [said, created, drawn] = stderr.split(/(?<=\n)(?!\n)/);
    assertEquals([said, created].map((line) => line?.includes("\x1b")), [false, false]);
    const lines = ["0 of 1 layer", "2.5 MB of 2.5 MB, 2 of 2 layers"];
    assertEquals(drawn, lines.map((line) => `\r${line}\x1b[K\r\r\x1b[K`).join(""));
    assertEquals(stderr.match(/Pushed|Retrying/g), null);
  });

  it("with --quiet: nothing; with --progress plain on a terminal: what a pipe gets", async () => {
    for (const isTerminal of [true, false]) {
      await using scene = await makeScene({ put: pushing({}), messages });
      const { code, stderr } = await scene.run(["--quiet"], { isTerminal });
      assertEquals([code, stderr], [0, ""]);
    }
    await using scene = await makeScene({ put: pushing({}), messages });
    const { stderr } = await scene.run(["--progress", "plain"], { isTerminal: true });
    assertEquals(stderr.split("\n").slice(-4), [
      "aaa: Pushed",
      "bbb: Retrying in 2 seconds",
      "bbb: Layer already exists",
      "",
    ]);
  });

  it("an image for arm64, which few instances run, whatever the configuration wanted", async () => {
    for (const platform of ["", "linux/amd64"]) {
      await using scene = await makeScene({
        put: pushing({}),
        architecture: "arm64",
        configuration: () => ({ platform }),
      });
      const { code, stderr } = await scene.run();
      assertEquals(code, 0);
      assertMatch(stderr, /(^|\n)warning: .* is for linux\/arm64, .*Graviton.*\nhint: /);
    }
  });

  it("the login is in the engine's header, and nowhere else", async () => {
    await using scene = await makeScene({ put: pushing({}) });
    const { box, engine } = scene;
    const { stdout, stderr } = await scene.run([], { env: { MLCLI_DEBUG: "1" } });
    const [password = ""] = [...box.ecr.store.tokens.keys()];
    assertEquals(engine.pushes.map(({ login }) => login), [
      { username: "AWS", password, serveraddress: box.ecr.front.host },
    ]);
    const said = JSON.stringify([stdout, stderr, engine.requests, engine.calls, box.requests]);
    assertEquals(said.includes(password), false);
  });

  it("the login is not repeated where the engine repeats it", async () => {
    const messages = [{ errorDetail: { message: "" } }];
    await using scene = await makeScene({ messages });
    const { box } = scene;
    box.faults.after = ({ operation }) => {
      const [password] = [...box.ecr.store.tokens.keys()];
      if (operation === "CreateRepository") messages[0]!.errorDetail.message = `bad ${password}`;
      return undefined;
    };
    const { code, stderr } = await scene.run();
    assertEquals(code, 1);
    assertMatch(stderr, /\n {2}bad \*\*\*\n/);
  });
});
