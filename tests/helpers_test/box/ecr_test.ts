import { assertEquals, assertMatch } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { indexed, putImage, putIndex } from "../../helpers/box/images.ts";
import { USER_KEY } from "../../helpers/box/account.ts";
import { it, suite } from "../../helpers/suite.ts";

const OCI = "application/vnd.oci.image.manifest.v1+json";
const DOCKER = "application/vnd.docker.distribution.manifest.v2+json";

/** The same image, told in Docker's media types. */
function inDockersWords(manifest: string): string {
  return manifest
    .replaceAll(OCI, DOCKER)
    .replaceAll("vnd.oci.image.config.v1+json", "vnd.docker.container.image.v1+json")
    .replaceAll("vnd.oci.image.layer.v1.tar+gzip", "vnd.docker.image.rootfs.diff.tar.gzip");
}

suite("the box's ECR: repositories", () => {
  it("are created once, and described with the address to push to", async () => {
    await using box = await Box.open();
    const created = await ask(box, "ecr", "CreateRepository", { repositoryName: "team/app" });
    assertEquals(created.body.repository.repositoryUri, `${box.ecr.front.host}/team/app`);
    assertMatch(box.ecr.front.host, /^localhost:\d+$/);
    const again = await ask(box, "ecr", "CreateRepository", { repositoryName: "team/app" });
    assertEquals(again.error, "RepositoryAlreadyExistsException");
    const { body } = await ask(box, "ecr", "DescribeRepositories", {
      repositoryNames: ["team/app"],
    });
    assertEquals(body.repositories, [created.body.repository]);
  });

  it("that are not there are told by name", async () => {
    await using box = await Box.open();
    const { error, body } = await ask(box, "ecr", "DescribeImages", { repositoryName: "none" });
    assertEquals(error, "RepositoryNotFoundException");
    assertEquals(
      body.message,
      "The repository with name 'none' does not exist in the registry with id '123456789012'",
    );
  });

  it("come in pages", async () => {
    await using box = await Box.open();
    for (const name of ["one", "two", "three"]) box.ecr.store.add(name);
    const first = (await ask(box, "ecr", "DescribeRepositories", { maxResults: 2 })).body;
    const { nextToken } = first;
    const second = (await ask(box, "ecr", "DescribeRepositories", { maxResults: 2, nextToken }))
      .body;
    const names = [first, second].map(({ repositories }) =>
      // deno-lint-ignore no-explicit-any
      repositories.map((one: any) => one.repositoryName)
    );
    assertEquals(names, [["one", "two"], ["three"]]);
    assertEquals(second.nextToken, undefined);
  });

  const wrong = [
    [{ repositoryName: "App" }, /'repositoryName' failed .* regular expression pattern/],
    [{}, /Value null at 'repositoryName' failed .* must not be null/],
    [{ repositoryName: "ab", imageIds: [] }, /length greater than or equal to 1/],
  ] as const;
  for (const [input, words] of wrong) {
    it(`are refused as the model says: ${JSON.stringify(input)}`, async () => {
      await using box = await Box.open();
      const { error, body } = await ask(box, "ecr", "DescribeImages", input);
      assertEquals(error, "InvalidParameterException");
      assertMatch(body.message, words);
    });
  }

  it("are denied by IAM's action and the repository", async () => {
    await using box = await Box.open();
    box.ecr.store.add("app");
    box.ecr.store.add("other");
    box.faults.deny("ecr:DescribeImages", "*:repository/app");
    const denied = await ask(box, "ecr", "DescribeImages", { repositoryName: "app" });
    assertEquals(denied.error, "AccessDeniedException");
    assertMatch(denied.body.Message, /perform: ecr:DescribeImages on resource: \S+repository\/app/);
    assertEquals(
      (await ask(box, "ecr", "DescribeImages", { repositoryName: "other" })).status,
      200,
    );
  });
});

suite("the box's ECR: images", () => {
  it("are described by tag and digest, with size and media type", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    const digest = await putImage(box.ecr, app, { tag: "latest", format: "oci" });
    await putImage(box.ecr, app, { architecture: "arm64" });
    const all = (await ask(box, "ecr", "DescribeImages", { repositoryName: "app" })).body;
    assertEquals(all.imageDetails.length, 2);
    const { body } = await ask(box, "ecr", "DescribeImages", {
      repositoryName: "app",
      imageIds: [{ imageTag: "latest" }, { imageDigest: digest }],
    });
    assertEquals(body.imageDetails.length, 1);
    const [{ imageSizeInBytes, imageManifestMediaType, imageTags, imageDigest }] =
      body.imageDetails;
    assertEquals({ imageManifestMediaType, imageTags, imageDigest }, {
      imageManifestMediaType: OCI,
      imageTags: ["latest"],
      imageDigest: digest,
    });
    const { config, layers } = JSON.parse(app.images.get(digest)!.manifest);
    assertEquals(imageSizeInBytes, config.size + layers[0].size);
  });

  it("that are not there are an error for DescribeImages, and a failure for BatchGetImage", async () => {
    await using box = await Box.open();
    box.ecr.store.add("app");
    const asked = { repositoryName: "app", imageIds: [{ imageTag: "v1" }] };
    const described = await ask(box, "ecr", "DescribeImages", asked);
    assertEquals(described.error, "ImageNotFoundException");
    assertMatch(described.body.message, /imageId \{imageDigest:'null', imageTag:'v1'\} does not/);
    const { body } = await ask(box, "ecr", "BatchGetImage", asked);
    assertEquals(body, {
      images: [],
      failures: [{
        imageId: { imageTag: "v1" },
        failureCode: "ImageNotFound",
        failureReason: "Requested image not found",
      }],
    });
  });

  it("get another manifest of the same parts under the same tag", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    await putImage(box.ecr, app, { tag: "latest", format: "oci" });
    const imageIds = [{ imageTag: "latest" }];
    const got = await ask(box, "ecr", "BatchGetImage", { repositoryName: "app", imageIds });
    const [{ imageManifest, imageManifestMediaType }] = got.body.images;
    assertEquals(imageManifestMediaType, OCI);
    const put = { repositoryName: "app", imageTag: "latest" };
    const rewritten = inDockersWords(imageManifest);
    const { body } = await ask(box, "ecr", "PutImage", { ...put, imageManifest: rewritten });
    const described = await ask(box, "ecr", "DescribeImages", { repositoryName: "app", imageIds });
    const [{ imageDigest, imageManifestMediaType: type }] = described.body.imageDetails;
    assertEquals([imageDigest, type], [body.image.imageId.imageDigest, DOCKER]);
    const again = await ask(box, "ecr", "PutImage", { ...put, imageManifest: rewritten });
    assertEquals(again.error, "ImageAlreadyExistsException");
  });

  it("are refused without a tag where they are there, and where what is said of them is wrong", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    const digest = await putImage(box.ecr, app);
    const imageManifest = app.images.get(digest)!.manifest;
    const put = { repositoryName: "app", imageManifest };
    const rows = [
      [put, "ImageAlreadyExistsException"],
      [
        { ...put, imageTag: "x", imageDigest: `sha256:${"0".repeat(64)}` },
        "ImageDigestDoesNotMatchException",
      ],
      [{ ...put, imageTag: "x", imageManifestMediaType: OCI }, "InvalidParameterException"],
      [{ ...put, imageTag: "x", imageManifest: "{}" }, "InvalidParameterException"],
      [{ ...put, imageTag: "x", imageDigest: digest, imageManifestMediaType: DOCKER }, undefined],
    ] as const;
    for (const [input, error] of rows) {
      assertEquals((await ask(box, "ecr", "PutImage", input)).error, error);
    }
  });

  it("stay under a tag that is immutable", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app", { isImmutable: true });
    const digest = await putImage(box.ecr, app, { tag: "v1", format: "oci" });
    const imageManifest = inDockersWords(app.images.get(digest)!.manifest);
    const put = { repositoryName: "app", imageManifest };
    const { error, body } = await ask(box, "ecr", "PutImage", { ...put, imageTag: "v1" });
    assertEquals(error, "ImageTagAlreadyExistsException");
    assertMatch(body.message, /The image tag 'v1' already exists in the 'app' repository/);
    assertEquals((await ask(box, "ecr", "PutImage", { ...put, imageTag: "v2" })).status, 200);
  });

  it("are refused where a part is missing, or an image that a list names", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    const digest = await putImage(box.ecr, app);
    const { manifest } = app.images.get(digest)!;
    const missing = `sha256:${"0".repeat(64)}`;
    const [{ digest: layer }] = JSON.parse(manifest).layers;
    const put = { repositoryName: "app", imageTag: "x" };
    const without = await ask(box, "ecr", "PutImage", {
      ...put,
      imageManifest: manifest.replace(layer, missing),
    });
    assertEquals(without.error, "LayersNotFoundException");
    assertMatch(without.body.message, new RegExp(missing));
    const platform = { os: "linux", architecture: "amd64" };
    const list = await putIndex(box.ecr, app, [indexed(app, digest, platform)]);
    const imageManifest = app.images.get(list)!.manifest.replace(digest, missing);
    const { error } = await ask(box, "ecr", "PutImage", { ...put, imageManifest });
    assertEquals(error, "ReferencedImagesNotFoundException");
  });

  it("have layers that can be checked, and downloaded by a signed address", async () => {
    await using box = await Box.open();
    const app = box.ecr.store.add("app");
    const digest = await putImage(box.ecr, app, { architecture: "arm64" });
    const { config } = JSON.parse(app.images.get(digest)!.manifest);
    const missing = `sha256:${"0".repeat(64)}`;
    const checked = await ask(box, "ecr", "BatchCheckLayerAvailability", {
      repositoryName: "app",
      layerDigests: [config.digest, missing],
    });
    assertEquals(
      // deno-lint-ignore no-explicit-any
      checked.body.layers.map((one: any) => one.layerAvailability),
      ["AVAILABLE", "UNAVAILABLE"],
    );
    const { body } = await ask(box, "ecr", "GetDownloadUrlForLayer", {
      repositoryName: "app",
      layerDigest: config.digest,
    });
    const downloaded = await (await fetch(body.downloadUrl)).json();
    assertEquals(downloaded.architecture, "arm64");
    const unsigned = await fetch(body.downloadUrl.replace(/\?.*/, ""));
    assertEquals(unsigned.status, 403);
    await unsigned.body?.cancel();
  });
});

suite("the box's ECR: passwords", () => {
  it("are asked for by the registry's front, and end", async () => {
    await using box = await Box.open();
    const address = `http://127.0.0.1:${box.ecr.front.host.split(":")[1]}/v2/`;
    const login = async (credentials?: string) => {
      const headers: HeadersInit = credentials ? { authorization: `Basic ${credentials}` } : {};
      const answer = await fetch(address, { headers });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    };
    const without = await login();
    assertEquals(without.status, 401);
    assertMatch(without.headers.get("www-authenticate")!, /^Basic realm=/);
    assertEquals((await login(btoa("AWS:guessed"))).status, 400);
    const { body } = await ask(box, "ecr", "GetAuthorizationToken");
    const [{ authorizationToken, expiresAt }] = body.authorizationData;
    assertEquals(expiresAt > Date.now() / 1_000 + 11 * 3_600, true);
    // Good, but there is no registry behind it.
    assertEquals((await login(authorizationToken)).status, 501);
    box.ecr.store.nextTokenRequests = 1;
    const short = btoa(`AWS:${box.ecr.store.issueToken(USER_KEY).password}`);
    assertEquals([(await login(short)).status, (await login(short)).status], [501, 403]);
    box.ecr.store.expireTokens();
    const expired = await login(authorizationToken);
    assertEquals(expired.status, 403);
    assertMatch(expired.text, /Your authorization token has expired. Reauthenticate and try/);
  });
});
