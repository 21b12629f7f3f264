import { assertEquals, assertMatch } from "@std/assert";
import { ask } from "../helpers/box/ask.ts";
import { Box } from "../helpers/box/box.ts";
import { digestIn, EngineApi, failureIn } from "../helpers/box/engine_api.ts";
import { buildImage, removeImage } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";

/** Pushes a small image; returns what went wrong, or the digest. */
async function push(
  box: Box,
  repository: string,
  password: string,
): Promise<{ failure: string | undefined; digest?: string }> {
  const image = `${box.ecr.front.host}/${repository}`;
  // Nobody knows its layer yet, so that it is really sent.
  const words = crypto.randomUUID();
  await buildImage(`${image}:v1`, { Dockerfile: "FROM scratch\nCOPY words /\n", words });
  using engine = new EngineApi();
  try {
    const lines = await engine.progress(`/images/${encodeURI(image)}/push?tag=v1`, password);
    const digest = digestIn(lines);
    // Docker 29 does not say the code, but what everybody knows.
    const failure = failureIn(lines)?.replace(
      /^(denied|name unknown|tag invalid|error from registry): /,
      "",
    );
    return { failure, ...(digest ? { digest } : {}) };
  } finally {
    await removeImage(`${image}:v1`);
  }
}

suite("the box's registry", () => {
  it("takes what the engine pushes, and gives it back by its digest", async () => {
    await using box = await Box.open({ registry: true });
    await ask(box, "ecr", "CreateRepository", { repositoryName: "team/app" });
    const { password } = box.ecr.store.issueToken([...box.keys.values()][0]!);
    const { failure, digest } = await push(box, "team/app", password);
    assertEquals(failure, undefined);
    const { body } = await ask(box, "ecr", "DescribeImages", {
      repositoryName: "team/app",
      imageIds: [{ imageTag: "v1" }],
    });
    assertEquals(body.imageDetails[0].imageDigest, digest);

    using engine = new EngineApi();
    const image = `${box.ecr.front.host}/team/app@${digest}`;
    const pulled = await engine.progress(
      `/images/create?fromImage=${encodeURIComponent(image)}`,
      password,
    );
    assertEquals(failureIn(pulled), undefined);
    await removeImage(image);
  });

  it("says what ECR says: expired, unknown, immutable, denied", async () => {
    await using box = await Box.open({ registry: true });
    const key = [...box.keys.values()][0]!;
    const expired = box.ecr.store.issueToken(key);
    box.ecr.store.add("app", { isImmutable: true });
    box.ecr.store.expireTokens();
    assertEquals(await push(box, "app", expired.password), {
      failure: "Your authorization token has expired. Reauthenticate and try again.",
    });
    const { password } = box.ecr.store.issueToken(key);
    assertEquals(await push(box, "none", password), {
      failure: "The repository with name 'none' does not exist in the registry " +
        "with id '123456789012'",
    });
    assertEquals((await push(box, "app", password)).failure, undefined);
    assertEquals(await push(box, "app", password), {
      failure: "The image tag 'v1' already exists in the 'app' repository and " +
        "cannot be overwritten because the tag is immutable.",
    });
    box.faults.deny("ecr:InitiateLayerUpload");
    assertMatch(
      (await push(box, "app", password)).failure!,
      /^User: \S+ is not authorized to perform: ecr:InitiateLayerUpload on resource: /,
    );
  });

  it("loses its processes and its files with the box", async () => {
    const box = await Box.open({ registry: true });
    const { directory, url } = box.ecr.registry!;
    await box[Symbol.asyncDispose]();
    const isThere = await Deno.stat(directory.path).then(() => true, () => false);
    assertEquals(isThere, false);
    const answers = await fetch(url).then(() => true, () => false);
    assertEquals(answers, false);
  });
});
