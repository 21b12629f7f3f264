import { assertEquals, assertRejects } from "@std/assert";
import { withTag } from "../../../../runtime/app/app.ts";
import type { Ecr } from "../../../../runtime/aws/ecr.ts";
import { imageForJob, type ImageRequest } from "../../../../runtime/cloud/preflight/image.ts";
import type { Engine } from "../../../../runtime/docker/engine.ts";
import { Interrupted, MlcliError } from "../../../../runtime/errors.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { Box } from "../../../helpers/box/box.ts";
import { digestOf, partsOf, type Repository } from "../../../helpers/box/ecr_store.ts";
import { indexed, putImage, putIndex } from "../../../helpers/box/images.ts";
import { it, suite } from "../../../helpers/suite.ts";

const HOST = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";

/** The repositories of a box, as the client of ECR gives them. */
function ecrOf({ ecr: { store } }: Box): Ecr {
  const unexpected = (): never => {
    throw new Error("Nothing may be changed");
  };
  return {
    region: { value: "eu-west-1", from: "variable", where: "AWS_REGION" },
    repository: (name) => {
      const found = store.repositories.get(name);
      return Promise.resolve(found && { name, uri: `${HOST}/${name}`, isImmutable: false });
    },
    image: (name, key) => {
      const repository = store.repositories.get(name)!;
      return Promise.resolve(store.find(repository, "tag" in key ? key.tag : key.digest));
    },
    createRepository: unexpected,
    authorization: unexpected,
    configuration: unexpected,
    putImage: unexpected,
  };
}

/** The configuration's digest: what an engine without the containerd image store calls an image. */
function configurationOf(repository: Repository, digest: string): string {
  return partsOf(repository.images.get(digest)!.manifest)[0]!.digest;
}

/** An engine that has the image. */
function engineWith(
  id: string | undefined,
  architecture = "amd64",
  Labels: Readonly<Record<string, string>> = {},
): () => Promise<Engine> {
  const image = id &&
    { Id: id, Created: "", Os: "linux", Architecture: architecture, Config: { Labels } };
  return () => Promise.resolve({ image: () => Promise.resolve(image) } as unknown as Engine);
}

const REQUEST: ImageRequest = {
  app: withTag(appObject("/apps", "churn"), "v1"),
  dockerTag: "v1",
  instanceType: "ml.m5.xlarge",
};

/** What it answers and notes. */
async function check(
  box: Box,
  engine: () => Promise<Engine>,
  request: Partial<ImageRequest> = {},
): Promise<readonly [address: string, notes: readonly string[]]> {
  const notes: string[] = [];
  const sources = { ecr: ecrOf(box), engine };
  const address = await imageForJob({ ...REQUEST, ...request }, sources, (text) => {
    notes.push(text);
  });
  return [address, notes];
}

/** The words of its refusal, remedy included. */
async function refusal(...asked: Parameters<typeof check>): Promise<string> {
  const error = await assertRejects(() => check(...asked), MlcliError);
  return `${error.message} | ${error.hint}`;
}

suite("the image of a job", () => {
  it("is named by its digest, where it is the same as here", async () => {
    await using box = await Box.open();
    const repository = box.ecr.store.add("churn");
    const digest = await putImage(box.ecr, repository, { tag: "v1" });
    for (const id of [configurationOf(repository, digest), digest]) {
      assertEquals(await check(box, engineWith(id)), [`${HOST}/churn@${digest}`, []]);
    }
  });

  it("is not another app's; that it was built elsewhere is noted", async () => {
    await using box = await Box.open();
    const digest = await putImage(box.ecr, box.ecr.store.add("churn"), { tag: "v1" });
    const labelled = (app: string, mark: string) =>
      engineWith(digest, "amd64", { "mlcli.app": app, "mlcli.directory": mark });
    assertEquals(
      await refusal(box, labelled("payments", REQUEST.app.mark)),
      "churn:v1 belongs to another app: payments | Set another image_name in churn.json, or use " +
        "another --docker-tag. To reuse the name for this app, run mlcli build --replace.",
    );
    const address = `${HOST}/churn@${digest}`;
    assertEquals(await check(box, labelled("churn", "elsewhere")), [address, [
      "churn:v1 was not built from this directory, so its code might differ",
    ]]);
    assertEquals(await check(box, labelled("churn", REQUEST.app.mark)), [address, []]);
  });

  it("is of --repository, where that is asked for", async () => {
    await using box = await Box.open();
    const digest = await putImage(box.ecr, box.ecr.store.add("team/x"), { tag: "v1" });
    const repository = { host: undefined, name: "team/x" };
    assertEquals(await check(box, engineWith(digest), { repository }), [
      `${HOST}/team/x@${digest}`,
      [],
    ]);
  });

  it("has to be pushed", async () => {
    await using box = await Box.open();
    const hint = "Run mlcli push --docker-tag v1 first";
    assertEquals(
      await refusal(box, engineWith("x")),
      `churn:v1 has not been pushed: repository churn does not exist in eu-west-1 | ${hint}`,
    );
    await putImage(box.ecr, box.ecr.store.add("churn"), { tag: "v2" });
    assertEquals(
      await refusal(box, engineWith("x")),
      `churn:v1 has not been pushed: ${HOST}/churn:v1 does not exist | ${hint}`,
    );
  });

  it("has to be the one that is here", async () => {
    await using box = await Box.open();
    const repository = box.ecr.store.add("churn");
    await putImage(box.ecr, repository, { tag: "v1" });
    const other = await putImage(box.ecr, repository, { files: { a: "b" } });
    for (const id of [digestOf("unknown"), configurationOf(repository, other), other]) {
      assertEquals(
        await refusal(box, engineWith(id)),
        `The local image churn:v1 differs from the pushed image ${HOST}/churn:v1 | Push the local image: ` +
          "mlcli push --docker-tag v1. To run the pushed image, remove the local one: " +
          "docker rmi churn:v1",
      );
    }
  });

  for (
    const [instanceType, architecture, other] of [
      ["ml.m5.xlarge", "arm64", "amd64"],
      ["ml.c7g.large", "amd64", "arm64"],
    ] as const
  ) {
    it(`has to run on ${instanceType}`, async () => {
      await using box = await Box.open();
      const digest = await putImage(box.ecr, box.ecr.store.add("churn"), {
        tag: "v1",
        architecture,
      });
      assertEquals(
        await refusal(box, engineWith(digest, architecture), { instanceType }),
        `churn:v1 is for linux/${architecture}, so ${instanceType} cannot run it | Run ` +
          `mlcli build --platform linux/${other}, then mlcli push, or use another --ec2-type`,
      );
    });
  }

  it("must not have OCI's manifest, unless Docker's is beside it", async () => {
    await using box = await Box.open();
    const repository = box.ecr.store.add("churn");
    const oci = await putImage(box.ecr, repository, { tag: "v1", format: "oci" });
    assertEquals(
      await refusal(box, engineWith(oci)),
      `SageMaker does not support the manifest type of ${HOST}/churn:v1: ` +
        "application/vnd.oci.image.manifest.v1+json | Push the image with mlcli push, which " +
        "converts the manifest",
    );
    // What push puts beside a tag that cannot be changed: the same parts, as Docker writes them.
    const { config, layers: [layer] } = JSON.parse(repository.images.get(oci)!.manifest);
    const mediaType = "application/vnd.docker.distribution.manifest.v2+json";
    const manifest = JSON.stringify(
      {
        schemaVersion: 2,
        mediaType,
        config: {
          mediaType: "application/vnd.docker.container.image.v1+json",
          size: config.size,
          digest: config.digest,
        },
        layers: [{
          mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
          size: layer.size,
          digest: layer.digest,
        }],
      },
      null,
      3,
    );
    const digest = digestOf(manifest);
    box.ecr.store.keep(repository, { digest, manifest, mediaType });
    assertEquals(await check(box, engineWith(oci)), [`${HOST}/churn@${digest}`, []]);
  });

  it("of a list is the one for the instance type", async () => {
    await using box = await Box.open();
    const repository = box.ecr.store.add("churn");
    const digests = [];
    const entries = [];
    for (const architecture of ["arm64", "amd64"]) {
      const digest = await putImage(box.ecr, repository, { architecture });
      digests.push(digest);
      entries.push(indexed(repository, digest, { os: "linux", architecture }));
    }
    const list = await putIndex(box.ecr, repository, entries, { tag: "v1" });
    const [arm64, amd64] = digests;
    for (const [type, digest] of [["ml.c7g.large", arm64], ["ml.m5.large", amd64]] as const) {
      assertEquals(await check(box, engineWith(list, "arm64"), { instanceType: type }), [
        `${HOST}/churn@${digest}`,
        [],
      ]);
    }
  });

  it("may be one of a list here, whose other platform the engine speaks of", async () => {
    await using box = await Box.open();
    const repository = box.ecr.store.add("churn");
    const amd64 = await putImage(box.ecr, repository, { tag: "v1" });
    const entry = indexed(repository, amd64, { os: "linux", architecture: "amd64" });
    const list = await putIndex(box.ecr, repository, [entry]);
    assertEquals(await check(box, engineWith(list, "arm64")), [`${HOST}/churn@${amd64}`, []]);
  });

  it("is not compared without an engine, or without it here: one note", async () => {
    await using box = await Box.open();
    const digest = await putImage(box.ecr, box.ecr.store.add("churn"), { tag: "v1" });
    const start = `Cannot check that ${HOST}/churn:v1 matches the local image for linux/amd64: `;
    const noEngine = () => Promise.reject(new MlcliError("No Docker Engine answers"));
    assertEquals(await check(box, noEngine), [`${HOST}/churn@${digest}`, [
      `${start}No Docker Engine answers`,
    ]]);
    assertEquals(await check(box, engineWith(undefined)), [`${HOST}/churn@${digest}`, [
      `${start}churn:v1 does not exist locally`,
    ]]);
    await assertRejects(
      () => check(box, () => Promise.reject(new Interrupted("SIGINT"))),
      Interrupted,
    );
  });

  it("has to be in this account's registry", async () => {
    await using box = await Box.open();
    await putImage(box.ecr, box.ecr.store.add("churn"), { tag: "v1" });
    const app = appObject("/apps", "churn", { imageName: "docker.io/churn" });
    const words = await refusal(box, engineWith("x"), { app });
    assertEquals(
      words.split(" | ")[0],
      `The image's registry docker.io is not your account's registry ${HOST}`,
    );
  });
});
