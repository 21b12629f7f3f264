import { assert, assertEquals, assertMatch } from "@std/assert";
import { loadAttestedImage } from "../helpers/attested_image.ts";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { EngineApi, failureIn } from "../helpers/box/engine_api.ts";
import { digestOf, MANIFEST_TYPES } from "../helpers/box/ecr_store.ts";
import { putImage } from "../helpers/box/images.ts";
import { buildImage, engineRequest, removeImage } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { type ProgramResult, resultOf } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

/** An app with an image of its own, a platform with a registry, and the program between them. */
interface Scene extends AsyncDisposable {
  readonly app: TestApp;
  readonly box: Box;
  /** `localhost:PORT/NAME` of the app's repository. */
  readonly uri: string;
  run(...args: readonly string[]): Promise<ProgramResult>;
  start(...args: readonly string[]): Deno.ChildProcess;
  /** Builds the app's image, unlike any other. */
  build(tag?: string): Promise<void>;
}

/** The first message with MLCLI_DEBUG=1. */
const FOUND = "note: Found credentials in AWS_ACCESS_KEY_ID\n";

/** A layer that the registry has not seen. */
const DOCKERFILE = "FROM scratch\nCOPY words /\n";

async function makeScene(
  configuration: Readonly<Record<string, unknown>> = {},
): Promise<Scene> {
  await using made = new AsyncDisposableStack();
  const box = made.use(await Box.open({ registry: true }));
  const app = made.use(await makeApp({ configuration }));
  const env = {
    ...box.env(),
    AWS_CONFIG_FILE: "/nonexistent/config",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
    MLCLI_DEBUG: "1",
  };
  const name = String(configuration["image_name"] ?? app.name);
  const images = new Set<string>();
  const owned = made.move();
  return {
    app,
    box,
    uri: `${box.ecr.front.host}/${name}`,
    run: (...args) => app.run(["push", ...args], { env }),
    start: (...args) => app.start(["push", ...args], { env }),
    async build(tag = "latest") {
      const words = crypto.randomUUID();
      await buildImage(`${name}:${tag}`, { Dockerfile: DOCKERFILE, words });
      images.add(await imageId(`${name}:${tag}`));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const id of images) await removeImage(id);
      await owned[Symbol.asyncDispose]();
    },
  };
}

async function imageId(name: string): Promise<string> {
  const path = `/images/${encodeURIComponent(name)}/json`;
  return JSON.parse(await engineRequest("GET", path, [200])).Id;
}

/** The engine's names for images of a registry. */
async function namesIn(host: string): Promise<readonly string[]> {
  const images: { RepoTags: string[] | null }[] = JSON.parse(
    await engineRequest("GET", "/images/json", [200]),
  );
  return images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.startsWith(host));
}

function taggedDigest({ box, uri }: Scene, tag = "latest"): string | undefined {
  const name = uri.slice(uri.indexOf("/") + 1);
  return box.ecr.store.repositories.get(name)?.tags.get(tag);
}

/** The digest of the only image of the app's repository that SageMaker takes. */
function jobDigest({ app, box }: Scene): string | undefined {
  const images = [...box.ecr.store.repositories.get(app.name)?.images.values() ?? []]
    .filter(({ mediaType }) => mediaType === MANIFEST_TYPES.docker);
  assertEquals(images.length, 1);
  return images[0]?.digest;
}

/** Docker 29 pushes OCI's manifests, older engines Docker's; both say in which form it is then. */
const IN_PLACE = "Converted the manifest of TAG from OCI to Docker format, as SageMaker requires\n";

/** No token that was given out is in what the program said. */
function assertNoSecrets({ box }: Scene, { stdout, stderr }: ProgramResult): void {
  assert(box.ecr.store.tokens.size > 0);
  for (const password of box.ecr.store.tokens.keys()) {
    for (const secret of [password, btoa(`AWS:${password}`)]) {
      assert(!stdout.includes(secret) && !stderr.includes(secret));
    }
  }
}

suite("mlcli push", () => {
  it("creates the repository, pushes, and prints the digest; then nothing is left to do", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    await scene.build();
    const pushed = await scene.run();
    const digest = taggedDigest(scene);
    assertEquals([pushed.code, pushed.stdout], [0, `${uri}@${digest}\n`]);
    assertMatch(
      pushed.stderr,
      new RegExp(
        `^${FOUND}Creating repository ${app.name} in eu-west-1\n` +
          `Pushing ${app.name}:latest to ${uri}:latest\n[0-9a-f]{12}: Pushed\n` +
          `(${IN_PLACE.replace("TAG", "latest")})?$`,
      ),
    );
    assertNoSecrets(scene, pushed);
    assertEquals(await namesIn(box.ecr.front.host), []);

    const before = box.ecr.front.requests.length;
    const again = await scene.run();
    assertEquals(again, {
      code: 0,
      stdout: `${uri}@${digest}\n`,
      stderr: `${FOUND}Unchanged: ${uri}:latest already has ${app.name}:latest\n`,
    });
    assertEquals(box.ecr.front.requests.length, before);

    await scene.build();
    const other = await scene.run();
    assertEquals([other.code, other.stdout], [0, `${uri}@${taggedDigest(scene)}\n`]);
    assert(other.stdout !== pushed.stdout);
  });

  it("what it prints can be pulled: a second tag sends no layer again", async () => {
    await using scene = await makeScene({ image_name: `team/app-${crypto.randomUUID()}` });
    const { box, uri } = scene;
    const [, name] = /^[^/]+\/(.*)$/.exec(uri)!;
    await scene.build("v1");
    assertEquals((await scene.run("-t", "v1")).code, 0);
    using engine = new EngineApi();
    await engine.send("POST", `/images/${name}:v1/tag?repo=${name}&tag=v2`);
    try {
      const { code, stdout, stderr } = await scene.run("-t", "v2");
      assertEquals(code, 0);
      const last = `\n[0-9a-f]{12}: Layer already exists\n(${IN_PLACE.replace("TAG", "v2")})?$`;
      assertMatch(stderr, new RegExp(last));
      const { password } = box.ecr.store.issueToken([...box.keys.values()][0]!);
      const address = stdout.trim();
      const pulled = await engine.progress(
        `/images/create?fromImage=${encodeURIComponent(address)}`,
        password,
      );
      assertEquals(failureIn(pulled), undefined);
      await removeImage(address);
    } finally {
      await removeImage(`${name}:v2`);
    }
  });

  it("leaves a name alone that the engine had for another image, and says so", async () => {
    await using scene = await makeScene();
    const { app, uri } = scene;
    await scene.build();
    await scene.build("other");
    using engine = new EngineApi();
    const target = { repo: uri, tag: "latest" };
    await engine.send("POST", `/images/${app.name}:other/tag?${new URLSearchParams(target)}`);
    try {
      const { code, stderr } = await scene.run();
      assertEquals(code, 0);
      assertEquals(await imageId(`${uri}:latest`), await imageId(`${app.name}:other`));
      const name = `${uri}:latest`;
      const said =
        `Another local image has the tag ${name}. To remove the tag: docker rmi ${name}\n`;
      assert(stderr.includes(said), stderr);
    } finally {
      await removeImage(`${uri}:latest`);
    }
  });

  it("takes a new login wherever the first one ends: at each request of the push", async () => {
    await using scene = await makeScene();
    const { box, uri } = scene;
    const { store, front } = box.ecr;
    await scene.build();
    assertEquals((await scene.run()).code, 0);
    const all = front.requests.length;
    for (let requests = 1; requests < all; requests++) {
      await scene.build();
      store.nextTokenRequests = requests;
      const given = store.tokens.size;
      const { code, stdout, stderr } = await scene.run();
      assertEquals([code, stdout], [0, `${uri}@${taggedDigest(scene)}\n`], stderr);
      assertEquals(store.tokens.size - given, 2);
    }
  });

  it("fails where the new login has expired, too", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    await scene.build();
    box.ecr.store.tokenLifetime = -1;
    const failed = await scene.run();
    assertEquals([failed.code, failed.stdout], [1, ""]);
    assertMatch(
      failed.stderr,
      new RegExp(
        `error: Cannot push ${app.name}:latest to ${uri}:latest: the registry refused the login\n` +
          "  (denied|error from registry): Your authorization token has expired. Reauthenticate",
      ),
    );
    assertEquals(box.operations.filter((one) => one === "ecr:GetAuthorizationToken").length, 2);
    assertNoSecrets(scene, failed);
    assertEquals(await namesIn(box.ecr.front.host), []);
  });

  it("an immutable tag: done with our digest, refused with another, before and during the push", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    const repository = box.ecr.store.add(app.name, { isImmutable: true });
    await scene.build();
    const first = await scene.run();
    const digest = taggedDigest(scene);
    const printed = `${uri}@${jobDigest(scene)}\n`;
    assertEquals([first.code, first.stdout], [0, printed]);
    const again = await scene.run();
    assertEquals([again.code, again.stdout], [0, printed]);
    assertEquals(taggedDigest(scene), digest);

    await scene.build();
    const refusal = `error: Tag latest of ${uri} is immutable and already has another image\n` +
      "hint: Use another tag: mlcli build -t TAG, then mlcli push -t TAG\n";
    const before = box.ecr.front.requests.length;
    const other = await scene.run();
    assertEquals([other.code, other.stdout], [1, ""]);
    assert(other.stderr.startsWith(`${FOUND}${refusal.split("\n")[0]}`), other.stderr);
    assertEquals(box.ecr.front.requests.length, before);

    // Only the registry knows, since some tags are an exception.
    box.faults.after = ({ operation }) => {
      if (operation === "DescribeRepositories") repository.isImmutable = true;
      return undefined;
    };
    repository.isImmutable = false;
    const late = await scene.run();
    assertEquals([late.code, late.stdout], [1, ""]);
    assert(late.stderr.includes(`\n${refusal.split("\n")[0]}`), late.stderr);
    assertEquals(taggedDigest(scene), digest);
  });

  it("an immutable tag that somebody else gives our image meanwhile is a success", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    const repository = box.ecr.store.add(app.name, { isImmutable: true });
    await scene.build();
    assertEquals((await scene.run()).code, 0);
    const digest = taggedDigest(scene)!;
    repository.tags.delete("latest");
    box.faults.after = ({ operation }) => {
      if (operation === "BatchGetImage") repository.tags.set("latest", digest);
      return undefined;
    };
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [0, `${uri}@${jobDigest(scene)}\n`]);
    // Docker 29's is OCI's, which an immutable tag keeps.
    assertMatch(
      stderr,
      /\n(Unchanged: |Tag latest is immutable and keeps an OCI manifest)/,
    );
  });

  it("puts Docker's manifest in the place of OCI's, which others have pushed", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    await scene.build();
    assertEquals((await scene.run()).code, 0);
    const docker = taggedDigest(scene)!;
    const repository = box.ecr.store.repositories.get(app.name)!;
    const oci = ociOf(repository.images.get(docker)!.manifest);
    const image = { digest: digestOf(oci), manifest: oci, mediaType: MANIFEST_TYPES.oci };
    await box.ecr.blobs.putManifest(app.name, "latest", image);
    repository.images.delete(docker);
    box.ecr.store.keep(repository, image, "latest");

    const { code, stdout, stderr } = await scene.run();
    // Byte for byte what the engine, without OCI's manifests, had pushed.
    assertEquals([code, stdout], [0, `${uri}@${docker}\n`]);
    assertEquals(
      stderr,
      `${FOUND}Converted the manifest of latest from OCI to Docker format, as SageMaker requires\n`,
    );
    assertEquals(taggedDigest(scene), docker);
  });

  it("sends an image with an attestation, as buildx makes it, and names what jobs take of it", async () => {
    await using scene = await makeScene();
    const { app, uri } = scene;
    await loadAttestedImage(`${app.name}:latest`);
    try {
      const pushed = await scene.run();
      assertEquals(pushed.code, 0, pushed.stderr);
      assertEquals(pushed.stdout, `${uri}@${jobDigest(scene)}\n`);
      assertEquals(taggedDigest(scene), jobDigest(scene));
      const again = await scene.run();
      assertEquals([again.code, again.stdout], [0, pushed.stdout], again.stderr);
      assertMatch(again.stderr, new RegExp(`^${FOUND}Unchanged: `));
    } finally {
      await removeImage(`${app.name}:latest`);
    }
  });

  it("says what may be missing, where the registry cannot say it", async () => {
    await using scene = await makeScene();
    const { box } = scene;
    await scene.build();
    box.faults.deny("ecr:BatchCheckLayerAvailability");
    const denied = await scene.run();
    assertEquals([denied.code, denied.stdout], [1, ""]);
    assertMatch(
      denied.stderr,
      /\nerror: Cannot push .*: the registry denied access without a reason\n {2}.*403.*\nhint: .*ecr:BatchCheckLayerAvailability/,
    );
  });

  it("Ctrl-C in the middle: the push ends, the tag stays as it was, the name goes", async () => {
    await using scene = await makeScene();
    const { app, box } = scene;
    await scene.build();
    const repository = box.ecr.store.add(app.name);
    const before = await putImage(box.ecr, repository, { tag: "latest" });
    // Docker 29 sends a layer in one request.
    box.faults.delay("ecr:UploadLayerPart", 600_000);
    box.faults.delay("ecr:CompleteLayerUpload", 600_000);
    const child = scene.start();
    const { requests } = box.ecr.front;
    const isSending = () =>
      requests.some((request) => /^(PATCH|PUT) .*\/blobs\/uploads\//.test(request));
    await eventually(() => Promise.resolve(isSending()));
    child.kill("SIGINT");
    const { code, stdout } = await resultOf(child);
    assertEquals([code, stdout], [130, ""]);
    assertEquals(taggedDigest(scene), before);
    assertEquals(await namesIn(box.ecr.front.host), []);
  });

  it("where the engine does not reach the registry, says whose network counts", async () => {
    await using scene = await makeScene();
    const { app, box, uri } = scene;
    await scene.build();
    box.ecr.store.add(app.name);
    // Nobody listens on port 1.
    const elsewhere = `localhost:1/${app.name}`;
    box.faults.after = ({ operation }) =>
      operation === "DescribeRepositories"
        ? Response.json({
          repositories: [{ repositoryName: app.name, repositoryUri: elsewhere }],
        })
        : undefined;
    const { code, stdout, stderr } = await scene.run();
    assertEquals([code, stdout], [1, ""]);
    assert(uri !== elsewhere);
    assertMatch(
      stderr,
      /\nerror: Cannot push .*: the Docker Engine cannot reach the registry\n {2}.*connection refused\nhint: Check the network, certificates and proxy of the Docker Engine /,
    );
  });
});

/** The same image with OCI's manifest, as newer engines write it. */
function ociOf(docker: string): string {
  return docker
    .replaceAll(MANIFEST_TYPES.docker, MANIFEST_TYPES.oci)
    .replaceAll(
      "application/vnd.docker.container.image.v1+json",
      "application/vnd.oci.image.config.v1+json",
    )
    .replaceAll(
      "application/vnd.docker.image.rootfs.diff.tar.gzip",
      "application/vnd.oci.image.layer.v1.tar+gzip",
    );
}
